import { loadEnvFile } from '../../apps/ledger-api/src/config/config.js';
import { Environment } from '../../apps/ledger-api/src/config/environment.js';
import { readVariables } from '../../apps/ledger-api/src/config/variables.js';

/**
 * Returns variables of ledger-api, from `.env` and the environment, which wins. Others are not validated: a tool works
 * without a complete configuration.
 */
export function configured<K extends keyof Environment>(...names: readonly K[]): Pick<Environment, K> {
  loadEnvFile();
  return readVariables(Environment, process.env, names);
}
