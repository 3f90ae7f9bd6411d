import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PasswordChecks } from './password-checks.js';
import { DEFAULT_COST, readPasswordHash, type PasswordHash, type ScryptCost } from './password-hash.js';

/** A user of a listener. */
export interface User {
  readonly name: string;
  /** The password, or its hash. */
  readonly password: string;
}

/** The credentials that a client sends. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** `busy`: too many attempts are waiting, and this one was not verified. */
export type Verdict = 'right' | 'wrong' | 'busy';

/** The key for digests of passwords, which are useless outside this process. With a key object, an HMAC takes a fifth of the time. */
const PROCESS_KEY = createSecretKey(randomBytes(32));
/** Random bytes, compared where there is no digest or hash. */
const NO_DIGEST = randomBytes(32);

interface Entry {
  /** The configured password or hash. */
  readonly password: string;
  /** Undefined if the password itself is configured: its digest is known from the start. */
  readonly hash: PasswordHash | undefined;
  /** The digest of the last correct password. */
  digest: Buffer | undefined;
}

/**
 * The users of a listener, and the verification of their passwords.
 *
 * A slow hash is computed for each password that is not the last correct one of its user: for a wrong password, for an unknown
 * user, and if the configuration contains the password itself. So these take the same time and get the same verdict, and
 * guessing is slow.
 */
export class Users {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #running = new Map<string, Promise<Verdict>>();
  /** The costs of the configured hashes. */
  readonly #costs: readonly ScryptCost[];

  readonly #checks: PasswordChecks;

  /**
   * @param checks - hashes passwords
   * @param previous - the users before a reload: unchanged ones keep the digest of their last correct password
   */
  constructor(users: readonly User[], checks: PasswordChecks, previous?: Users) {
    this.#checks = checks;
    this.#entries = new Map(
      users.map((user) => {
        const name = user.name.normalize('NFC');
        const known = previous === undefined ? undefined : previous.#entries.get(name);
        return [name, known?.password === user.password ? known : entryOf(user)];
      }),
    );
    this.#costs = [...this.#entries.values()].flatMap(({ hash }) => hash?.cost ?? []);
  }

  /** Returns whether the credentials equal the last correct ones of the user, by one fast hash. */
  knows(credentials: Credentials): boolean {
    const entry = this.#entries.get(credentials.username.normalize('NFC'));
    return timingSafeEqual(entry?.digest ?? NO_DIGEST, digestOf(credentials));
  }

  /**
   * Verifies credentials; equal concurrent attempts of a client share the verdict.
   *
   * @param address - of the client
   */
  async check(credentials: Credentials, address: string): Promise<Verdict> {
    if (this.knows(credentials)) return 'right';
    const digest = digestOf(credentials);
    const key = `${address} ${digest.toString('base64')}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const verdict = this.#verify(credentials, address, digest).finally(() => this.#running.delete(key));
    this.#running.set(key, verdict);
    return verdict;
  }

  async #verify({ username, password }: Credentials, address: string, digest: Buffer): Promise<Verdict> {
    const entry = this.#entries.get(username.normalize('NFC'));
    const hash = entry?.hash ?? this.#decoyFor(username);
    const derived = await this.#checks.derive(address, password, hash);
    if (derived === undefined) return 'busy';
    const isEqual = timingSafeEqual(derived, hash.key);
    if (!isEqual || entry?.hash === undefined) return 'wrong';
    entry.digest = digest;
    return 'right';
  }

  /** Returns a hash that no password has, with the same cost for the same name, as for a configured user. */
  #decoyFor(username: string): PasswordHash {
    const [first = 0] = createHmac('sha256', PROCESS_KEY).update(username.normalize('NFC')).digest();
    return { cost: this.#costs[first % this.#costs.length] ?? DEFAULT_COST, salt: NO_DIGEST, key: NO_DIGEST };
  }
}

function entryOf({ name, password }: User): Entry {
  const hash = readPasswordHash(password);
  return { password, hash, digest: hash === undefined ? digestOf({ username: name, password }) : undefined };
}

/** The length separates the name from the password. */
function digestOf({ username, password }: Credentials): Buffer {
  const name = username.normalize('NFC');
  return createHmac('sha256', PROCESS_KEY)
    .update(`${name.length}:${name}${password.normalize('NFC')}`)
    .digest();
}
