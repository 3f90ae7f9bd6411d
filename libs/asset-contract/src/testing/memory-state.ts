import type { HistoryEntry, MaybePromise, StateEntry, WorldState } from '../contract/world-state.js';

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** A state in memory for tests; `wait: true` makes it answer with promises, as a peer does. */
export class MemoryState implements WorldState {
  /** How many entries each range read was asked for. */
  readonly rangeLimits: number[] = [];
  readonly #entries = new Map<string, Uint8Array>();
  readonly #history = new Map<string, HistoryEntry[]>();
  readonly #wait: boolean;
  #writes = 0;

  constructor(options: { readonly wait?: boolean } = {}) {
    this.#wait = options.wait ?? false;
  }

  /** How many writes and deletions there were. */
  get writes(): number {
    return this.#writes;
  }

  getState(key: string): MaybePromise<Uint8Array | undefined> {
    return this.#answer(this.#entries.get(key));
  }

  putState(key: string, value: Uint8Array): MaybePromise<void> {
    this.#entries.set(key, value);
    this.#record(key, value);
    return this.#answer(undefined);
  }

  deleteState(key: string): MaybePromise<void> {
    this.#entries.delete(key);
    this.#record(key, undefined);
    return this.#answer(undefined);
  }

  getStateRange(start: string, end: string, limit: number): MaybePromise<readonly StateEntry[]> {
    this.rangeLimits.push(limit);
    const found = this.keys()
      .filter((key) => Buffer.compare(utf8.encode(key), utf8.encode(start)) >= 0)
      .filter((key) => end === '' || Buffer.compare(utf8.encode(key), utf8.encode(end)) < 0)
      .slice(0, limit)
      .map((key) => ({ key, value: this.#entries.get(key) ?? new Uint8Array() }));
    return this.#answer(found);
  }

  getHistory(key: string): MaybePromise<readonly HistoryEntry[]> {
    return this.#answer(this.#history.get(key)?.toReversed() ?? []);
  }

  /** All keys in byte order of their UTF-8. */
  keys(): string[] {
    return [...this.#entries.keys()].sort((a, b) => Buffer.compare(utf8.encode(a), utf8.encode(b)));
  }

  /** Puts a record there as if another contract had written it. */
  seed(key: string, value: string): void {
    this.#entries.set(key, utf8.encode(value));
  }

  /** The stored record as text. */
  stored(key: string): string | undefined {
    const value = this.#entries.get(key);
    return value && text.decode(value);
  }

  #record(key: string, value: Uint8Array | undefined): void {
    this.#writes++;
    const entry = { transactionId: `tx${this.#writes}`, timestamp: '2026-01-02T03:04:05.000Z', value };
    this.#history.set(key, [...(this.#history.get(key) ?? []), entry]);
  }

  #answer<T>(value: T): MaybePromise<T> {
    return this.#wait ? Promise.resolve(value) : value;
  }
}
