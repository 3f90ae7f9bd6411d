import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ContractError, decideOn, type StateReader } from '#contract-kit';
import { runOnPeer, type Stub } from '#contract-kit/peer';
import { MemoryState } from '#contract-kit/testing';
import { ASSET_CONTRACT } from '../contract/contract.js';

/** What one call asks of a state and what becomes of it, in order. */
interface RecordedCall {
  readonly state: string;
  readonly name: string;
  readonly args: readonly string[];
  readonly reads?: readonly string[];
  readonly ranges?: readonly (readonly [start: string, end: string, limit: number])[];
  readonly histories?: readonly string[];
  readonly writes?: readonly (readonly [key: string, value: string | null])[];
  /** The text, or its digest where it is long. */
  readonly payload?: string;
  readonly refusal?: string;
}

interface Recording {
  readonly states: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly calls: readonly RecordedCall[];
}

/**
 * Recorded while the functions of the contract still asked their state one by one. Peers with either program endorse one
 * transaction, so none of this may ever change for a call that is recorded (a refusal, which no block holds, may name more
 * functions).
 */
const { states, calls } = JSON.parse(readFileSync('test/fixtures/contract-calls.json', 'utf8')) as Recording;

const CAR = '{"ID":"car","appraisedValue":"900","color":"teal","owner":"Ada","size":"7"}';
const many = Object.fromEntries(Array.from({ length: 2001 }, (_, n) => [`k${n}`, CAR.replace('car', `k${n}`)]));
const utf8 = new TextDecoder();

/** Entries of one kind each, in the order in which the state was asked. */
type Trace = Record<'reads' | 'ranges' | 'histories' | 'writes', unknown[]>;

/** A recorded state that notes what it is asked. */
class TracedState implements StateReader {
  readonly trace: Trace = { reads: [], ranges: [], histories: [], writes: [] };
  readonly #state = new MemoryState();
  readonly #stored: Readonly<Record<string, string>>;

  constructor(name: string) {
    this.#stored = { ...states, many }[name] ?? {};
    for (const [key, value] of Object.entries(this.#stored)) this.#state.seed(key, value);
  }

  value(key: string): Uint8Array | undefined {
    this.trace.reads.push(key);
    return this.#state.value(key);
  }

  range(query: Parameters<MemoryState['range']>[0]): ReturnType<MemoryState['range']> {
    this.trace.ranges.push([query.start, query.end, query.limit]);
    return this.#state.range(query);
  }

  history(key: string): ReturnType<MemoryState['history']> {
    this.trace.histories.push(key);
    const value = this.#state.value(key);
    if (value === undefined) return [];
    return [
      { transactionId: 't2', timestamp: '2026-01-02T03:04:05.000Z', value: undefined },
      { transactionId: 't1', timestamp: '2026-01-02T03:04:04.000Z', value },
    ];
  }

  write(key: string, value: Uint8Array | undefined): Promise<void> {
    this.trace.writes.push([key, value === undefined ? null : utf8.decode(value)]);
    return Promise.resolve();
  }
}

/** The shim's calls on a traced state. */
function stubOn(state: TracedState): Stub {
  const iterator = (results: readonly object[]): never => {
    let next = 0;
    const closed = Promise.resolve();
    return Promise.resolve({
      next: () => Promise.resolve({ value: results[next], done: next++ >= results.length }),
      close: () => closed,
    }) as never;
  };
  return {
    getTxID: () => 'tx1',
    getTxTimestamp: () => ({ seconds: 1_767_323_045, nanos: 0 }) as never,
    getState: (key) => Promise.resolve(state.value(key) ?? new Uint8Array()),
    putState: (key, value) => state.write(key, value),
    deleteState: (key) => state.write(key, undefined),
    setEvent: () => undefined,
    // The peer's ranges have no limit.
    getStateByRange: (start, end) => iterator(state.range({ start, end, limit: Infinity })),
    getHistoryForKey: (key) =>
      iterator(
        state.history(key).map(({ transactionId, timestamp, value }) => ({
          txId: transactionId,
          timestamp: { seconds: Date.parse(timestamp) / 1000, nanos: 0 },
          isDelete: value === undefined,
          value: value ?? new Uint8Array(),
        })),
      ),
  };
}

/** As it was recorded. */
async function outcomeOf(state: TracedState, run: () => Promise<Uint8Array>): Promise<object> {
  let end: object;
  try {
    const payload = utf8.decode(await run());
    const digest = `sha256:${createHash('sha256').update(payload).digest('hex')}`;
    end = { payload: payload.length > 2000 ? digest : payload };
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    end = { refusal: error.message };
  }
  return { ...end, ...Object.fromEntries(Object.entries(state.trace).filter(([, asked]) => asked.length > 0)) };
}

describe.each(calls)('$name($args) on $state', ({ state: name, name: functionName, args, ...recorded }) => {
  it('does at once what was recorded', async () => {
    const state = new TracedState(name);
    const run = async (): Promise<Uint8Array> => {
      const { writes, payload } = decideOn(state, ASSET_CONTRACT.prepare(functionName, args));
      for (const { key, value } of writes) await state.write(key, value);
      return payload;
    };
    expect(await outcomeOf(state, run)).toEqual(recorded);
  });

  it('does it on a peer', async () => {
    const state = new TracedState(name);
    const unlimited = recorded.ranges?.map(([start, end]) => [start, end, Infinity]);
    expect(await outcomeOf(state, () => runOnPeer(ASSET_CONTRACT, stubOn(state), functionName, args))).toEqual({
      ...recorded,
      ...(unlimited && { ranges: unlimited }),
    });
  });
});
