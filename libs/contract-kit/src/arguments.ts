import { Buffer, isUtf8 } from 'node:buffer';
import { ContractError } from './contract-error.js';

/** Maximum number of bytes of UTF-8 in an id. */
export const MAX_ID_BYTES = 256;
/** Maximum number of bytes of UTF-8 in any other argument of a bounded length. */
export const MAX_VALUE_BYTES = 4096;
/** Maximum number of entries in one page. */
export const MAX_PAGE_SIZE = 1000;

const CONTROL_CHARACTER = /\p{Cc}/u;
const PAGE_SIZE = /^[1-9][0-9]{0,3}$/;

/**
 * Returns the error in the id of an asset or a record: it must have 1 to 256 bytes of UTF-8, no control character and no lone surrogate, and be
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
 * Returns the error in an argument that is stored: it must have 1 to 4,096 bytes of UTF-8 and no lone surrogate, because the ledger
 * records arguments as UTF-8.
 * @returns undefined for a valid value
 */
export function valueFault(value: string): string | undefined {
  if (value === '') return 'must not be empty';
  if (!value.isWellFormed()) return 'must not hold a lone surrogate';
  return tooLong(value, MAX_VALUE_BYTES);
}

/**
 * Returns the arguments of a function as text.
 * @param names - of its parameters
 * @throws `ContractError` INVALID_ARGUMENT for bytes that are not UTF-8, which would be altered as text
 */
export function textArguments(names: readonly string[], args: readonly (string | Uint8Array)[]): readonly string[] {
  return args.map((argument, index) => {
    if (typeof argument === 'string') return argument;
    if (!isUtf8(argument)) refuse(names[index] ?? '', 'must be text in UTF-8');
    return Buffer.from(argument).toString();
  });
}

/** @throws `ContractError` INVALID_ARGUMENT */
export function requireId(id: string): void {
  refuse('id', idFault(id));
}

/** @throws `ContractError` INVALID_ARGUMENT */
export function requireValue(name: string, value: string): void {
  refuse(name, valueFault(value));
}

/** @throws `ContractError` INVALID_ARGUMENT */
export function requirePageSize(text: string): number {
  const size = PAGE_SIZE.test(text) ? Number(text) : 0;
  if (size === 0 || size > MAX_PAGE_SIZE) refuse('pageSize', `must be a whole number from 1 to ${MAX_PAGE_SIZE}`);
  return size;
}

/** @throws `ContractError` INVALID_ARGUMENT */
export function requireBookmark(bookmark: string): void {
  refuse('bookmark', bookmark === '' ? undefined : valueFault(bookmark));
}

function refuse(name: string, fault: string | undefined): void {
  if (fault !== undefined) throw new ContractError('INVALID_ARGUMENT', `${name} ${fault}`);
}

function tooLong(text: string, limit: number): string | undefined {
  return Buffer.byteLength(text) > limit ? `must not exceed ${limit} bytes` : undefined;
}
