import type { LedgerLogger } from '../../ports/ledger-logger.js';
import type { CommitObservation } from '../../ports/ledger.port.js';
import type { LedgerNames } from './directory/data-directory.js';

/** What `createEmbeddedLedger` needs. */
export interface EmbeddedLedgerOptions extends LedgerNames {
  /** Made with its identities and an empty chain when nothing is there. */
  readonly dataDir: string;
  /** Called after each commit, before its writers hear of it. */
  readonly onCommit?: (observation: CommitObservation) => void;
  readonly logger?: LedgerLogger;
}
