import { setTimeout as delay } from 'node:timers/promises';
import { isKeyBelow } from '#chain-pages';
import { isLedgerError } from '#ledger-gateway';

/** A thing that the two ledgers do not have alike. */
export interface Difference {
  /** Of an asset; `records/TYPE/ID` of a record, and `record-types/TYPE` of a type. */
  readonly id: string;
  /** `missing`: only the source has it; `additional`: only the target has it. */
  readonly kind: 'missing' | 'additional' | 'different';
  /** Why the target refused it. */
  readonly reason?: string | undefined;
}

/** The differences that a report lists. */
export const MAX_DIFFERENCES = 100;
const COMPARED_PER_REPORT = 1000;
/** Bytes of JSON in a batch: a transaction contains its content several times, and orderers accept 10 MiB by default. */
const MAX_BATCH_BYTES = 512 * 1024;
const RETRY_DELAY_MS = { first: 200, most: 5000 };

/** A stored thing of a ledger with its JSON text. */
export type StoredText = Readonly<Record<'id' | 'text', string>>;

/** A thing in two ledgers, with its JSON text in each that has it. */
export interface Pair {
  readonly id: string;
  readonly source: string | undefined;
  readonly target: string | undefined;
}

/** Merges two lists that are in byte order of their ids. */
export async function* pairsOf(
  source: AsyncGenerator<StoredText, void>,
  target: AsyncGenerator<StoredText, void>,
): AsyncGenerator<Pair, void> {
  let [ours, theirs] = [await next(source), await next(target)];
  for (;;) {
    const order = orderOf(ours, theirs);
    const [one, other] = [order <= 0 ? ours : undefined, order >= 0 ? theirs : undefined];
    const pair = pairOf(one, other);
    if (pair === undefined) return;
    yield pair;
    if (one !== undefined) ours = await next(source);
    if (other !== undefined) theirs = await next(target);
  }
}

async function next(list: AsyncGenerator<StoredText, void>): Promise<StoredText | undefined> {
  const { value } = await list.next();
  return value ?? undefined;
}

/** Compares two ids by their bytes; the end of a list is after every id. */
function orderOf(one: StoredText | undefined, other: StoredText | undefined): number {
  if (other === undefined) return -1;
  if (one === undefined || isKeyBelow(other.id, one.id)) return 1;
  return isKeyBelow(one.id, other.id) ? -1 : 0;
}

/** Returns what one or both lists have next. */
function pairOf(source: StoredText | undefined, target: StoredText | undefined): Pair | undefined {
  const first = source ?? target;
  return first && { id: first.id, source: source?.text, target: target?.text };
}

/** Returns the difference in a pair; undefined if there is none. */
function differenceIn({ source, target }: Pair): Difference['kind'] | undefined {
  if (source === target) return undefined;
  if (source === undefined) return 'additional';
  return target === undefined ? 'missing' : 'different';
}

/** The comparison of two ledgers, as far as it is. */
export class Comparison {
  compared = 0;
  missing = 0;
  differing = 0;
  readonly differences: Difference[] = [];

  /**
   * @param reasons - why the target refused things, by their ids in the report
   * @param report - called after every thousandth thing
   * @param isCounted - whether a difference is one of the result
   */
  constructor(
    private readonly reasons: ReadonlyMap<string, string>,
    private readonly report: (compared: number) => void,
    private readonly isCounted: (difference: Difference) => boolean = () => true,
  ) {}

  /** Compares a thing in both ledgers. @param id - in the report */
  compare(pair: Pair, id = pair.id): void {
    this.add(id, differenceIn(pair));
    if (++this.compared % COMPARED_PER_REPORT === 0) this.report(this.compared);
  }

  /** Adds a difference; undefined for none. */
  add(id: string, kind: Difference['kind'] | undefined): void {
    if (kind === undefined) return;
    if (kind === 'missing') this.missing += 1;
    const difference = { id, kind, reason: this.reasons.get(id) };
    if (!this.isCounted(difference)) return;
    this.differing += 1;
    if (this.differences.length < MAX_DIFFERENCES) this.differences.push(difference);
  }
}

/** Yields what the target lacks, in groups of at most that many things, each for one transaction. */
export async function* missingIn(
  pairs: AsyncIterable<Pair>,
  most: number,
): AsyncGenerator<readonly StoredText[], void> {
  let batch: StoredText[] = [];
  let bytes = 0;
  for await (const { id, source: text, target } of pairs) {
    if (text === undefined || target !== undefined) continue;
    const size = Buffer.byteLength(text) + Buffer.byteLength(id);
    if (batch.length === most || (batch.length > 0 && bytes + size > MAX_BATCH_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push({ id, text });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Runs a call of the target, and again while the target is unavailable. @param retryFor - in milliseconds */
export async function repeatWhileUnavailable<T>(call: () => Promise<T>, retryFor: number): Promise<T> {
  const end = performance.now() + retryFor;
  for (let wait = RETRY_DELAY_MS.first; ; wait = Math.min(2 * wait, RETRY_DELAY_MS.most)) {
    try {
      return await call();
    } catch (error) {
      if (!isTemporary(error) || performance.now() + wait > end) throw error;
      await delay(wait);
    }
  }
}

/** Returns whether a call may succeed later. One whose outcome is unknown is safe to repeat: it then creates nothing twice. */
function isTemporary(error: unknown): boolean {
  if (!isLedgerError(error)) return false;
  return error.retryable || isLedgerError(error, 'LEDGER.OUTCOME_UNKNOWN') || isLedgerError(error, 'LEDGER.READ_ONLY');
}
