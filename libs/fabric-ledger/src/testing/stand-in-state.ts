import type { HistoryEntry } from '#contract-kit';
import type { KeyRead, KeyWrite, RangeRead, ReadWriteSet } from '#fabric-codec/encode';

/** A committed value and its version. */
export interface Versioned {
  readonly value: Uint8Array;
  readonly version: { readonly blockNumber: number; readonly transactionNumber: number };
}

/** The committed state of a chaincode. */
export class StandInState {
  readonly #values = new Map<string, Versioned>();
  readonly #history = new Map<string, HistoryEntry[]>();

  get(key: string): Versioned | undefined {
    return this.#values.get(key);
  }

  /** Returns keys with `start` ≤ key < `end` in byte order; an empty bound is no bound. */
  range(start: string, end: string, limit: number): readonly (readonly [string, Versioned])[] {
    return [...this.#values]
      .filter(([key]) => compare(key, start) >= 0 && (end === '' || compare(key, end) < 0))
      .sort(([a], [b]) => compare(a, b))
      .slice(0, limit);
  }

  history(key: string): readonly HistoryEntry[] {
    return this.#history.get(key)?.toReversed() ?? [];
  }

  write({ key, value }: KeyWrite, version: Versioned['version'], entry: Omit<HistoryEntry, 'value'>): void {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, { value, version });
    this.#history.set(key, [...(this.#history.get(key) ?? []), { ...entry, value }]);
  }

  /** Validates the reads of a transaction: returns TxValidationCode 0, 11 for a changed key, 12 for a changed range. */
  validate({ reads, rangeReads = [] }: ReadWriteSet): 0 | 11 | 12 {
    if (reads.some((read) => !this.#isAsRead(read))) return 11;
    return rangeReads.every((range) => this.#isRangeAsRead(range)) ? 0 : 12;
  }

  #isAsRead({ key, version }: KeyRead): boolean {
    const now = this.#values.get(key)?.version;
    return now?.blockNumber === version?.blockNumber && now?.transactionNumber === version?.transactionNumber;
  }

  #isRangeAsRead({ startKey, endKey, exhausted, reads }: RangeRead): boolean {
    const now = this.range(startKey, '', Infinity).filter(
      ([key]) => endKey === '' || (exhausted ? compare(key, endKey) < 0 : compare(key, endKey) <= 0),
    );
    return (
      now.length === reads.length && reads.every((read, index) => now[index]?.[0] === read.key && this.#isAsRead(read))
    );
  }
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
