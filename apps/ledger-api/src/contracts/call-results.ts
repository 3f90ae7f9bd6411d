import { isUtf8 } from 'node:buffer';
import { isDeeper, namesTwice, withExactNumbers } from '#json';
import type { ContractPayload } from './contract.dto.js';

/** Most bytes of a payload that is parsed: it is parsed and written again on the event loop. */
const MAX_PARSED = 1024 * 1024;
/** Most levels of objects and arrays in a result, which `JSON.stringify` calls itself for. */
const MAX_RESULT_DEPTH = 64;
/** How JSON begins, so that most other texts are not parsed. */
const JSON_START = /^[ \t\r\n]*[[{"\dtfn-]/;

/** Shows bytes that a chaincode returned. */
export function payloadOf(bytes: Uint8Array): ContractPayload {
  const encoding = isUtf8(bytes) ? 'text' : 'base64';
  return { payload: Buffer.from(bytes).toString(encoding === 'text' ? 'utf8' : 'base64'), encoding };
}

/** Shows bytes that a function returned, with the value that they have as JSON. */
export function resultOf(bytes: Uint8Array): ContractPayload & { readonly result?: unknown } {
  const shown = payloadOf(bytes);
  const result = shown.encoding === 'text' && bytes.length <= MAX_PARSED ? valueOf(shown.payload) : undefined;
  return result === undefined ? shown : { ...shown, result };
}

/** Returns the value of JSON; undefined for another text, and for JSON that readers understand differently. */
function valueOf(text: string): unknown {
  if (!JSON_START.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isDeeper(value, MAX_RESULT_DEPTH) || namesTwice(text, value) ? undefined : withExactNumbers(text, value);
}
