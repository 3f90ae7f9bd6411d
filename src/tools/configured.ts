import { loadEnvFile, readConfig, type LedgerConfig } from '../../apps/ledger-api/src/config/config.js';
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

/**
 * Returns the configuration of a ledger for ledger-api, with another driver.
 * @throws {@link InvalidEnvironmentError} with one line for each invalid variable
 */
export function configuredLedger(driver: Environment['LEDGER_DRIVER']): LedgerConfig {
  loadEnvFile();
  return readConfig({ ...process.env, LEDGER_DRIVER: driver, LEDGER_READ_ONLY: 'off' }).ledger;
}
