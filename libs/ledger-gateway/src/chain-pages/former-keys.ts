import { decodeBlock } from '../fabric-blocks/decode/decode-block.js';
import { keyChanges } from '../fabric-blocks/describe/key-changes.js';
import type { LedgerBlock } from '../ports/ledger.port.js';
import { blocksBelow } from './chain-transactions.js';

/** Blocks that are asked for at once. */
const AHEAD = 8;

/**
 * Which keys of a chaincode were there before a block: for what a transaction wrote that had not read it, so that its block does not tell
 * (InitLedger of fabric-samples). The blocks before it are gone through from the newest on until each key was found or
 * there are no more: always right, and as long as the chain is behind. Our own contract looks before it writes.
 * @param read - gives the block of a number, or undefined where there is none: a peer made from a snapshot has no older ones
 */
export async function formerKeys(
  keys: ReadonlySet<string>,
  before: number,
  { chaincode, read }: Readonly<{ chaincode: string; read: (number: number) => Promise<LedgerBlock | undefined> }>,
): Promise<ReadonlySet<string>> {
  const sought = new Set(keys);
  const present = new Set<string>();
  const chain = { height: () => before, block: read, ahead: AHEAD };
  for await (const block of blocksBelow(chain, before, before)) {
    if (!holdsAny(block.bytes, sought)) continue;
    for (const [key, isThere] of lastWrites(block, chaincode)) {
      if (sought.delete(key) && isThere) present.add(key);
    }
    if (sought.size === 0) break;
  }
  return present;
}

/** Keys stand in a block as they are: one that does not hold their bytes need not be decoded. */
function holdsAny({ buffer, byteOffset, byteLength }: Uint8Array, keys: ReadonlySet<string>): boolean {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return [...keys].some((key) => bytes.includes(key));
}

/** Whether each key that a block writes is there behind it. */
function lastWrites({ bytes }: LedgerBlock, chaincode: string): ReadonlyMap<string, boolean> {
  const last = new Map<string, boolean>();
  for (const transaction of keyChanges(decodeBlock(bytes), chaincode)) {
    for (const { key, value } of transaction?.changes ?? []) last.set(key, value !== undefined);
  }
  return last;
}
