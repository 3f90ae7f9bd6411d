import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Caller } from './access.decorators.js';
import { claimedIdOf, isHashOf, isWhole } from './api-key.js';
import { endOf, type CallerList } from './caller-list.js';
import { readCallers, versionOf } from './callers-file.js';

/** How a callers file is followed, in milliseconds. */
export interface FollowOptions {
  /** How often it is looked at. */
  readonly lookEvery: number;
  /** How long its last good content holds when it cannot be read. */
  readonly holdFor: number;
  /** A clock that only goes forward. */
  readonly now: () => number;
}

const FOLLOW: FollowOptions = { lookEvery: 250, holdFor: 10_000, now: () => performance.now() };

/** What a key turned out to be; `keyId` is there for any text that is a key, and may be logged. */
export interface KeyFinding {
  readonly outcome: 'known' | 'no key' | 'unknown' | 'expired';
  readonly caller?: Caller;
  readonly keyId?: string;
}

interface Known {
  readonly hash: Buffer;
  /** Milliseconds since 1970 from which on it is refused. */
  readonly endsAt: number;
  readonly caller: Caller;
}

/** The caller for whom a claim of an issuer's tokens stands. */
export interface CallerOfSubject {
  readonly caller: Caller;
  /** Whether it was made of a token, whose word on its role then counts. */
  readonly isEnrolled: boolean;
}

/**
 * Who may call, as the callers file says it now. The file is changed by `npm run ledger -- callers …` while this runs. When
 * it cannot be read, what was read last holds for a while, and then nobody is let in; when there is none, nobody is at once.
 */
export class CallerRegistry implements OnApplicationShutdown {
  readonly #path: string;
  readonly #logger: Logger;
  readonly #options: FollowOptions;
  #byKeyId: ReadonlyMap<string, Known> = new Map();
  #byName: ReadonlyMap<string, Caller> = new Map();
  #bySubject: ReadonlyMap<string, CallerOfSubject> = new Map();
  #version: string | undefined;
  #goodAt = -Infinity;
  #fault: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, logger: Logger, options: FollowOptions = FOLLOW) {
    this.#path = path;
    this.#logger = logger;
    this.#options = options;
  }

  /** Reads the file, and follows it from then on. @throws {@link CallersError} when it is there and cannot be used */
  async follow(): Promise<void> {
    await this.#look();
    this.#lookLater();
  }

  /** Whether what is known of the callers may be relied on now. */
  isCurrent(): boolean {
    return this.#options.now() - this.#goodAt <= this.#options.holdFor;
  }

  /** Whether a name is a caller's, who has not been revoked. */
  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Whose key a text is, if it is one. The time that this takes tells nothing of what is kept. */
  findByKey(text: string, now = Date.now()): KeyFinding {
    const keyId = claimedIdOf(text);
    if (keyId === undefined) return { outcome: 'no key' };
    const known = this.#byKeyId.get(keyId);
    const isSame = isHashOf(text, known?.hash);
    // What has the hash of a key is one: only others are looked at for their checksum.
    if (known === undefined || !isSame) return isWhole(text) ? { outcome: 'unknown', keyId } : { outcome: 'no key' };
    const { endsAt, caller } = known;
    return { outcome: endsAt <= now ? 'expired' : 'known', caller, keyId };
  }

  /** Whether a key with that id, which somebody has logged in with, is still good. */
  hasKey(keyId: string, now = Date.now()): boolean {
    const known = this.#byKeyId.get(keyId);
    return known !== undefined && known.endsAt > now;
  }

  /** For whom a claim of an issuer's tokens stands. */
  findBySubject(subject: string): CallerOfSubject | undefined {
    return this.#bySubject.get(subject);
  }

  /** Whether anybody can log in with a key. */
  get hasKeys(): boolean {
    return this.#byKeyId.size > 0;
  }

  /** Where the callers are listed. */
  get file(): string {
    return this.#path;
  }

  /** Looks at the file now, as after a change by this program. @throws {@link CallersError} */
  async refresh(): Promise<void> {
    await this.#look();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => {
      void this.#lookAgain();
    }, this.#options.lookEvery).unref();
  }

  async #lookAgain(): Promise<void> {
    try {
      await this.#look();
      if (this.#fault !== undefined) this.#logger.info('The callers can be read again.');
      this.#fault = undefined;
    } catch (error) {
      // Read anew each time until it is good.
      this.#version = undefined;
      const { message } = error as Error;
      if (message !== this.#fault) {
        const seconds = this.#options.holdFor / 1000;
        this.#logger.error(`${message} What was read before holds for ${seconds} s; then nobody is let in.`);
      }
      this.#fault = message;
    }
    if (this.#timer !== undefined) this.#lookLater();
  }

  async #look(): Promise<void> {
    const began = this.#options.now();
    if ((await versionOf(this.#path)) !== this.#version) {
      const { callers, version, warning } = await readCallers(this.#path);
      this.#take(callers ?? []);
      this.#version = version;
      this.#tell(callers, warning);
    }
    this.#goodAt = began;
  }

  #take(callers: CallerList): void {
    const current = callers.filter(({ revoked }) => revoked === undefined);
    const entries = current.map(({ name, role, ...entry }) => ({ caller: Object.freeze({ name, role }), ...entry }));
    this.#byName = new Map(entries.map(({ caller }) => [caller.name, caller]));
    this.#bySubject = new Map(
      entries.flatMap(({ caller, subject, enrolled }) =>
        subject === undefined ? [] : [[subject, { caller, isEnrolled: enrolled === true }] as const],
      ),
    );
    this.#byKeyId = new Map(
      entries.flatMap(({ caller, keys }) =>
        keys.map((key) => [key.id, { hash: Buffer.from(key.sha256, 'hex'), endsAt: endOf(key), caller }] as const),
      ),
    );
  }

  #tell(callers: CallerList | undefined, warning: string | undefined): void {
    const facts = { file: this.#path };
    if (callers === undefined || this.#byName.size === 0) {
      this.#logger.warn(
        facts,
        'There are no callers, so nobody is let in: npm run ledger -- callers add NAME --role writer',
      );
    } else {
      this.#logger.info({ ...facts, callers: this.#byName.size, keys: this.#byKeyId.size }, 'The callers were read.');
    }
    if (warning !== undefined) this.#logger.warn(facts, warning);
  }
}
