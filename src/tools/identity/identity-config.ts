import { loadEnvFile } from '../../../apps/ledger-api/src/config/config.js';
import { Environment } from '../../../apps/ledger-api/src/config/environment.js';
import { readVariables } from '../../../apps/ledger-api/src/config/variables.js';

/** What `npm run identity` takes from the environment where its options say nothing. */
export interface IdentityConfig {
  readonly mspId: string;
  readonly connectionProfile?: string | undefined;
  readonly caName?: string | undefined;
  readonly walletDir?: string | undefined;
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
  /** FABRIC_CA_SECRET: the secret of the identity that is enrolled or registered. */
  readonly secret?: string | undefined;
}

/**
 * Reads `.env`, if it is there, and the environment, which wins. Unlike the API this does not ask for a whole
 * configuration: identities are made before there is one.
 */
export function loadIdentityConfig(): IdentityConfig {
  loadEnvFile();
  const { FABRIC_CA_SECRET } = process.env;
  const values = readVariables(Environment, process.env, [
    'LEDGER_MSP_ID',
    'FABRIC_CONNECTION_PROFILE',
    'FABRIC_CA_NAME',
    'FABRIC_WALLET_DIR',
    'FABRIC_CERT',
    'FABRIC_KEY',
  ]);
  return Object.freeze({
    mspId: values.LEDGER_MSP_ID,
    connectionProfile: values.FABRIC_CONNECTION_PROFILE,
    caName: values.FABRIC_CA_NAME,
    walletDir: values.FABRIC_WALLET_DIR,
    certificate: values.FABRIC_CERT,
    privateKey: values.FABRIC_KEY,
    secret: FABRIC_CA_SECRET === '' ? undefined : FABRIC_CA_SECRET,
  });
}
