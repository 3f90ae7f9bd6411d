import type { KeyRead, Version } from '../../../fabric-blocks/encode/key-read.js';
import type { ReplayState } from '../../../fabric-blocks/verify/replay/replay-state.js';
import type { StoredState, StoreReader } from '../store/store-reader.js';

/** Keys read from the store at once. */
const PAGE = 1000;

/**
 * The replayed state of a chain, kept in tables that are written block by block beside the verifier: a chain of any length
 * is verified in constant memory.
 */
export class StoreReplayState implements ReplayState {
  readonly #reader: StoreReader;
  readonly #chaincode: string;
  /** Transactions of the block under way, which are not in the tables yet. */
  readonly #seen = new Set<string>();

  constructor(reader: StoreReader, chaincode: string) {
    this.#reader = reader;
    this.#chaincode = chaincode;
  }

  /** The tables hold the block that was verified. */
  blockIsWritten(): void {
    this.#seen.clear();
  }

  version(namespace: string, key: string): Version | undefined {
    // The ledger's blocks write in one namespace alone: whoever derives the tables from them refuses any other.
    return namespace === this.#chaincode ? versionOf(this.#reader.state(key)) : undefined;
  }

  setVersion(): void {
    // It comes into the tables with the rest of its block.
  }

  *range(namespace: string, start: string, end: string): Generator<KeyRead> {
    if (namespace !== this.#chaincode) return;
    for (let from = start; ;) {
      const page = this.#reader.range(from, end, PAGE);
      for (const state of page) yield { key: state.key, version: versionOf(state) };
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      // The smallest key above another is that key with a NUL behind it.
      from = `${last.key}\u0000`;
    }
  }

  addTransaction(transactionId: string): boolean {
    if (this.#seen.has(transactionId)) return false;
    this.#seen.add(transactionId);
    return this.#reader.transaction(Buffer.from(transactionId, 'hex')) === undefined;
  }
}

function versionOf(state: StoredState | undefined): Version | undefined {
  if (state === undefined || state.value === null) return undefined;
  return { blockNumber: state.block, transactionNumber: state.position };
}
