import type { StateReader } from '../contract.js';
import type { HistoryEntry, RangeQuery, StateEntry, StoredValue, Write } from '../contract-function.js';

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** A state in memory for tests. */
export class MemoryState implements StateReader {
  /** How many entries each range read was asked for. */
  readonly rangeLimits: number[] = [];
  readonly #entries = new Map<string, Uint8Array>();
  readonly #history = new Map<string, HistoryEntry[]>();
  #writes = 0;

  /** How many writes and deletions there were. */
  get writes(): number {
    return this.#writes;
  }

  value(key: string): StoredValue {
    return this.#entries.get(key);
  }

  range({ start, end, limit }: RangeQuery): readonly StateEntry[] {
    this.rangeLimits.push(limit);
    return this.keys()
      .filter((key) => compare(key, start) >= 0 && (end === '' || compare(key, end) < 0))
      .slice(0, limit)
      .map((key) => ({ key, value: this.#entries.get(key) ?? new Uint8Array() }));
  }

  history(key: string): readonly HistoryEntry[] {
    return this.#history.get(key)?.toReversed() ?? [];
  }

  /** Executes one write as a separate transaction. */
  write({ key, value }: Write): void {
    if (value === undefined) this.#entries.delete(key);
    else this.#entries.set(key, value);
    this.#writes++;
    const entry = { transactionId: `tx${this.#writes}`, timestamp: '2026-01-02T03:04:05.000Z', value };
    this.#history.set(key, [...(this.#history.get(key) ?? []), entry]);
  }

  /** All keys in byte order of their UTF-8. */
  keys(): string[] {
    return [...this.#entries.keys()].sort(compare);
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
}

function compare(a: string, b: string): number {
  return Buffer.compare(utf8.encode(a), utf8.encode(b));
}
