import { Buffer, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { ContractError } from '#contract-kit';
import { parseLossless } from './lossless-json.js';

// The only place that defines an asset's JSON: stored, in a list, in a page; for the contract, for the programs that run it
// and for its callers.

/** An asset as the ledger stores it: all values are text. */
export interface Asset {
  readonly ID: string;
  readonly appraisedValue: string;
  readonly color: string;
  readonly owner: string;
  readonly size: string;
}

/** One page of assets in the response of a call. */
export interface AssetsPage {
  /** JSON array of the assets in UTF-8. Not shared: the caller may overwrite it. */
  readonly array: Uint8Array;
  /** Requests the next page; empty when there is none. */
  readonly bookmark: string;
}

/** The stored form without characters that JSON escapes, in UTF-8 read as Latin-1. */
const CANONICAL = new RegExp(
  `^{${['ID', 'appraisedValue', 'color', 'owner', 'size'].map((name) => String.raw`"${name}":"[^"\\\x00-\x1f]*"`).join()}}$`,
);
const PAGE_HEAD = '{"assets":[';
/** Within a string its quotes would be escaped, so the last one is the page's own. */
const PAGE_TAIL = '],"bookmark":';

/** Encodes the stored form: JSON with the five keys in this order, no spaces, as UTF-8. Same asset, same bytes, on every peer. */
export function encodeAsset({ ID, appraisedValue, color, owner, size }: Asset): Uint8Array {
  return Buffer.from(JSON.stringify({ ID, appraisedValue, color, owner, size }));
}

/** Identifies a version of an asset: SHA-256 of its stored form, as bytes or text, in base64url, 43 characters. */
export function assetDigest(asset: Uint8Array | string): string {
  // Not by crypto.hash: a peer may run the contract on a Node without it.
  return createHash('sha256').update(asset).digest('base64url');
}

/**
 * Reads an asset in this contract's form or in that of fabric-samples' asset-transfer-basic, which stores numbers and
 * writes keys with a capital (`Color`, `AppraisedValue`). Numbers become their text, digit by digit; a field that is missing or null
 * (as the samples write Infinity) becomes the empty text.
 * @returns undefined when the bytes are not a JSON object with an ID and scalar fields
 */
export function readAsset(bytes: Uint8Array): Asset | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    return assetOf(parseLossless(textOf(bytes)));
  } catch {
    return undefined;
  }
}

/** Does the same as {@link readAsset} for JSON that {@link parseLossless} parsed. */
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

/** Returns undefined for an object or an array, which no contract of assets writes into a field. */
function fieldText(record: Record<string, unknown>, name: string, capitalised: string): string | undefined {
  const value = record[name] ?? record[capitalised] ?? '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? undefined : JSON.stringify(value);
}

/**
 * Returns a record in the stored form of this contract: the same array if it already has that form, which is detected without
 * parsing.
 * @returns undefined when the record is not an asset
 */
export function canonicalAsset(stored: Uint8Array): Uint8Array | undefined {
  if (CANONICAL.test(bufferOf(stored).toString('latin1')) && isUtf8(stored)) return stored;
  const asset = readAsset(stored);
  return asset && encodeAsset(asset);
}

/**
 * Returns the asset in a response as JSON text in the stored form.
 * @throws {@link ContractError} NOT_AN_ASSET
 */
export function assetText(stored: Uint8Array): string {
  const canonical = canonicalAsset(stored);
  if (canonical === undefined) throw new ContractError('NOT_AN_ASSET', 'the stored record is not an asset');
  return textOf(canonical);
}

/** Encodes a JSON array of assets that are in the stored form. */
export function encodeList(assets: readonly Uint8Array[]): Uint8Array {
  return join('[', assets, ']');
}

/** Encodes one page of assets that are in the stored form, `{"assets":[…],"bookmark":"…"}`. */
export function encodePage(assets: readonly Uint8Array[], bookmark: string): Uint8Array {
  return join(PAGE_HEAD, assets, `${PAGE_TAIL}${JSON.stringify(bookmark)}}`);
}

/**
 * Reads the result of {@link encodePage}. The assets remain bytes: parsing a whole list only to write it again would be most
 * of the garbage of a process.
 * @throws `TypeError` for anything that is not `{"assets":[…],"bookmark":"…"}`
 */
export function readPage(bytes: Uint8Array): AssetsPage {
  const page = bufferOf(bytes);
  const close = page.lastIndexOf(PAGE_TAIL);
  const isEnded = close >= PAGE_HEAD.length && page.at(-1) === '}'.charCodeAt(0);
  const isPage = page.toString('latin1', 0, PAGE_HEAD.length) === PAGE_HEAD && isEnded;
  if (!isPage || !isUtf8(page)) throw new TypeError('The contract returned something else than a page of assets.');
  const bookmark: unknown = JSON.parse(page.toString('utf8', close + PAGE_TAIL.length, page.length - 1));
  if (typeof bookmark !== 'string') throw new TypeError('The contract returned a page of assets without a bookmark.');
  return { array: bytes.subarray(PAGE_HEAD.length - 1, close + 1), bookmark };
}

/** Joins records with commas, between a prefix and a suffix. */
function join(before: string, records: readonly Uint8Array[], after: string): Uint8Array {
  const comma = Buffer.from(',');
  const separated = records.flatMap((record, index) => (index === 0 ? [record] : [comma, record]));
  return Buffer.concat([Buffer.from(before), ...separated, Buffer.from(after)]);
}

/** Wraps bytes without copying them. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function textOf(bytes: Uint8Array): string {
  return bufferOf(bytes).toString();
}
