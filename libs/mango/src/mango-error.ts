import { isJsonObject } from '#json';
import { Buffer } from 'node:buffer';
import { membersOf, type Json } from './json-value.js';

/** Most characters of a value that an error repeats. */
const SHOWN = 500;

/** An error with which CouchDB answers a query. */
export class MangoError extends Error {
  override readonly name = 'MangoError';
  /** CouchDB's name of the error, such as `no_usable_index`. */
  readonly error: string;
  /** The HTTP status of the answer. */
  readonly status: number;

  constructor(error: string, reason: string, status = 400) {
    super(reason);
    this.error = error;
    this.status = status;
  }
}

/** Creates the error for an operator with an argument that it does not accept. */
export function badArgument(operator: string, argument: Json): MangoError {
  return new MangoError('bad_arg', `Bad argument for operator ${operator}: ${erlangTerm(argument)}`);
}

/** Returns a value in the notation of Erlang, in which CouchDB's errors repeat it. A long one is cut. */
export function erlangTerm(value: Json): string {
  const text = termOf(value, SHOWN);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}...`;
}

/** Stops soon after the number of characters that are needed. */
function termOf(value: Json, needed: number): string {
  if (typeof value === 'string') return `<<${Buffer.from(value.slice(0, needed)).join(',')}>>`;
  if (typeof value !== 'object' || value === null) return String(value);
  const parts: string[] = [];
  let left = needed;
  for (const [key, member] of isJsonObject(value) ? membersOf(value) : value.entries()) {
    if (left < 0) break;
    const term = termOf(member, left);
    const part = typeof key === 'number' ? term : `{${termOf(key, left)},${term}}`;
    parts.push(part);
    left -= part.length + 1;
  }
  return isJsonObject(value) ? `{[${parts.join(',')}]}` : `[${parts.join(',')}]`;
}
