import { isUtf8 } from 'node:buffer';
import { isDeeper, isExactNumber, isJsonObject } from '#json';
import type { CallArgument } from '#ledger-gateway';

/** Most levels of objects and arrays in an argument. */
export const MAX_ARGUMENT_DEPTH = 64;
/** RFC 4648, section 4. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Characters of a name in a pointer. */
const MAX_NAME = 64;

/** The error in a JSON value. */
export interface ArgumentFault {
  /** JSON pointer (RFC 6901) from the argument to the part with the error; empty for the argument itself. */
  readonly pointer: string;
  /** Continues a sentence whose subject is that part. */
  readonly text: string;
}

/**
 * Returns the error in the JSON value of an argument; undefined for a valid one.
 * @param value - from `withExactNumbers`, so that numbers keep their digits
 */
export function argumentFault(value: unknown): ArgumentFault | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : fault('must not contain a lone surrogate');
  const base64 = base64In(value);
  if (base64 !== undefined) {
    return isBase64(base64) ? undefined : fault('must be base64 (RFC 4648, with padding)', '/base64');
  }
  if (isDeeper(value, MAX_ARGUMENT_DEPTH)) return fault(`must not be nested deeper than ${MAX_ARGUMENT_DEPTH} levels`);
  const pointer = infiniteNumber(value);
  return pointer === undefined ? undefined : fault('is a number out of range: send its digits as a string', pointer);
}

/**
 * Returns an argument as it is sent to the chaincode: a string as it is, `{"base64": …}` as its bytes, any other value as its
 * JSON text without spaces.
 * @param value - without {@link argumentFault}
 */
export function callArgument(value: unknown): CallArgument {
  if (typeof value === 'string') return value;
  const base64 = base64In(value);
  if (typeof base64 !== 'string') return JSON.stringify(value);
  const bytes = Buffer.from(base64, 'base64');
  return isUtf8(bytes) ? bytes.toString() : bytes;
}

/** Returns whether a value is base64 with padding. */
export function isBase64(value: unknown): value is string {
  return typeof value === 'string' && BASE64.test(value);
}

/** Returns the member of an object that has exactly the member `base64`. */
function base64In(value: unknown): unknown {
  if (!isJsonObject(value)) return undefined;
  const [[name, base64] = [], ...others] = Object.entries(value);
  return name === 'base64' && others.length === 0 ? base64 : undefined;
}

/** Returns the pointer of the first number that a double cannot represent, such as 1e400. */
function infiniteNumber(value: unknown): string | undefined {
  if (typeof value === 'number' || isExactNumber(value)) {
    return Number.isFinite(typeof value === 'number' ? value : Number(value.rawJSON)) ? undefined : '';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const pointer = infiniteNumber(member);
    if (pointer !== undefined) return `/${pointerToken(name)}${pointer}`;
  }
  return undefined;
}

/** Encodes a name for a pointer, without characters that would break a line of a log. */
function pointerToken(name: string): string {
  const token = name.slice(0, MAX_NAME).replaceAll('~', '~0').replaceAll('/', '~1');
  return JSON.stringify(token).slice(1, -1);
}

function fault(text: string, pointer = ''): ArgumentFault {
  return { pointer, text };
}
