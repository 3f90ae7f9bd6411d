export {
  type CallersConfig,
  type IndexConfig,
  callersFileIn,
  type LedgerApiConfig,
  type LedgerConfig,
  type LimitOptions,
  loadEnvFile,
  readConfig,
  type ServerConfig,
  type TokenOptions,
  treeConfig,
  type TreeConfig,
  type WitnessConfig,
} from './read-config.js';
export { CHANNEL_NAME, Environment, isLoopback, issuerUrlError, MSP_ID } from './environment.js';
export { withPresentNames } from './renamed-variables.js';
export { ignoredText, misspeltLine, unknownVariables } from './unknown-variables.js';
export { envExampleOf, InvalidEnvironmentError, readVariables, variablesOf } from './variables.js';
