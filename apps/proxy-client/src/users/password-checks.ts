import { deriveKey, type PasswordHash } from './password-hash.js';

/** The checks of one client that wait while another one is hashed. */
const MAX_WAITING_OF_CLIENT = 64;
/** The checks of all clients that wait. */
const MAX_WAITING = 512;
/** The parts of an IPv6 address that name a network: one client usually has all addresses of a /64. */
const NETWORK_PARTS = 4;
const ADDRESS_PARTS = 8;

interface Waiting {
  readonly start: () => Promise<void>;
  readonly drop: () => void;
}

/**
 * The queue of the password checks of a proxy. It hashes one password at a time, because concurrent hashing would occupy the threads
 * that resolve names (docs/adr/0116). The clients take turns, so that one that sends many wrong passwords delays only itself.
 */
export class PasswordChecks {
  /** By client; the first one has the next turn. */
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;
  #isHashing = false;

  /**
   * Hashes a password when it is the client's turn.
   *
   * @param address - of the client
   * @returns undefined if too many checks are waiting
   */
  async derive(address: string, password: string, { salt, cost }: PasswordHash): Promise<Buffer | undefined> {
    const client = clientOf(address);
    const own = this.#waiting.get(client) ?? [];
    if (own.length >= MAX_WAITING_OF_CLIENT || !this.#hasRoomFor(own.length)) return undefined;
    return new Promise((resolve, reject) => {
      this.#waiting.set(client, own);
      own.push({
        start: async () => deriveKey(password, salt, cost).then(resolve, reject),
        drop: () => {
          resolve(undefined);
        },
      });
      this.#count += 1;
      if (!this.#isHashing) void this.#hash();
    });
  }

  async #hash(): Promise<void> {
    this.#isHashing = true;
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) await next.start();
    this.#isHashing = false;
  }

  /** Removes the check whose turn it is; its client moves to the end. */
  #takeNext(): Waiting | undefined {
    for (const [client, checks] of this.#waiting) {
      const next = checks.shift();
      this.#waiting.delete(client);
      if (checks.length > 0) this.#waiting.set(client, checks);
      this.#count -= 1;
      return next;
    }
    return undefined;
  }

  /**
   * Whether a client with some waiting checks may add one. When the queue is full, the last check of the client with the most is
   * dropped, unless this one would have as many.
   */
  #hasRoomFor(own: number): boolean {
    if (this.#count < MAX_WAITING) return true;
    let most: Waiting[] = [];
    for (const checks of this.#waiting.values()) if (checks.length > most.length) most = checks;
    if (most.length <= own + 1) return false;
    most.pop()?.drop();
    this.#count -= 1;
    return true;
  }
}

/** Returns the IPv4 address, or the network of an IPv6 address. */
function clientOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [first = [], last = []] = address.split('::').map((half) => half.split(':'));
  const zeros = Array<string>(Math.max(0, ADDRESS_PARTS - first.length - last.length)).fill('0');
  return [...first, ...zeros, ...last].slice(0, NETWORK_PARTS).join(':');
}
