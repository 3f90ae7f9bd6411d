import { encodeAsset, readAsset } from './asset.js';

const encoder = new TextEncoder();
/** What stands around the five values of the stored form. */
const FRAME = ['{"ID":"', '","appraisedValue":"', '","color":"', '","owner":"', '","size":"', '"}'].map((text) =>
  encoder.encode(text),
);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = encoder.encode(',');

/**
 * The record in the stored form of this contract: the same array when it has that form already, which one pass over
 * plain ASCII tells without parsing.
 * @returns undefined when the record is no asset
 */
export function canonicalAsset(stored: Uint8Array): Uint8Array | undefined {
  if (isPlainCanonical(stored)) return stored;
  const asset = readAsset(stored);
  return asset && encodeAsset(asset);
}

/** Joins records into a JSON array with `before` and `after` around it, without parsing what is canonical. */
export function joinAssets(records: readonly Uint8Array[], before: string, after: string): Uint8Array {
  const parts: Uint8Array[] = [encoder.encode(before)];
  for (const record of records) {
    if (parts.length > 1) parts.push(COMMA);
    parts.push(record);
  }
  parts.push(encoder.encode(after));
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Whether the bytes are the stored form and hold nothing that JSON escapes or UTF-8 spreads over several bytes. */
function isPlainCanonical(bytes: Uint8Array): boolean {
  let offset = 0;
  let isFirst = true;
  // Not by `entries()`, which leaves an array for each literal of each asset of a list.
  for (const literal of FRAME) {
    if (!isFirst) offset = endOfPlainText(bytes, offset);
    if (!matchesAt(bytes, offset, literal)) return false;
    offset += literal.length;
    isFirst = false;
  }
  return offset === bytes.length;
}

function matchesAt(bytes: Uint8Array, offset: number, literal: Uint8Array): boolean {
  for (let index = 0; index < literal.length; index++) if (bytes[offset + index] !== literal[index]) return false;
  return true;
}

function endOfPlainText(bytes: Uint8Array, start: number): number {
  let offset = start;
  for (let byte = bytes[offset]; byte !== undefined && isPlain(byte); byte = bytes[offset]) offset++;
  return offset;
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== QUOTE && byte !== BACKSLASH;
}
