import type { LedgerChannel } from '#ledger-gateway';

/** Seconds after which a height is too old to be reported as the current one. */
const MAX_AGE_S = 30;

/** The height of a channel as it was read last. A ledger that does not answer delays no one. */
export class KnownHeight {
  readonly #channel: Pick<LedgerChannel, 'chainInfo'>;
  readonly #now: () => number;
  #height: number | undefined;
  /** When the height was read, in milliseconds of the clock; before the first one, when it was first wanted. */
  #readAt: number;
  #reading: Promise<void> | undefined;

  /** @param now - a monotonic clock in milliseconds */
  constructor(channel: Pick<LedgerChannel, 'chainInfo'>, now = () => performance.now()) {
    this.#channel = channel;
    this.#now = now;
    this.#readAt = now();
  }

  /** The last height; undefined if the last read failed, or none has succeeded for {@link MAX_AGE_S}. */
  get value(): number | undefined {
    return this.age > MAX_AGE_S ? undefined : this.#height;
  }

  /** Seconds since the height was read. */
  get age(): number {
    return (this.#now() - this.#readAt) / 1000;
  }

  /** Reads the height, unless a read is in progress. Resolves at its end. */
  read(): Promise<void> {
    return (this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    }));
  }

  async #read(): Promise<void> {
    try {
      const { height } = await this.#channel.chainInfo();
      this.#height = height;
      this.#readAt = this.#now();
    } catch {
      // The API's own requests report the reason.
      this.#height = undefined;
    }
  }
}
