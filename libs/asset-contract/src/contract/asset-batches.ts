import { Buffer } from 'node:buffer';
import {
  ContractError,
  requireId,
  requireValue,
  type Arguments,
  type DecidingCall,
  type Decision,
  type StoredValue,
} from '#contract-kit';
import { encodeAsset, type Asset } from './asset.js';
import { alreadyExists } from './rules.js';

/** Maximum number of assets in one call of CreateAssets. */
export const MAX_BATCH_ASSETS = 500;

/** An asset that a call of CreateAssets refused. */
export interface RefusedAsset {
  /** Its index in the argument, from 0 on. */
  readonly index: number;
  readonly code: string;
  readonly reason: string;
}

/** The response of CreateAssets, as JSON. */
export interface BatchResult {
  /** The number of assets that were created. */
  readonly created: number;
  /** In the order of the argument. */
  readonly refused: readonly RefusedAsset[];
}

/** An asset of a batch, or why it is refused whatever is stored. */
type Entry = Asset | ContractError;

const FIELDS = ['ID', 'color', 'size', 'owner', 'appraisedValue'] as const;

/** Encodes the argument of CreateAssets: a JSON array of assets. */
export function encodeBatch(assets: readonly Asset[]): string {
  return `[${assets.map((asset) => Buffer.from(encodeAsset(asset)).toString()).join()}]`;
}

/**
 * Reads the response of CreateAssets.
 * @throws `TypeError` for anything else
 */
export function readBatchResult(payload: Uint8Array): BatchResult {
  const result = parsed(Buffer.from(payload).toString()) as Partial<BatchResult> | null | undefined;
  if (typeof result?.created === 'number' && Array.isArray(result.refused)) return result as BatchResult;
  throw new TypeError('The contract returned something else than the result of a batch.');
}

/**
 * Creates up to {@link MAX_BATCH_ASSETS} assets in one transaction, with the effects of as many calls of CreateAsset in the
 * order of the argument: an asset that is refused refuses no other, and of two assets with one id the second is refused.
 * Reads and writes are in byte order of the keys, in which a sorted store is fastest.
 * @param assets - see {@link encodeBatch}
 * @throws {@link ContractError} INVALID_ARGUMENT when the argument is not a JSON array of 1 to 500 elements
 */
export function createAssets([assets]: readonly [assets: string]): DecidingCall {
  const entries = elementsOf(assets).map(entryOf);
  const ids = entries.flatMap((entry) => (entry instanceof ContractError ? [] : entry.ID));
  const reads = sortedKeys([...new Set(ids)]);
  return { reads, decide: (stored) => decide(entries, reads, stored) };
}

/** The source of the assets of a migrated ledger. */
export interface Origin {
  readonly channel: string;
  /** Number of blocks. */
  readonly height: number;
  /** Hexadecimal hash of the newest block's header. */
  readonly headHash: string;
  /** SHA-256 of the certificate of its authority in DER, hexadecimal. */
  readonly authority: string;
}

/** Returns the arguments of RecordOrigin. */
export function originArguments({ channel, height, headHash, authority }: Origin): readonly string[] {
  return [channel, String(height), headHash, authority];
}

const SHA_256 = /^[0-9a-f]{64}$/;

/**
 * Records the source of a migrated ledger: in the transaction, whose arguments the chain contains. It changes no state.
 * @throws {@link ContractError} INVALID_ARGUMENT
 */
export function recordOrigin([channel, height, headHash, authority]: Arguments<
  readonly ['channel', 'height', 'headHash', 'authority']
>): DecidingCall {
  requireForm('channel', channel, /^[a-z][a-z0-9.-]{0,248}$/);
  requireForm('height', height, /^[1-9][0-9]{0,14}$/);
  requireForm('headHash', headHash, SHA_256);
  requireForm('authority', authority, SHA_256);
  return { reads: [], decide: () => ({ writes: [], payload: Buffer.alloc(0) }) };
}

function requireForm(name: string, value: string, form: RegExp): void {
  if (!form.test(value)) throw new ContractError('INVALID_ARGUMENT', `${name} must match ${form.source}`);
}

function decide(entries: readonly Entry[], reads: readonly string[], stored: readonly StoredValue[]): Decision {
  const taken = new Set(reads.filter((_, index) => stored[index] !== undefined));
  const created = new Map<string, Uint8Array>();
  const refused: RefusedAsset[] = [];
  for (const [index, entry] of entries.entries()) {
    if (entry instanceof ContractError || taken.has(entry.ID)) {
      const { code, reason } = entry instanceof ContractError ? entry : alreadyExists(entry.ID);
      refused.push({ index, code, reason });
    } else {
      taken.add(entry.ID);
      created.set(entry.ID, encodeAsset(entry));
    }
  }
  const writes = reads.flatMap((key) => (created.has(key) ? { key, value: created.get(key) } : []));
  const result: BatchResult = { created: created.size, refused };
  return { writes, payload: Buffer.from(JSON.stringify(result)) };
}

function elementsOf(assets: string): readonly unknown[] {
  const elements = parsed(assets);
  if (Array.isArray(elements) && elements.length >= 1 && elements.length <= MAX_BATCH_ASSETS) return elements;
  throw new ContractError('INVALID_ARGUMENT', `assets must be a JSON array of 1 to ${MAX_BATCH_ASSETS} assets`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function entryOf(element: unknown): Entry {
  if (!hasAllFields(element)) {
    return new ContractError('INVALID_ARGUMENT', `an asset must have the texts ${FIELDS.join(', ')}, and nothing else`);
  }
  try {
    requireId(element.ID);
    for (const name of FIELDS.slice(1)) requireValue(name, element[name]);
    return element;
  } catch (error) {
    return error as ContractError;
  }
}

function hasAllFields(element: unknown): element is Asset {
  if (typeof element !== 'object' || element === null) return false;
  const record = element as Readonly<Record<string, unknown>>;
  return Object.keys(record).length === FIELDS.length && FIELDS.every((name) => typeof record[name] === 'string');
}

/** Characters whose order in UTF-16 differs from that in UTF-8. */
const REORDERED = /[\ud800-\uffff]/;

/** Sorts keys in byte order of their UTF-8. */
function sortedKeys(keys: readonly string[]): readonly string[] {
  if (!keys.some((key) => REORDERED.test(key))) return keys.toSorted();
  return keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
