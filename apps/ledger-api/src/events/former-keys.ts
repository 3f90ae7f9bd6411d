import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeBlock, keyChanges, type LedgerBlock } from '#ledger-gateway';

type ReadBlock = (number: number) => Promise<LedgerBlock | undefined>;

/**
 * Which keys were there before a block: for what was written by a transaction that had not read it, so that its block does not
 * tell (InitLedger of fabric-samples). The blocks before it are gone through from the newest on until each key was found or
 * there are no more: right, and as long as the chain is behind. Our own contract looks before it writes.
 */
export async function formerKeys(
  keys: ReadonlySet<string>,
  before: number,
  { chaincode, read }: Readonly<{ chaincode: string; read: ReadBlock }>,
): Promise<ReadonlySet<string>> {
  const sought = new Set(keys);
  const present = new Set<string>();
  for (let number = before - 1; number >= 0 && sought.size > 0; number--) {
    const block = await read(number);
    // A peer made from a snapshot has no older blocks.
    if (block === undefined) break;
    if (!holdsAny(block.bytes, sought)) continue;
    for (const [key, isThere] of lastWrites(block, chaincode)) {
      if (sought.delete(key) && isThere) present.add(key);
    }
    await nextTurn();
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
