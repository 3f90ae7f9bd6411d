import { withoutServiceVariables } from '#environment';
import {
  Environment,
  InvalidEnvironmentError,
  type LedgerConfig,
  loadEnvFile,
  misspeltLine,
  readConfig,
  readVariables,
  unknownVariables,
  variablesOf,
  withPresentNames,
} from '#ledger-config';

/**
 * Returns variables of ledger-api, from `.env` and the environment, which wins. Others are not validated: a tool works
 * without a complete configuration.
 * @throws {@link InvalidEnvironmentError} with one line for each invalid or misspelt variable
 */
export function configured<K extends keyof Environment>(...names: readonly K[]): Pick<Environment, K> {
  loadEnvFile();
  const { environment } = withPresentNames(withoutServiceVariables(process.env));
  const misspelt = unknownVariables(environment, variablesOf(Environment)).filter(
    ({ intended }) => intended !== undefined,
  );
  if (misspelt.length > 0) throw new InvalidEnvironmentError(misspelt.map(misspeltLine));
  return readVariables(Environment, environment, names);
}

/**
 * Returns the configuration of a ledger for ledger-api, with another driver.
 * @throws {@link InvalidEnvironmentError} with one line for each invalid variable
 */
export function configuredLedger(driver: Environment['LEDGER_DRIVER']): LedgerConfig {
  loadEnvFile();
  return readConfig({ ...process.env, LEDGER_DRIVER: driver, LEDGER_READ_ONLY: 'off' }).ledger;
}
