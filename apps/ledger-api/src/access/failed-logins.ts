import { networkOf } from '../http/client-address.js';

/** How many logins of one address may fail in a row, and after how long, in milliseconds, one more may. */
const BURST = 20;
const REFILL_MS = 3000;
/** How many addresses are remembered; those that failed longest ago are forgotten first. */
const MOST_ADDRESSES = 10_000;

/** A token bucket. */
interface Bucket {
  tokens: number;
  /** Milliseconds of a clock that only goes forward. */
  filledAt: number;
  /** Whether it was said that it is empty. */
  isTold: boolean;
}

/** What becomes of a failed login. */
export interface FailedLogin {
  /** Seconds until the address has another try; undefined while it has. */
  readonly retryAfter: number | undefined;
  /** Whether this one is worth a line in the log: each is until there are too many, of which the first is. */
  readonly isTold: boolean;
}

/**
 * Counts failed logins by address: an address that fails too often must wait, and fills no log. It cannot keep those
 * out who have a key and share the address: they are let in before anybody asks here.
 */
export class FailedLogins {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes a failed login. */
  add(address: string): FailedLogin {
    const key = networkOf(address);
    const bucket = this.#filled(key);
    // Put last: the first are forgotten.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MOST_ADDRESSES) this.#forgetFirst();
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      bucket.isTold = false;
      return { retryAfter: undefined, isTold: true };
    }
    const isTold = !bucket.isTold;
    bucket.isTold = true;
    return { retryAfter: Math.ceil(((1 - bucket.tokens) * REFILL_MS) / 1000), isTold };
  }

  #filled(key: string): Bucket {
    const now = this.#now();
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return { tokens: BURST, filledAt: now, isTold: false };
    bucket.tokens = Math.min(BURST, bucket.tokens + (now - bucket.filledAt) / REFILL_MS);
    bucket.filledAt = now;
    return bucket;
  }

  #forgetFirst(): void {
    const [first] = this.#buckets.keys();
    if (first !== undefined) this.#buckets.delete(first);
  }
}
