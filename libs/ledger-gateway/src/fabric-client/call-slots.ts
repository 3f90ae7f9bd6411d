import { LedgerError } from '../errors/ledger.errors.js';
import type { FabricCallOptions } from './fabric-transport.js';

/** The maximum of concurrent calls and of queued ones. */
export interface CallSlotsOptions {
  readonly limit: number;
  readonly queueLimit: number;
}

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: Error) => void;
}

/** The limit is multiplied by this after a peer refused a call because it had too many. */
const SHRINK = 0.7;
const LONGEST_TIMER_MS = 0x7fffffff;

/**
 * A semaphore that keeps concurrent calls below a peer's limit (500 by default, `peer.limits.concurrency` in its core.yaml).
 * A peer with other clients may refuse calls earlier. The limit then shrinks, and grows by one after each full round of
 * successful calls (additive increase, multiplicative decrease).
 */
export class CallSlots {
  readonly #ceiling: number;
  readonly #queueLimit: number;
  readonly #queue = new Set<Waiter>();
  #limit: number;
  #active = 0;
  #successes = 0;
  #idle: PromiseWithResolvers<undefined> | undefined;

  constructor({ limit, queueLimit }: CallSlotsOptions) {
    this.#ceiling = limit;
    this.#limit = limit;
    this.#queueLimit = queueLimit;
  }

  /** The present maximum of concurrent calls. */
  get limit(): number {
    return this.#limit;
  }

  /** The number of queued calls. */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Runs work when a slot is free.
   * @throws `LEDGER.OVERLOADED` when the queue is full, or no slot was free in time; the work was not started
   */
  async run<T>(work: () => Promise<T>, options: FabricCallOptions = {}): Promise<T> {
    requireTime(options);
    if (this.#active < this.#limit) this.#active++;
    else await this.#wait(options);
    try {
      const result = await work();
      this.#succeeded();
      return result;
    } finally {
      this.#active--;
      this.#admitWaiting();
      if (this.#active === 0) this.#idle?.resolve(undefined);
    }
  }

  /** Lowers the limit after a peer refused a call because it had too many. */
  shrink(): void {
    this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, this.#active) * SHRINK));
    this.#successes = 0;
  }

  /** Resolves when no call is running or queued. */
  async idle(): Promise<void> {
    if (this.#active === 0) return;
    this.#idle ??= Promise.withResolvers<undefined>();
    await this.#idle.promise;
  }

  #succeeded(): void {
    if (this.#limit >= this.#ceiling) return;
    this.#successes++;
    if (this.#successes < this.#limit) return;
    this.#successes = 0;
    this.#limit++;
  }

  /** Resolves when the caller has a slot, which is already counted. */
  async #wait({ signal, deadline = Infinity }: FabricCallOptions): Promise<void> {
    if (this.#queue.size >= this.#queueLimit) {
      throw new LedgerError(
        'LEDGER.OVERLOADED',
        `${this.#active} calls are running and ${this.#queue.size} are queued, which is the maximum. Try again later.`,
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
    throw new LedgerError('LEDGER.TIMEOUT', 'The timeout was over before the call started.');
  }
}
