import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  DEFAULT_COST,
  deriveKey,
  KEY_BYTES,
  readPasswordHash,
  SALT_BYTES,
  type PasswordHash,
} from './password-hash.js';

/** Somebody who may use a listener. */
export interface User {
  readonly name: string;
  /** The password, or its hash. */
  readonly password: string;
}

/** What a client says of itself. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** `busy`: too many others are being judged, and it was not looked at. */
export type Verdict = 'right' | 'wrong' | 'busy';

/** So many attempts wait for the one whose password is being hashed. */
const MAX_WAITING = 64;

/** Of this process: what is kept of passwords under it says nothing to another one. As a key object, an HMAC takes a fifth of the time. */
const PROCESS_KEY = createSecretKey(randomBytes(32));
/** Stands where there is no digest to compare with. */
const NO_DIGEST = randomBytes(32);

interface Entry {
  /** As it is configured. */
  readonly password: string;
  /** Undefined where the password itself is configured: its digest is known from the beginning. */
  readonly hash: PasswordHash | undefined;
  /** Of the last password that was right. */
  digest: Buffer | undefined;
}

/** Hashes passwords one at a time: several at once would take the threads that look names up (docs/adr/0116). */
class Hashing {
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @returns undefined when too many wait */
  derive(password: string, { salt, cost }: PasswordHash): Promise<Buffer> | undefined {
    if (this.#waiting > MAX_WAITING) return undefined;
    this.#waiting += 1;
    const key = this.#last.then(() => deriveKey(password, salt, cost));
    this.#last = key.then(
      () => (this.#waiting -= 1),
      () => (this.#waiting -= 1),
    );
    return key;
  }
}

/** Of all listeners together. */
const hashing = new Hashing();

/**
 * The users of a listener, and whether somebody is one of them.
 *
 * A slow hash is made for each password that is not the last right one of its user: for the wrong one of a user, for any of a
 * name that nobody has, and where the configuration holds the password itself. So these take the same time and get the same
 * verdict, and guessing is slow.
 */
export class Users {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #underWay = new Map<string, Promise<Verdict>>();
  /** What the hashes of this listener cost: those of names that nobody has cost the same. */
  readonly #decoys: readonly PasswordHash[];

  /** @param previous - who was known before a reload: what was found right stays so where nothing has changed */
  constructor(users: readonly User[], previous?: Users) {
    this.#entries = new Map(
      users.map((user) => {
        const name = user.name.normalize('NFC');
        const known = previous === undefined ? undefined : previous.#entries.get(name);
        return [name, known?.password === user.password ? known : entryOf(user)];
      }),
    );
    const costs = [...this.#entries.values()].flatMap(({ hash }) => hash?.cost ?? []);
    const distinct = new Map((costs.length > 0 ? costs : [DEFAULT_COST]).map((cost) => [JSON.stringify(cost), cost]));
    this.#decoys = [...distinct.values()].map((cost) => ({
      cost,
      salt: randomBytes(SALT_BYTES),
      key: randomBytes(KEY_BYTES),
    }));
  }

  /** Whether these are the credentials that were right the last time for that user: one fast hash, whoever it is. */
  knows(credentials: Credentials): boolean {
    const entry = this.#entries.get(credentials.username.normalize('NFC'));
    return timingSafeEqual(entry?.digest ?? NO_DIGEST, digestOf(credentials));
  }

  /** Finds out whether they are right; equal ones that come meanwhile get the same verdict. */
  async check(credentials: Credentials): Promise<Verdict> {
    if (this.knows(credentials)) return 'right';
    const digest = digestOf(credentials);
    const key = digest.toString('base64');
    const running = this.#underWay.get(key);
    if (running !== undefined) return running;
    const verdict = this.#judge(credentials, digest).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, verdict);
    return verdict;
  }

  async #judge({ username, password }: Credentials, digest: Buffer): Promise<Verdict> {
    const entry = this.#entries.get(username.normalize('NFC'));
    const hash = entry?.hash ?? this.#decoyFor(username);
    const derived = await hashing.derive(password, hash);
    if (derived === undefined) return 'busy';
    const isEqual = timingSafeEqual(derived, hash.key);
    if (!isEqual || entry?.hash === undefined) return 'wrong';
    entry.digest = digest;
    return 'right';
  }

  /** The same for the same name, as it is for a user. */
  #decoyFor(username: string): PasswordHash {
    const [first = 0] = createHmac('sha256', PROCESS_KEY).update(username.normalize('NFC')).digest();
    return this.#decoys[first % this.#decoys.length] ?? { cost: DEFAULT_COST, salt: NO_DIGEST, key: NO_DIGEST };
  }
}

function entryOf({ name, password }: User): Entry {
  const hash = readPasswordHash(password);
  return { password, hash, digest: hash === undefined ? digestOf({ username: name, password }) : undefined };
}

/** The length keeps apart where the name ends. */
function digestOf({ username, password }: Credentials): Buffer {
  const name = username.normalize('NFC');
  return createHmac('sha256', PROCESS_KEY)
    .update(`${name.length}:${name}${password.normalize('NFC')}`)
    .digest();
}
