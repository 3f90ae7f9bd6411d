import type { CommitObservation, Ledger } from '../../ports/ledger.port.js';
import type { LedgerNames } from './directory/data-directory.js';
import { openEmbeddedLedger } from './open-embedded-ledger.js';

/** Where the driver tells what an operator should know; pino's loggers fit. */
export interface LedgerLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** What {@link createEmbeddedLedger} needs. */
export interface EmbeddedLedgerOptions extends LedgerNames {
  /** Made with its identities and an empty chain when nothing is there. */
  readonly dataDir: string;
  /** Called after each commit, before its writers hear of it. */
  readonly onCommit?: (observation: CommitObservation) => void;
  readonly logger?: LedgerLogger;
}

/**
 * Opens the ledger in a data directory, or makes a new one.
 * @throws {@link MisconfiguredError} when the directory cannot be written, is in use by another process, or was made for
 * another channel, chaincode or MSP or by a newer program; {@link DamagedError} when what is stored is not what was written
 */
export async function createEmbeddedLedger(options: EmbeddedLedgerOptions): Promise<Ledger> {
  return openEmbeddedLedger(options);
}
