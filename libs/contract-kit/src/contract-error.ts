/** A refusal by a contract: nothing was written. Its message, `CODE: reason`, is sent to the caller. */
export class ContractError<Code extends string = string> extends Error {
  readonly code: Code;
  /** The message without its code. */
  readonly reason: string;

  constructor(code: Code, reason: string) {
    super(`${code}: ${reason}`);
    this.name = 'ContractError';
    this.code = code;
    this.reason = reason;
  }
}

/**
 * Parses the message of a refusal.
 * @param codes - those of the contract that was called
 * @returns undefined when the text does not begin with one of them: another contract wrote it
 */
export function parseContractError<Code extends string>(
  text: string,
  codes: readonly Code[],
): ContractError<Code> | undefined {
  const code = codes.find((candidate) => text.startsWith(`${candidate}: `));
  return code === undefined ? undefined : new ContractError(code, text.slice(code.length + 2));
}
