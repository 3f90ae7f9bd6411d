import type { LedgerLogger } from '#ledger-gateway';

/** A logger whose children add facts to each message; a pino logger fits. */
export interface TreeLogger extends LedgerLogger {
  child(facts: object): TreeLogger;
}
