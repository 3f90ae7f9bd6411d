import { existsSync } from 'node:fs';
import { LedgerApiEnvironment } from './ledger-api.environment.js';

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
  if (existsSync('.env')) process.loadEnvFile('.env');
  const { env } = process;
  const set = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  return Object.freeze({
    mspId: set('LEDGER_MSP_ID') ?? new LedgerApiEnvironment().LEDGER_MSP_ID,
    connectionProfile: set('FABRIC_CONNECTION_PROFILE'),
    caName: set('FABRIC_CA_NAME'),
    walletDir: set('FABRIC_WALLET_DIR'),
    certificate: set('FABRIC_CERT'),
    privateKey: set('FABRIC_KEY'),
    secret: set('FABRIC_CA_SECRET'),
  });
}
