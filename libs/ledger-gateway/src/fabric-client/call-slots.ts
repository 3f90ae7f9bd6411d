import { LedgerError } from '../errors/ledger.errors.js';

/** The limit is multiplied by this after a peer refused a call because it had too many. */
const SHRINK = 0.7;

/**
 * A semaphore that keeps concurrent calls below a peer's limit (500 by default, `peer.limits.concurrency` in its core.yaml).
 * A peer with other clients may refuse calls earlier. The limit then shrinks, and grows by one after each full round of
 * successful calls (additive increase, multiplicative decrease).
 */
export class CallSlots {
  readonly #ceiling: number;
  readonly #queueLimit: number;
  /** Functions that admit the queued calls. */
  readonly #queue: ((value: undefined) => void)[] = [];
  #limit: number;
  #active = 0;
  #successes = 0;
  #idle: PromiseWithResolvers<undefined> | undefined;

  constructor({ limit, queueLimit }: Readonly<{ limit: number; queueLimit: number }>) {
    this.#ceiling = limit;
    this.#limit = limit;
    this.#queueLimit = queueLimit;
  }

  /** The present maximum of concurrent calls. */
  get limit(): number {
    return this.#limit;
  }

  /**
   * Runs work when a slot is free.
   * @throws `LEDGER.OVERLOADED` when the queue is full; the work was not started
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active < this.#limit) this.#active++;
    else await this.#wait();
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

  /** Resolves when the call has a slot, which is already counted. */
  #wait(): Promise<undefined> {
    const { length } = this.#queue;
    if (length >= this.#queueLimit) {
      const text = `${this.#active} calls are running and ${length} are queued, which is the maximum. Try again later.`;
      throw new LedgerError('LEDGER.OVERLOADED', text);
    }
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#queue.push(resolve);
    return promise;
  }

  #admitWaiting(): void {
    while (this.#queue.length > 0 && this.#active < this.#limit) {
      this.#active++;
      this.#queue.shift()?.(undefined);
    }
  }
}
