// The implementation of the commands. It is loaded when a command runs, so that `--help` and `--version` start without it.
import { callersFileIn, loadEnvFile } from '../../../apps/ledger-api/src/config/config.js';
import { Environment } from '../../../apps/ledger-api/src/config/environment.js';
import { readVariables } from '../../../apps/ledger-api/src/config/variables.js';

export {
  backupLedger,
  convertLedger,
  exportLedger,
  importLedger,
  parseExpectedHead,
  parseHash,
  readRoots,
  rebuildLedger,
  renewCaller,
  TrustedRoots,
  verifyLedger,
  verifyReceipt,
} from '#ledger-gateway';
export { addCaller, hasExpired, revokeCaller, rotateKeys } from '../../../apps/ledger-api/src/access/caller-list.js';
export { certificatesDirOf, changeCallers, readCallers } from '../../../apps/ledger-api/src/access/callers-file.js';
export { ProgressBar } from './progress-bar.js';

/** Returns the data directory that the environment configures. */
export function configuredDirectory(): string {
  loadEnvFile();
  return readVariables(Environment, process.env, ['LEDGER_DATA_DIR']).LEDGER_DATA_DIR;
}

/** Returns the callers file: the given one, that of the given data directory, or the configured one. */
export function callersFileOf({ callersFile, dataDir }: CallersPlace): string {
  if (callersFile !== undefined) return callersFile;
  if (dataDir !== undefined) return callersFileIn(dataDir);
  loadEnvFile();
  const variables = readVariables(Environment, process.env, ['LEDGER_DATA_DIR', 'LEDGER_CALLERS_FILE']);
  return variables.LEDGER_CALLERS_FILE ?? callersFileIn(variables.LEDGER_DATA_DIR);
}

interface CallersPlace {
  readonly callersFile?: string;
  readonly dataDir?: string;
}
