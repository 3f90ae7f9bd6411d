import { parseLossless } from './lossless-json.js';
import { ContractError } from './rules.js';

// The only place that defines an asset's JSON: stored, in a list, in a page; for the contract, for the programs that run it
// and for its callers.

/** An asset as the ledger holds it: all values are text. */
export interface Asset {
  readonly ID: string;
  readonly appraisedValue: string;
  readonly color: string;
  readonly owner: string;
  readonly size: string;
}

/** One page of assets as a call gave it. */
export interface AssetsPage {
  /** JSON array of the assets in UTF-8. Not shared: the caller may overwrite it. */
  readonly array: Uint8Array;
  /** Gives the next page; empty when there is none. */
  readonly bookmark: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSING_BRACE = 0x7d;
const COMMA = encoder.encode(',');
/** The text around the five values of the stored form. */
const FRAME = ['{"ID":"', '","appraisedValue":"', '","color":"', '","owner":"', '","size":"', '"}'].map((text) =>
  encoder.encode(text),
);
const PAGE_HEAD = encoder.encode('{"assets":[');
/** Within a string its quotes would be escaped, so the last one is the page's own. */
const PAGE_TAIL = encoder.encode('],"bookmark":');

/** The stored form: JSON with the five keys in this order, no spaces, as UTF-8. Same asset, same bytes, on every peer. */
export function encodeAsset({ ID, appraisedValue, color, owner, size }: Asset): Uint8Array {
  return encoder.encode(JSON.stringify({ ID, appraisedValue, color, owner, size }));
}

/**
 * Reads an asset in this contract's form or in that of fabric-samples' asset-transfer-basic, which stores numbers and
 * writes keys with a capital (`Color`, `AppraisedValue`). Numbers become their text, digit by digit; a field that is missing or null
 * (what the samples make of Infinity) becomes the empty text.
 * @returns undefined when the bytes are no JSON object with an ID and scalar fields
 */
export function readAsset(bytes: Uint8Array): Asset | undefined {
  try {
    return assetOf(parseLossless(decoder.decode(bytes)));
  } catch {
    return undefined;
  }
}

/** The same as {@link readAsset}, for JSON that {@link parseLossless} parsed. */
export function assetOf(value: unknown): Asset | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const record = value as Record<string, unknown>;
  if (record['ID'] === undefined) return undefined;
  const ID = fieldText(record, 'ID', 'ID');
  const appraisedValue = fieldText(record, 'appraisedValue', 'AppraisedValue');
  const color = fieldText(record, 'color', 'Color');
  const owner = fieldText(record, 'owner', 'Owner');
  const size = fieldText(record, 'size', 'Size');
  const fields = { ID, appraisedValue, color, owner, size };
  return Object.values(fields).includes(undefined) ? undefined : (fields as Asset);
}

/**
 * A record in the stored form of this contract: the same array if it already has that form, which one pass detects
 * without parsing.
 * @returns undefined when the record is no asset
 */
export function canonicalAsset(stored: Uint8Array): Uint8Array | undefined {
  if (isCanonical(stored)) return stored;
  const asset = readAsset(stored);
  return asset && encodeAsset(asset);
}

/**
 * What a call gave for an asset, as JSON text in the stored form.
 * @throws {@link ContractError} NOT_AN_ASSET
 */
export function assetText(stored: Uint8Array): string {
  const canonical = canonicalAsset(stored);
  if (canonical === undefined) throw new ContractError('NOT_AN_ASSET', 'the stored record is not an asset');
  return decoder.decode(canonical);
}

/** A JSON array of assets that are in the stored form. */
export function encodeList(assets: readonly Uint8Array[]): Uint8Array {
  return join(encoder.encode('['), assets, encoder.encode(']'));
}

/** One page of assets that are in the stored form, `{"assets":[…],"bookmark":"…"}`. */
export function encodePage(assets: readonly Uint8Array[], bookmark: string): Uint8Array {
  return join(PAGE_HEAD, assets, PAGE_TAIL, encoder.encode(`${JSON.stringify(bookmark)}}`));
}

/**
 * Reads what {@link encodePage} made. The assets stay the bytes they are: made into text or objects, a whole list would
 * be made only to be written again, and what that leaves behind is most of what a process grows by meanwhile.
 * @param isUtf8 - whether bytes are UTF-8, as `node:buffer` has it
 * @throws `TypeError` for anything that is not `{"assets":[…],"bookmark":"…"}`
 */
export function readPage(page: Uint8Array, isUtf8: (bytes: Uint8Array) => boolean): AssetsPage {
  const close = lastIndexOf(page, PAGE_TAIL);
  const isPage = matchesAt(page, 0, PAGE_HEAD) && close >= PAGE_HEAD.length && page.at(-1) === CLOSING_BRACE;
  if (!isPage || !isUtf8(page)) throw new TypeError('The contract gave something else than a page of assets.');
  const bookmark: unknown = JSON.parse(decoder.decode(page.subarray(close + PAGE_TAIL.length, -1)));
  if (typeof bookmark !== 'string') throw new TypeError('The contract gave a page of assets without a bookmark.');
  return { array: page.subarray(PAGE_HEAD.length - 1, close + 1), bookmark };
}

/** Undefined for what no contract of assets writes into a field: an object or an array. */
function fieldText(record: Record<string, unknown>, name: string, capitalised: string): string | undefined {
  const value = record[name] ?? record[capitalised] ?? '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? undefined : JSON.stringify(value);
}

/** Whether the bytes are the stored form and hold nothing that JSON escapes. */
function isCanonical(bytes: Uint8Array): boolean {
  let offset = 0;
  let isFirst = true;
  let isAscii = true;
  // Not by `entries()`, which leaves an array for each literal of each asset of a list.
  for (const literal of FRAME) {
    if (!isFirst) {
      for (let byte = bytes[offset]; byte !== undefined && isUnescaped(byte); byte = bytes[++offset]) {
        if (byte >= 0x80) isAscii = false;
      }
    }
    if (!matchesAt(bytes, offset, literal)) return false;
    offset += literal.length;
    isFirst = false;
  }
  return offset === bytes.length && (isAscii || isText(bytes));
}

function isUnescaped(byte: number): boolean {
  return byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH;
}

function isText(bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function matchesAt(bytes: Uint8Array, offset: number, literal: Uint8Array): boolean {
  for (let index = 0; index < literal.length; index++) if (bytes[offset + index] !== literal[index]) return false;
  return true;
}

/** Where the last of these literals begins; -1 when there is none. */
function lastIndexOf(bytes: Uint8Array, literal: Uint8Array): number {
  let offset = bytes.length - literal.length;
  while (offset >= 0 && !matchesAt(bytes, offset, literal)) offset--;
  return Math.max(offset, -1);
}

/** Joins records with commas, between a prefix and a suffix. */
function join(before: Uint8Array, records: readonly Uint8Array[], ...behind: readonly Uint8Array[]): Uint8Array {
  const parts: Uint8Array[] = [before];
  for (const record of records) {
    if (parts.length > 1) parts.push(COMMA);
    parts.push(record);
  }
  parts.push(...behind);
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
