import { join } from 'node:path';
import { blockHash, parseTreeEntry } from '#fabric-codec/encode';
import type { TreeConfig } from '#ledger-config';
import { LedgerError } from '#ledger-gateway';
import {
  isSameHash,
  isSignedByLog,
  parseCheckpoint,
  parseEntryBundle,
  TILE_WIDTH,
  tilePath,
  type VerifierKey,
} from '#tlog';
import { TreeState } from './tree-state.js';
import { TreeStore } from './tree-store.js';

/** The tree of another replica. */
export interface TreeToImport {
  readonly channel: string;
  readonly config: TreeConfig;
  /** The key that signs it. */
  readonly log: VerifierKey;
  /** Returns the content of a path below its prefix. */
  readonly fetch: (path: string) => Promise<Uint8Array>;
}

/**
 * Replaces the entries of a channel's tree by those of another replica. They are checked with its signed checkpoint, and each one
 * must name the block before by its hash. When the server starts, it compares the last one with the peer's block, and so all.
 * @returns the number of entries
 * @throws `LEDGER.TREE_INCOMPLETE` when they are not those of a chain and of the checkpoint; then there are none
 */
export async function importTree({ channel, config, log, fetch }: TreeToImport): Promise<number> {
  const state = TreeState.open(channel, config);
  const store = new TreeStore(join(state.directory, 'tree.db'));
  store.clear();
  try {
    const checkpoint = parseCheckpoint(Buffer.from(await fetch('checkpoint')).toString());
    if (!isSignedByLog(checkpoint, [log])) throw importError('its checkpoint is not signed by that key');
    let previous: Uint8Array = new Uint8Array();
    for (let next = 0; next < checkpoint.size; next = store.size) {
      const width = Math.min(checkpoint.size - next, TILE_WIDTH);
      const bundle = await fetch(tilePath({ level: 'entries', index: next / TILE_WIDTH, width }));
      const entries = parseEntryBundle(bundle) ?? [];
      if (entries.length !== width) throw importError(`the bundle of entry ${next} does not have ${width} entries`);
      previous = lastHash(entries, next, previous);
      store.append(entries);
    }
    if (!isSameHash(store.root(), checkpoint.root)) throw importError('its entries are not those of its checkpoint');
    return store.size;
  } catch (error) {
    store.clear();
    throw error;
  } finally {
    store.close();
    await state.close();
  }
}

/** Checks that entries are those of a chain, and returns the hash of the last block. */
function lastHash(entries: readonly Uint8Array[], first: number, before: Uint8Array): Uint8Array {
  let previous = before;
  for (const [index, bytes] of entries.entries()) {
    const header = parseTreeEntry(bytes)?.header;
    if (header?.number !== first + index || !isSameHash(header.previousHash, previous)) {
      throw importError(`entry ${first + index} does not continue the chain`);
    }
    previous = blockHash(header);
  }
  return previous;
}

function importError(reason: string): LedgerError {
  return new LedgerError('LEDGER.TREE_INCOMPLETE', `The tree cannot be imported: ${reason}.`);
}
