import type { Context } from 'fabric-contract-api';
import type { Iterators } from 'fabric-shim';
import type { HistoryEntry, StateEntry, TransactionContext, WorldState } from '../contract/world-state.js';

/** What fabric-shim offers to one transaction. */
export type Stub = Pick<
  Context['stub'],
  'getState' | 'putState' | 'deleteState' | 'getStateByRange' | 'getHistoryForKey' | 'getTxID' | 'getTxTimestamp'
>;

/**
 * The world state as a peer gives it to one transaction. Writes are not seen by later reads of the same transaction: a
 * peer reads what is committed.
 */
export class PeerState implements WorldState {
  readonly #stub: Stub;

  constructor(stub: Stub) {
    this.#stub = stub;
  }

  async getState(key: string): Promise<Uint8Array | undefined> {
    const value = await this.#stub.getState(key);
    // A peer answers with no bytes for an absent key.
    return value.length === 0 ? undefined : value;
  }

  putState(key: string, value: Uint8Array): Promise<void> {
    return this.#stub.putState(key, value);
  }

  deleteState(key: string): Promise<void> {
    return this.#stub.deleteState(key);
  }

  async getStateRange(start: string, end: string, limit: number): Promise<readonly StateEntry[]> {
    // The query with pages is refused in transactions that write; this one is cut short by closing it.
    const iterator = await this.#stub.getStateByRange(start, end);
    const entries = await take(iterator, limit);
    return entries.map(({ key, value }) => ({ key, value }));
  }

  async getHistory(key: string): Promise<readonly HistoryEntry[]> {
    const changes = await take(await this.#stub.getHistoryForKey(key), Infinity);
    return changes.map((change) => ({
      transactionId: change.txId,
      timestamp: isoTime(change.timestamp),
      value: change.isDelete ? undefined : change.value,
    }));
  }
}

/** The transaction that the peer runs. */
export function transactionContext(stub: Stub): TransactionContext {
  return { transactionId: stub.getTxID(), timestamp: isoTime(stub.getTxTimestamp()) };
}

async function take<T>(iterator: Iterators.CommonIterator<T>, limit: number): Promise<T[]> {
  const taken: T[] = [];
  try {
    while (taken.length < limit) {
      const { value, done } = await iterator.next();
      if (done) break;
      taken.push(value);
    }
  } finally {
    await iterator.close();
  }
  return taken;
}

/** Milliseconds are kept, as the embedded ledger keeps them. */
function isoTime({ seconds, nanos }: { readonly seconds: { toString(): string }; readonly nanos: number }): string {
  // The shim gives seconds as a Long here and as a number there; both write themselves in digits.
  return new Date(Number(seconds.toString()) * 1000 + Math.trunc(nanos / 1e6)).toISOString();
}
