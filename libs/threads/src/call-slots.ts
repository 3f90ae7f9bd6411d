import { LedgerError } from '#ledger-gateway';

/**
 * A semaphore with a bounded queue. It keeps concurrent calls below the limit of a peer (500 by default,
 * `peer.limits.concurrency` in its core.yaml), and simulations below the number of snapshots.
 */
export class CallSlots {
  readonly #limit: number;
  readonly #queueLimit: number;
  /** Functions that admit the queued calls. */
  readonly #queue: ((value: undefined) => void)[] = [];
  #active = 0;
  #idle: PromiseWithResolvers<undefined> | undefined;

  constructor({ limit, queueLimit }: Readonly<{ limit: number; queueLimit: number }>) {
    this.#limit = limit;
    this.#queueLimit = queueLimit;
  }

  /**
   * Runs work when a slot is free.
   * @throws `LEDGER.OVERLOADED` when the queue is full; the work was not started
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active < this.#limit) this.#active++;
    else await this.#wait();
    try {
      return await work();
    } finally {
      // A queued call takes over the slot.
      const next = this.#queue.shift();
      if (next === undefined) this.#active--;
      else next(undefined);
      if (this.#active === 0) this.#idle?.resolve(undefined);
    }
  }

  /** Resolves when no call is running or queued. */
  async idle(): Promise<void> {
    if (this.#active === 0) return;
    this.#idle ??= Promise.withResolvers<undefined>();
    await this.#idle.promise;
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
}
