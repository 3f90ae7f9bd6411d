import { decodeBlock, keyChanges } from '#fabric-codec';
import type { LedgerBlock } from '#ledger-gateway';
import { blocksBelow } from './chain-reader.js';

/** Blocks that {@link previousKeys} reads concurrently. */
const AHEAD = 8;

/** Blocks that are searched for keys that no index has, at most: each event of such a key could cost the whole chain. */
const MAX_SEARCHED = 1000;

/** Where {@link previousKeys} looks keys up. */
export interface KeySource {
  readonly chaincode: string;
  /** Returns a block by its number, or undefined if it is unavailable. */
  readonly read: (number: number) => Promise<LedgerBlock | undefined>;
  /** Returns whether a key existed after a block by an index; undefined if no index has that block. */
  readonly existedAt?: ((key: string, block: number) => Promise<boolean | undefined>) | undefined;
}

/**
 * Finds which keys of a chaincode existed before a block. Needed for keys that a transaction wrote without reading them
 * (InitLedger of fabric-samples), because its block does not record it. Our own contract reads before it writes. An index
 * answers exactly. Without one the older blocks are searched, newest first, until each key is found, but no more than
 * {@link MAX_SEARCHED}: a key that was last written before them counts as new.
 */
export async function previousKeys(
  keys: ReadonlySet<string>,
  before: number,
  source: KeySource,
): Promise<ReadonlySet<string>> {
  const missing = new Set(keys);
  const existing = new Set<string>();
  for (const key of before > 0 ? keys : []) {
    const existed = await source.existedAt?.(key, before - 1);
    // An index without the block has it for no key.
    if (existed === undefined) break;
    missing.delete(key);
    if (existed) existing.add(key);
  }
  if (missing.size === 0) return existing;
  return new Set([...existing, ...(await searchedKeys(missing, before, source))]);
}

/** Searches the blocks before that one, newest first; `missing` is changed. */
async function searchedKeys(
  missing: Set<string>,
  before: number,
  { chaincode, read }: KeySource,
): Promise<ReadonlySet<string>> {
  const existing = new Set<string>();
  const chain = { height: () => before, block: read, ahead: AHEAD };
  for await (const { bytes } of blocksBelow(chain, before, MAX_SEARCHED)) {
    // Keys appear unencoded in a block: one that does not contain their bytes need not be decoded.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (![...missing].some((key) => text.includes(key))) continue;
    for (const [key, exists] of lastWrites(bytes, chaincode)) {
      if (missing.delete(key) && exists) existing.add(key);
    }
    if (missing.size === 0) break;
  }
  return existing;
}

/** Returns whether each key that a block writes exists after it. */
function lastWrites(bytes: Uint8Array, chaincode: string): ReadonlyMap<string, boolean> {
  const last = new Map<string, boolean>();
  for (const transaction of keyChanges(decodeBlock(bytes), chaincode)) {
    for (const { key, value } of transaction?.changes ?? []) last.set(key, value !== undefined);
  }
  return last;
}
