import type { DerivedData } from '#chain-index';
import { blockHash, parseTreeEntry } from '#fabric-codec/encode';
import { LedgerError } from '#ledger-gateway';
import { TreeStore } from './tree-store.js';

/** The store of a channel's tree as data that follow its chain: one entry for each block. */
export class FollowedTree implements DerivedData {
  readonly store: TreeStore;
  /** The hash of the newest block; undefined until it is needed. */
  #newestHash: string | undefined;

  constructor(path: string) {
    this.store = new TreeStore(path);
  }

  get next(): number | undefined {
    return this.store.size === 0 ? undefined : this.store.size;
  }

  hashOf(block: number): string | undefined {
    const entry = this.store.entry(block);
    return entry && headerOf(entry).hash;
  }

  append(entries: readonly Uint8Array[]): boolean {
    const { size } = this.store;
    let newest = this.#newestHash ?? this.hashOf(size - 1) ?? '';
    for (const [index, entry] of entries.entries()) {
      const { number, previousHash, hash } = headerOf(entry);
      if (number !== size + index || previousHash !== newest) return false;
      newest = hash;
    }
    this.store.append(entries);
    this.#newestHash = newest;
    return true;
  }

  clear(): void {
    this.#newestHash = undefined;
    this.store.clear();
  }

  close(): void {
    this.store.close();
  }
}

function headerOf(entry: Uint8Array): {
  readonly number: number;
  readonly previousHash: string;
  readonly hash: string;
} {
  const header = parseTreeEntry(entry)?.header;
  if (header === undefined) throw new LedgerError('LEDGER.DAMAGED', 'An entry of the tree is damaged.');
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  return { number: header.number, previousHash: hex(header.previousHash), hash: hex(blockHash(header)) };
}
