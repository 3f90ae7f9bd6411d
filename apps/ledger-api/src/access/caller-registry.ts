import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { toolCommand } from '#files';
import {
  type CallerAttributes,
  type CallerList,
  claimedIdOf,
  expiryOf,
  isHashOf,
  isWhole,
  readCallers,
  versionOf,
} from '#ledger-callers';
import type { Caller, Session } from './access.decorators.js';

/** How the callers file is watched, in milliseconds. */
const FOLLOW = {
  /** The polling interval. */
  pollEvery: 250,
  /** How long the last valid content is used while the file is unreadable. */
  holdFor: 10_000,
  /** A monotonic clock. */
  now: (): number => performance.now(),
};

/** A failed lookup of a key or token, with facts for the log. */
export interface FailedLookup {
  readonly outcome: 'no key' | 'unknown' | 'expired' | 'no caller' | 'bad token';
  /** Present for any text in the form of a key. */
  readonly keyId?: string;
  /** The name of the caller. */
  readonly caller?: string;
  /** The subject of a valid token. */
  readonly subject?: string;
  /** The error in a token. */
  readonly reason?: string;
}

/** The result of a lookup by key or token. */
export type Lookup = { readonly outcome: 'known'; readonly session: Session } | FailedLookup;

interface KnownKey {
  readonly hash: Buffer;
  /** Milliseconds since 1970 from which on it is refused. */
  readonly endsAt: number;
  readonly caller: Caller;
}

/** The caller that a token's claim identifies. */
export interface CallerOfSubject {
  readonly caller: Caller;
  /** Whether it was created from a token; then the role in the token counts. */
  readonly isEnrolled: boolean;
}

/**
 * The callers of the callers file, reloaded when `npm run ledger -- callers …` changes it. While the file is unreadable, the
 * last valid content is used for a while; then all requests are refused. A missing file has no callers.
 */
export class CallerRegistry implements OnApplicationShutdown {
  #byKeyId: ReadonlyMap<string, KnownKey> = new Map();
  #byName: ReadonlyMap<string, CallerAttributes> = new Map();
  #bySubject: ReadonlyMap<string, CallerOfSubject> = new Map();
  #version: string | undefined;
  #validAt = -Infinity;
  #error: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param file - the path of the callers file */
  constructor(
    readonly file: string,
    private readonly logger: Logger,
    private readonly options = FOLLOW,
  ) {}

  /** Reads the file and starts watching it. @throws {@link CallersError} if it exists and is invalid */
  async follow(): Promise<void> {
    await this.refresh();
    this.#schedule();
  }

  /** Checks whether the callers are up to date. */
  isCurrent(): boolean {
    return this.options.now() - this.#validAt <= this.options.holdFor;
  }

  /** Checks whether a caller with this name exists and is not revoked. */
  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Returns the attributes of a caller's certificate, none for an unknown caller. */
  attributesOf(name: string): CallerAttributes {
    return this.#byName.get(name) ?? {};
  }

  /** Finds the caller of a key. The time it takes does not depend on the stored keys. */
  findByKey(text: string, now = Date.now()): Lookup {
    const keyId = claimedIdOf(text);
    if (keyId === undefined) return { outcome: 'no key' };
    const known = this.#byKeyId.get(keyId);
    const isSame = isHashOf(text, known?.hash);
    // A text with the hash of a key is a key. For others the checksum distinguishes a mistyped key from an unknown one.
    if (known === undefined || !isSame) return isWhole(text) ? { outcome: 'unknown', keyId } : { outcome: 'no key' };
    const { endsAt, caller } = known;
    if (endsAt <= now) return { outcome: 'expired', caller: caller.name, keyId };
    const current = (): Caller | undefined => {
      const key = this.#byKeyId.get(keyId);
      return key !== undefined && key.endsAt > Date.now() ? key.caller : undefined;
    };
    return { outcome: 'known', session: { caller, current } };
  }

  /** Finds the caller of a token's claim. */
  findBySubject(subject: string): CallerOfSubject | undefined {
    return this.#bySubject.get(subject);
  }

  /** Whether there are keys. */
  get hasKeys(): boolean {
    return this.#byKeyId.size > 0;
  }

  /** Reloads the file if it has changed. @throws {@link CallersError} */
  async refresh(): Promise<void> {
    const began = this.options.now();
    if ((await versionOf(this.file)) !== this.#version) {
      const { callers, version, warning } = await readCallers(this.file);
      this.#index(callers ?? []);
      this.#version = version;
      this.#report(warning);
    }
    this.#validAt = began;
  }

  onApplicationShutdown(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#poll(), this.options.pollEvery).unref();
  }

  async #poll(): Promise<void> {
    try {
      await this.refresh();
      if (this.#error !== undefined) this.logger.info('The callers file is readable again.');
      this.#error = undefined;
    } catch (error) {
      // Reads it again each time until it is valid.
      this.#version = undefined;
      const { message } = error as Error;
      if (message !== this.#error) {
        const seconds = this.options.holdFor / 1000;
        this.logger.error(`${message} The previous content is used for ${seconds} s; then all requests are refused.`);
      }
      this.#error = message;
    }
    if (this.#timer !== undefined) this.#schedule();
  }

  #index(callers: CallerList): void {
    const entries = callers.filter(({ revoked }) => revoked === undefined);
    const [byKeyId, bySubject] = [new Map<string, KnownKey>(), new Map<string, CallerOfSubject>()];
    for (const { name, role, subject, enrolled, keys } of entries) {
      const caller = Object.freeze({ name, role });
      if (subject !== undefined) bySubject.set(subject, { caller, isEnrolled: enrolled === true });
      for (const key of keys) {
        byKeyId.set(key.id, { hash: Buffer.from(key.sha256, 'hex'), endsAt: expiryOf(key), caller });
      }
    }
    this.#byKeyId = byKeyId;
    this.#bySubject = bySubject;
    this.#byName = new Map(entries.map(({ name, attributes = {} }) => [name, attributes]));
  }

  #report(warning: string | undefined): void {
    const facts = { file: this.file };
    const [callers, keys] = [this.#byName.size, this.#byKeyId.size];
    if (callers > 0) this.logger.info({ ...facts, callers, keys }, 'The callers file was loaded.');
    else {
      const command = `${toolCommand('ledger')} callers add NAME --role writer`;
      this.logger.warn(facts, `There are no callers, so all requests are refused. Add one: ${command}`);
    }
    if (warning !== undefined) this.logger.warn(facts, warning);
  }
}
