import { isLedgerError, LedgerError, type LedgerLogger } from '#ledger-gateway';
import { PACE } from './fabric-transport.js';
import type { Signers } from './signers.js';

/** Options of {@link CallerAccess}. */
export interface CallerAccessOptions {
  readonly channel: string;
  readonly signers: Pick<Signers, 'identityOf'>;
  /** Sends a query signed with the caller's identity; rejects with `LEDGER.CALLER_REFUSED` when the network refuses it. */
  readonly query: (caller: string) => Promise<unknown>;
  readonly logger: LedgerLogger | undefined;
}

interface AccessCheck {
  readonly certificate: string;
  readonly until: number;
  readonly result: Promise<unknown>;
}

/** A caller that keeps trying would fill the log. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Checks whether the network accepts the callers' identities. Blocks are read with the service's identity, so a caller
 * that the network bars must be refused before.
 */
export class CallerAccess {
  readonly #options: CallerAccessOptions;
  readonly #checks = new Map<string, AccessCheck>();
  readonly #loggedAt = new Map<string, number>();

  constructor(options: CallerAccessOptions) {
    this.#options = options;
  }

  /** @throws `LEDGER.UNKNOWN_CALLER`, `LEDGER.CALLER_REFUSED`, and what the query throws when it gets no answer */
  async require(caller: string): Promise<void> {
    const { signers, query } = this.#options;
    const { certificate } = await signers.identityOf(caller);
    let verdict = this.#checks.get(caller);
    if (verdict?.certificate !== certificate || Date.now() >= verdict.until) {
      verdict = { certificate, until: Date.now() + PACE.access, result: query(caller) };
      this.#checks.set(caller, verdict);
    }
    try {
      await verdict.result;
    } catch (error) {
      // Only an answer of the network is cached.
      const isAnswer = isLedgerError(error, 'LEDGER.CALLER_REFUSED');
      if (!isAnswer && this.#checks.get(caller) === verdict) this.#checks.delete(caller);
      throw error;
    }
  }

  /** Creates the error for a call that the network refused because of the caller's identity; logs it once a minute per caller. */
  refusal(caller: string, cause: LedgerError): LedgerError {
    const { channel, logger } = this.#options;
    const now = Date.now();
    if (now - (this.#loggedAt.get(caller) ?? -Infinity) >= LOG_INTERVAL_MS) {
      this.#loggedAt.set(caller, now);
      logger?.warn({ caller, reason: cause.message }, "the network refuses a caller's identity");
    }
    const text = `The network refuses the identity of ${caller} on channel ${channel}.`;
    return new LedgerError('LEDGER.CALLER_REFUSED', text, { cause, endpoint: cause.endpoint });
  }
}
