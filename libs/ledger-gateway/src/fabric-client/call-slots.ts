import { LedgerError } from '../errors/ledger.errors.js';
import type { FabricCallOptions } from './fabric-transport.js';

/** How many calls may be under way at once, and how many more may wait for one to end. */
export interface CallSlotsOptions {
  readonly limit: number;
  readonly queueLimit: number;
}

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: Error) => void;
}

/** Part of the limit that is left after a peer refused a call for having too many. */
const SHRINK = 0.7;
const LONGEST_TIMER_MS = 0x7fffffff;

/**
 * Keeps the calls under way below what a peer takes at once (500 by default, `peer.limits.concurrency` in its
 * core.yaml), which it would refuse with an error that looks like any other. A peer that others use too may refuse
 * earlier: then the limit sinks, and rises again by one for each full round of calls that went well.
 */
export class CallSlots {
  readonly #ceiling: number;
  readonly #queueLimit: number;
  readonly #queue = new Set<Waiter>();
  #limit: number;
  #active = 0;
  #wellSince = 0;
  #idle: PromiseWithResolvers<undefined> | undefined;

  constructor({ limit, queueLimit }: CallSlotsOptions) {
    this.#ceiling = limit;
    this.#limit = limit;
    this.#queueLimit = queueLimit;
  }

  /** How many calls may be under way now. */
  get limit(): number {
    return this.#limit;
  }

  /** How many calls wait for a slot. */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Runs the work when there is a slot for it.
   * @throws `LEDGER.OVERLOADED` when the queue is full, or no slot was free in time; then the work was not begun
   */
  async run<T>(work: () => Promise<T>, options: FabricCallOptions = {}): Promise<T> {
    requireTime(options);
    if (this.#active < this.#limit) this.#active++;
    else await this.#wait(options);
    try {
      const result = await work();
      this.#wentWell();
      return result;
    } finally {
      this.#active--;
      this.#admitWaiting();
      if (this.#active === 0) this.#idle?.resolve(undefined);
    }
  }

  /** A peer refused a call because it had too many. */
  shrink(): void {
    this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, this.#active) * SHRINK));
    this.#wellSince = 0;
  }

  /** Resolves when no call is under way and none waits. */
  async idle(): Promise<void> {
    if (this.#active === 0) return;
    this.#idle ??= Promise.withResolvers<undefined>();
    await this.#idle.promise;
  }

  #wentWell(): void {
    if (this.#limit >= this.#ceiling) return;
    this.#wellSince++;
    if (this.#wellSince < this.#limit) return;
    this.#wellSince = 0;
    this.#limit++;
  }

  /** Resolves with the slot already counted. */
  async #wait({ signal, deadline = Infinity }: FabricCallOptions): Promise<void> {
    if (this.#queue.size >= this.#queueLimit) {
      throw new LedgerError(
        'LEDGER.OVERLOADED',
        `${this.#active} calls are under way and ${this.#queue.size} wait, which is all that is taken: try again later.`,
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const waiter: Waiter = {
      admit: () => {
        resolve(undefined);
      },
      refuse: reject,
    };
    this.#queue.add(waiter);
    const leave = (): void => {
      if (this.#queue.delete(waiter))
        waiter.refuse(new LedgerError('LEDGER.OVERLOADED', 'No slot was free before the time was up.'));
    };
    signal?.addEventListener('abort', leave, { once: true });
    const timer = setTimeout(leave, Math.min(deadline - Date.now(), LONGEST_TIMER_MS));
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  #admitWaiting(): void {
    for (const waiter of this.#queue) {
      if (this.#active >= this.#limit) return;
      this.#queue.delete(waiter);
      this.#active++;
      waiter.admit();
    }
  }
}

function requireTime({ signal, deadline = Infinity }: FabricCallOptions): void {
  if (signal?.aborted === true || deadline <= Date.now()) {
    throw new LedgerError('LEDGER.TIMEOUT', 'The call had no time left when it came.');
  }
}
