const CODES = ['ASSET_NOT_FOUND', 'ASSET_EXISTS', 'INVALID_ARGUMENT', 'FUNCTION_UNKNOWN', 'NOT_AN_ASSET'] as const;

/**
 * Why the contract refused. `NOT_AN_ASSET`: the record under that id was written by something else and has not the
 * shape of an asset.
 */
export type ContractErrorCode = (typeof CODES)[number];

/** A refusal: nothing was written. Its message is what goes over the wire, `CODE: reason`. */
export class ContractError extends Error {
  readonly code: ContractErrorCode;
  /** The message without its code. */
  readonly reason: string;

  constructor(code: ContractErrorCode, reason: string) {
    super(`${code}: ${reason}`);
    this.name = 'ContractError';
    this.code = code;
    this.reason = reason;
  }
}

/**
 * Reads a refusal back from the text that came over the wire.
 * @returns undefined when the text does not begin with one of the contract's codes: another contract wrote it
 */
export function parseContractError(text: string): ContractError | undefined {
  const code = CODES.find((candidate) => text.startsWith(`${candidate}: `));
  return code === undefined ? undefined : new ContractError(code, text.slice(code.length + 2));
}
