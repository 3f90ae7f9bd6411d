import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerChannel } from '#ledger-gateway';
import { PendingItems } from './pending-items.js';

/** Data that are derived from the blocks of a chain, with a cursor that is committed together with them. */
export interface DerivedData {
  /** The number of the first block that it lacks: its cursor. Undefined before the first block. */
  readonly next: number | undefined;
  /** Returns the hexadecimal hash of a block below the cursor. */
  hashOf(block: number): string | undefined | Promise<string | undefined>;
  /**
   * Appends the items of the next blocks and moves the cursor in one transaction.
   * @returns whether the items continue the chain; if they do not, nothing is written
   */
  append(items: readonly Uint8Array[]): boolean | Promise<boolean>;
  /** Removes everything, to be built again. */
  clear(): void | Promise<void>;
  /** Closes the data; also called after an error. */
  close(): void | Promise<void>;
}

/** The chain that is followed. */
export interface FollowedChain extends Pick<LedgerChannel, 'chainInfo' | 'blockByNumber'> {
  /** Returns the number of the first block to read. @throws when there is none */
  firstBlock(): Promise<number>;
  /** Yields one item for each block from a number on, several at a time: those of recorded blocks, then of each new one. */
  items(startBlock: number, signal: AbortSignal): AsyncIterable<readonly Uint8Array[]>;
}

/** What follows a chain, and how. */
export interface FollowerOptions<Data extends DerivedData> {
  readonly chain: FollowedChain;
  /** Opens the data at the cursor of its file. */
  readonly open: () => Data | Promise<Data>;
  /** The least time between two commits, unless a reader waits. */
  readonly intervalMs: number;
  /** Bytes of items that are committed at once, at most. */
  readonly batchBytes: number;
  /** The time after which a chain that is shorter than the data counts as another one; a peer may lag for a while. */
  readonly shorterMs: number;
  /** Called after the comparison with the chain and after each commit; an error is one of the data. */
  readonly onCommit?: (data: Data) => void | Promise<void>;
  /** Called when the data are removed because they are those of another chain. */
  readonly onRebuild?: (reason: string) => void;
  /** Called with each error after which the data are opened again. */
  readonly onError?: (error: Error) => void;
  /** Called after each commit and each change of the fault. */
  readonly onChange?: () => void;
}

/** Milliseconds until the chain is read again after an error. */
const RETRY_MS = 5000;
/** Milliseconds until a chain is read again that was shorter than the data, or whose blocks ended. */
const REREAD_MS = 500;

/**
 * Follows a chain into {@link DerivedData}. Memory never decides what comes next: after any error the data object is discarded
 * and opened again, so that the cursor of its file does. Data of another chain are removed and built again.
 */
export class ChainFollower<Data extends DerivedData> {
  readonly #options: FollowerOptions<Data>;
  readonly #ending = new AbortController();
  /** `change` with each commit and each change of the fault, `hurry` when a commit must not wait. */
  readonly #events = new EventEmitter<{ change: []; hurry: [] }>();
  readonly #followed: Promise<void>;
  #data: Data | undefined;
  #height = 0;
  #fault: string | undefined;
  /** Whether the data was compared with the chain, and is not known to be wrong. */
  #isCompared = false;
  #waitingReaders = 0;
  #shorterSince: number | undefined;
  /** Ends the reading of blocks, because of {@link #readError} if there is one. */
  #round = new AbortController();
  #readError: Error | undefined;

  constructor(options: FollowerOptions<Data>) {
    this.#options = options;
    this.#events.setMaxListeners(0);
    this.#followed = this.#follow();
  }

  /** The data at its cursor; undefined while it cannot be opened. */
  get data(): Data | undefined {
    return this.#data;
  }

  /** The height of the chain as far as it is known. */
  get height(): number {
    return this.#height;
  }

  /** The message of the error because of which the chain is not followed at the moment. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Waits until the cursor is at a block, without the pause between commits; at most until the signal. */
  async reach(next: number, signal: AbortSignal): Promise<boolean> {
    const hasReached = (): boolean => this.#isCompared && (this.#data?.next ?? 0) >= next;
    this.#waitingReaders += 1;
    this.#events.emit('hurry');
    try {
      while (!hasReached() && this.#fault === undefined && !signal.aborted && !this.#ending.signal.aborted) {
        await once(this.#events, 'change', { signal }).catch(() => undefined);
      }
      return hasReached();
    } finally {
      this.#waitingReaders -= 1;
    }
  }

  /** Discards the data object because of an error of a reader, and opens it again. */
  restart(error: Error): void {
    this.#readError = error;
    this.#round.abort();
  }

  /** Ends after the commit that is under way. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#events.emit('change');
    await this.#followed;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        const opened = this.#data ?? this.#options.open();
        // Data that open at once are readable at once.
        this.#data = opened instanceof Promise ? await opened : opened;
        const pauseMs = await this.#copy(this.#data);
        await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      } catch (error) {
        await this.#recover(error as Error);
        await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
    await this.#discard();
  }

  /** Discards the data object, and opens another one, so that readers have one during the pause. */
  async #recover(error: Error): Promise<void> {
    await this.#discard();
    if (this.#ending.signal.aborted) return;
    this.#options.onError?.(error);
    try {
      this.#data = await this.#options.open();
    } catch {
      // The next round opens it again and reports the error.
    }
    this.#setFault(error.message);
  }

  async #discard(): Promise<void> {
    const data = this.#data;
    this.#data = undefined;
    this.#isCompared = false;
    try {
      await data?.close();
    } catch {
      // It is closed because of an error, which is reported.
    }
  }

