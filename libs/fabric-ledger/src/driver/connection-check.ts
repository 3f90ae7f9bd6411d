import { setTimeout as delay } from 'node:timers/promises';
import { isLedgerError, LedgerError } from '#ledger-gateway';
import type { ConnectionState } from '#ledger-gateway/driver';
import { PACE } from './fabric-transport.js';

/** Timeout of a check of the connection. */
const PROBE_MS = 3000;

/** Options of {@link ConnectionCheck}. */
export interface ConnectionCheckOptions {
  /** Reads from a peer. */
  readonly read: () => Promise<unknown>;
  /** Checks whether transactions could be ordered. */
  readonly ordering: () => Promise<void>;
  /** Aborts when the ledger is closed. */
  readonly closed: AbortSignal;
}

/** Checks whether calls of a channel can be expected to succeed; the result is cached for a second. */
export class ConnectionCheck {
  readonly #options: ConnectionCheckOptions;
  #state: { readonly answer: Promise<ConnectionState>; readonly until: number } | undefined;

  constructor(options: ConnectionCheckOptions) {
    this.#options = options;
  }

  state(): Promise<ConnectionState> {
    if (this.#options.closed.aborted) {
      return Promise.resolve({ status: 'unavailable', reason: 'The ledger is closed.' });
    }
    if (this.#state === undefined || Date.now() >= this.#state.until) {
      this.#state = { answer: this.#check(), until: Date.now() + PACE.state };
    }
    return this.#state.answer;
  }

  async #check(): Promise<ConnectionState> {
    const { read, ordering, closed } = this.#options;
    const timeout = timeoutError(closed);
    const unread = await Promise.race([failureOf(read()), timeout]);
    if (unread !== undefined) return { status: 'unavailable', reason: unread.message };
    const unordered = await Promise.race([failureOf(ordering()), timeout]);
    if (unordered !== undefined) return { status: 'read-only', reason: unordered.message };
    return { status: 'ready' };
  }
}

/** Resolves with an error when a check has taken too long, or at once when the ledger is closed. */
async function timeoutError(signal: AbortSignal): Promise<LedgerError> {
  await delay(PROBE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  return new LedgerError('LEDGER.TIMEOUT', 'The network did not respond in time.');
}

/** Returns why a call failed; undefined if it succeeded, or a peer refused it only because it has too many calls. */
async function failureOf(call: Promise<unknown>): Promise<LedgerError | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!isLedgerError(error)) throw error;
    return isLedgerError(error, 'LEDGER.OVERLOADED') ? undefined : error;
  }
}
