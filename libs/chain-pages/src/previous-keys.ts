import { decodeBlock, keyChanges } from '#fabric-codec';
import type { LedgerBlock } from '#ledger-gateway';
import { blocksBelow } from './chain-reader.js';

/** Blocks that {@link previousKeys} reads concurrently. */
const AHEAD = 8;

/**
 * Finds which keys of a chaincode existed before a block. Needed for keys that a transaction wrote without reading them
 * (InitLedger of fabric-samples), because its block does not record it. Our own contract reads before it writes. The older
 * blocks are searched, newest first, until each key is found: always correct, and as slow as the chain is long.
 * @param read - returns a block by its number, or undefined if it is unavailable
 */
export async function previousKeys(
  keys: ReadonlySet<string>,
  before: number,
  { chaincode, read }: Readonly<{ chaincode: string; read: (number: number) => Promise<LedgerBlock | undefined> }>,
): Promise<ReadonlySet<string>> {
  const missing = new Set(keys);
  const existing = new Set<string>();
  const chain = { height: () => before, block: read, ahead: AHEAD };
  for await (const { bytes } of blocksBelow(chain, before, before)) {
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