  /**
   * Copies blocks into the data until the end.
   * @returns milliseconds until the next attempt, when this one ended without an error
   */
  async #copy(data: Data): Promise<number> {
    const { chain } = this.#options;
    const { height } = await chain.chainInfo();
    this.#height = height;
    const fault = await this.#compare(data, height);
    if (fault === 'other chain') return await this.#rebuild(data, 'the chain has another block');
    if (fault === 'shorter chain') {
      this.#shorterSince ??= performance.now();
      if (performance.now() - this.#shorterSince >= this.#options.shorterMs)
        return await this.#rebuild(data, `the chain has ${height} blocks only`);
      this.#setFault(undefined);
      return REREAD_MS;
    }
    this.#shorterSince = undefined;
    const start = data.next ?? (await chain.firstBlock());
    this.#isCompared = true;
    if (start >= height) await this.#committed(data);
    else this.#notify();
    this.#round = new AbortController();
    const signal = AbortSignal.any([this.#ending.signal, this.#round.signal]);
    const pending = new PendingItems(chain.items(start, signal), this.#options.batchBytes);
    try {
      const pauseMs = await this.#appendAll(data, pending);
      this.#throwReadError();
      return pauseMs;
    } finally {
      this.#round.abort();
      await pending.close();
    }
  }

  #throwReadError(): void {
    const error = this.#readError;
    this.#readError = undefined;
    if (error !== undefined) throw error;
  }

  /** Compares the newest block that the chain and the data have. */
  async #compare(data: Data, height: number): Promise<'same chain' | 'shorter chain' | 'other chain'> {
    if (data.next === undefined) return 'same chain';
    const number = Math.min(height, data.next) - 1;
    const known = await data.hashOf(number);
    const block = known === undefined ? undefined : await this.#options.chain.blockByNumber(number);
    // Data from a later block on do not know an earlier one: a chain that is so much shorter is another one, or lags.
    if (known !== undefined && block?.hash !== known) return 'other chain';
    return height < data.next ? 'shorter chain' : 'same chain';
  }

  async #appendAll(data: Data, pending: PendingItems): Promise<number> {
    const { intervalMs } = this.#options;
    for (let earliest = -Infinity; await pending.arrived(); earliest = performance.now() + intervalMs) {
      await this.#pause(earliest, pending);
      const items = pending.take();
      if (!(await this.#append(data, items))) return this.#rebuild(data, 'a block does not continue it');
      this.#height = Math.max(this.#height, data.next ?? 0);
      await this.#committed(data);
    }
    return REREAD_MS;
  }

  async #append(data: Data, items: readonly Uint8Array[]): Promise<boolean> {
    try {
      return await data.append(items);
    } catch (error) {
      // At once: what the object has in memory may be more than what was committed, and must not be read.
      await this.#discard();
      throw error;
    }
  }

  /** Ends a fault only now: data that can be opened, but not written, remain at fault. */
  async #committed(data: Data): Promise<void> {
    await this.#options.onCommit?.(data);
    this.#setFault(undefined);
  }

  /** Waits for more blocks, to commit them together: until a time, a full batch, or a reader. */
  async #pause(until: number, pending: PendingItems): Promise<void> {
    const wait = until - performance.now();
    if (wait <= 0 || this.#waitingReaders > 0 || pending.isFull) return;
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, this.#ending.signal]);
    const waits = [
      delay(wait, undefined, { signal, ref: false }),
      once(this.#events, 'hurry', { signal }),
      pending.full,
    ];
    await Promise.race(waits).catch(() => undefined);
    ended.abort();
    await Promise.allSettled(waits.slice(0, 2));
  }

  async #rebuild(data: Data, reason: string): Promise<number> {
    this.#isCompared = false;
    this.#shorterSince = undefined;
    this.#options.onRebuild?.(reason);
    await data.clear();
    await this.#discard();
    return 0;
  }

  #setFault(fault: string | undefined): void {
    this.#fault = fault;
    this.#notify();
  }

  #notify(): void {
    this.#events.emit('change');
    this.#options.onChange?.();
  }
}
