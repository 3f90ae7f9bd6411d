import type { Context } from 'fabric-contract-api';
import type { Iterators } from 'fabric-shim';
import {
  HistoryChoice,
  type Evaluation,
  type Found,
  type HistoryEntry,
  type HistoryQuery,
  type RangeQuery,
  type StateEntry,
  type StoredValue,
  type Write,
} from '../contract/contract-function.js';
import { prepare } from '../contract/contract.js';

/** What fabric-shim offers to one transaction. */
export type Stub = Pick<
  Context['stub'],
  'getState' | 'putState' | 'deleteState' | 'getStateByRange' | 'getHistoryForKey'
>;

/**
 * Runs one call as a transaction of a peer, which records what is read and written. Reads see what is committed.
 * @returns the response payload
 * @throws {@link ContractError} when the contract refuses; what the peer throws passes through
 */
export async function runOnPeer(stub: Stub, functionName: string, args: readonly string[]): Promise<Uint8Array> {
  const call = prepare(functionName, args);
  if ('evaluation' in call) return evaluate(stub, call.evaluation);
  const stored: StoredValue[] = [];
  for (const key of call.reads) stored.push(await valueOf(stub, key));
  const { writes, payload } = call.decide(stored);
  for (const write of writes) await make(stub, write);
  return payload;
}

async function evaluate(stub: Stub, evaluation: Evaluation): Promise<Uint8Array> {
  let step = evaluation.next([]);
  while (step.done !== true) {
    const query = step.value;
    const found: Found = 'historyOf' in query ? await history(stub, query) : await range(stub, query);
    step = evaluation.next(found);
  }
  return step.value;
}

async function valueOf(stub: Stub, key: string): Promise<StoredValue> {
  const value = await stub.getState(key);
  // A peer answers with no bytes for an absent key.
  return value.length === 0 ? undefined : value;
}

function make(stub: Stub, { key, value }: Write): Promise<void> {
  return value === undefined ? stub.deleteState(key) : stub.putState(key, value);
}

async function range(stub: Stub, { start, end, limit }: RangeQuery): Promise<readonly StateEntry[]> {
  // The query with pages is refused in transactions that write; this one is cut short by closing it.
  const entries: StateEntry[] = [];
  await each(await stub.getStateByRange(start, end), ({ key, value }) => {
    entries.push({ key, value });
    return entries.length < limit;
  });
  return entries;
}

async function history(stub: Stub, query: HistoryQuery): Promise<readonly HistoryEntry[]> {
  const choice = new HistoryChoice(query);
  await each(await stub.getHistoryForKey(query.historyOf), (change) => {
    const value = change.isDelete ? undefined : change.value;
    choice.add({ transactionId: change.txId, timestamp: isoTime(change.timestamp), value });
    return choice.isOpen;
  });
  return choice.chosen;
}

/** Goes on while `use` wants more. */
async function each<T>(iterator: Iterators.CommonIterator<T>, use: (found: T) => boolean): Promise<void> {
  try {
    for (;;) {
      const { value, done } = await iterator.next();
      if (done || !use(value)) return;
    }
  } finally {
    await iterator.close();
  }
}

/** Milliseconds are kept, as the embedded ledger keeps them. */
function isoTime({ seconds, nanos }: { readonly seconds: { toString(): string }; readonly nanos: number }): string {
  // The shim gives seconds as a Long here and as a number there; both write themselves in digits.
  return new Date(Number(seconds.toString()) * 1000 + Math.trunc(nanos / 1e6)).toISOString();
}
