import type { RotatingFiles } from '../../fabric-client/rotating-files.js';
import type { SigningIdentity } from '../../fabric-client/signing-identity.js';
import { NetworkSession, type NetworkSessionOptions } from './network-session.js';

/** What every session is opened with, and where its identity comes from. */
export interface SessionKeeperOptions extends Omit<NetworkSessionOptions, 'identity'> {
  readonly identity: RotatingFiles<SigningIdentity>;
}

/** Longer than any call. */
const RETIRE_AFTER_MS = 300_000;
/**
 * The time after which a session is replaced doubles with each that was given up lately, so that a long outage does not
 * fill the process with them.
 */
const MOST_DOUBLINGS = 4;

/** Keeps one session, and replaces it when its identity was renewed or the SDK got stuck. */
export class SessionKeeper {
  readonly #options: SessionKeeperOptions;
  readonly #retired = new Set<NetworkSession>();
  #current: { readonly session: NetworkSession; readonly since: number } | undefined;

  constructor(options: SessionKeeperOptions) {
    this.#options = options;
  }

  async session(): Promise<NetworkSession> {
    const identity = await this.#options.identity.current();
    if (this.#current !== undefined && this.#current.session.identity !== identity) this.#retire();
    this.#current ??= { session: new NetworkSession({ ...this.#options, identity }), since: Date.now() };
    return this.#current.session;
  }

  /**
   * The session serves no more: discovery or the stream of commits may have got stuck in it, which the SDK does not
   * mend. Calls under way in it go on.
   */
  discard(session: NetworkSession): void {
    const youngest = this.#options.pace.replace * 2 ** Math.min(this.#retired.size, MOST_DOUBLINGS);
    if (this.#current?.session !== session || Date.now() - this.#current.since < youngest) return;
    this.#retire();
  }

  close(): void {
    this.#current?.session.close();
    for (const session of this.#retired) session.close();
  }

  #retire(): void {
    const session = this.#current?.session;
    this.#current = undefined;
    if (session === undefined) return;
    this.#retired.add(session);
    setTimeout(() => {
      this.#retired.delete(session);
      session.close();
    }, RETIRE_AFTER_MS).unref();
  }
}
