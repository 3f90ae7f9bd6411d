import { Buffer } from 'node:buffer';

const CODES = [
  'ASSET_NOT_FOUND',
  'ASSET_EXISTS',
  'ASSET_CHANGED',
  'INVALID_ARGUMENT',
  'FUNCTION_UNKNOWN',
  'NOT_AN_ASSET',
] as const;

/** The reason of a refusal. `NOT_AN_ASSET`: something else wrote the record under that id, and it is not an asset. */
export type ContractErrorCode = (typeof CODES)[number];

/** A refusal: nothing was written. Its message, `CODE: reason`, is sent to the caller. */
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
 * Parses the message of a refusal.
 * @returns undefined when the text does not begin with one of the contract's codes: another contract wrote it
 */
export function parseContractError(text: string): ContractError | undefined {
  const code = CODES.find((candidate) => text.startsWith(`${candidate}: `));
  return code === undefined ? undefined : new ContractError(code, text.slice(code.length + 2));
}

/** Maximum number of bytes of UTF-8 in an id. */
export const MAX_ID_BYTES = 256;
/** Maximum number of bytes of UTF-8 in any other field. */
export const MAX_VALUE_BYTES = 4096;
/** Maximum number of assets in one page. */
export const MAX_PAGE_SIZE = 1000;

const CONTROL_CHARACTER = /\p{Cc}/u;
const PAGE_SIZE = /^[1-9][0-9]{0,3}$/;

/**
 * Returns the error in an asset's id: it must have 1 to 256 bytes of UTF-8, no control character and no lone surrogate, and be
 * neither `.` nor `..`, which no URL path can contain.
 * @returns undefined for a valid id
 */
export function idFault(id: string): string | undefined {
  if (id === '') return 'must not be empty';
  if (id === '.' || id === '..') return 'must not be . or ..';
  if (!id.isWellFormed()) return 'must not hold a lone surrogate';
  if (CONTROL_CHARACTER.test(id)) return 'must not hold control characters';
  return tooLong(id, MAX_ID_BYTES);
}

/**
 * Returns the error in a field of an asset: it must have 1 to 4,096 bytes of UTF-8 and no lone surrogate, because the ledger
 * records arguments as UTF-8.
 * @returns undefined for a valid value
 */
export function valueFault(value: string): string | undefined {
  if (value === '') return 'must not be empty';
  if (!value.isWellFormed()) return 'must not hold a lone surrogate';
  return tooLong(value, MAX_VALUE_BYTES);
}

/** Creates the refusal for an id that names no asset. */
export function notFound(id: string): ContractError {
  // An invalid id may have any length and content: it is not repeated.
  const name = idFault(id) === undefined ? `asset ${id}` : 'asset of that id';
  return new ContractError('ASSET_NOT_FOUND', `the ${name} does not exist`);
}

/** Creates the refusal for an id in use. */
export function alreadyExists(id: string): ContractError {
  return new ContractError('ASSET_EXISTS', `the asset ${id} already exists`);
}

/** @throws {@link ContractError} INVALID_ARGUMENT */
export function requireId(id: string): void {
  refuse('id', idFault(id));
}

/** @throws {@link ContractError} INVALID_ARGUMENT */
export function requireValue(name: string, value: string): void {
  refuse(name, valueFault(value));
}

/** @throws {@link ContractError} INVALID_ARGUMENT */
export function requirePageSize(text: string): number {
  const size = PAGE_SIZE.test(text) ? Number(text) : 0;
  if (size === 0 || size > MAX_PAGE_SIZE) refuse('pageSize', `must be a whole number from 1 to ${MAX_PAGE_SIZE}`);
  return size;
}

/** @throws {@link ContractError} INVALID_ARGUMENT */
export function requireBookmark(bookmark: string): void {
  refuse('bookmark', bookmark === '' ? undefined : valueFault(bookmark));
}

function refuse(name: string, fault: string | undefined): void {
  if (fault !== undefined) throw new ContractError('INVALID_ARGUMENT', `${name} ${fault}`);
}

function tooLong(text: string, limit: number): string | undefined {
  return Buffer.byteLength(text) > limit ? `must not exceed ${limit} bytes` : undefined;
}
