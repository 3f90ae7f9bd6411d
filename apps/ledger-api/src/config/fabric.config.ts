import type { FabricEnvironment } from './fabric.environment.js';
import type { LedgerDriver } from './ledger-api.environment.js';

/** What both Fabric drivers are set with. */
interface FabricCommon {
  /** Milliseconds for each stage of a call. */
  readonly limits: {
    readonly evaluate: number;
    readonly endorse: number;
    readonly submit: number;
    readonly commit: number;
  };
  readonly maxCalls: number;
  /** PEM files for mutual TLS. */
  readonly tlsClient?: { readonly certificate: string; readonly privateKey: string };
}

/** LEDGER_DRIVER=fabric. */
export interface FabricProfileConfig extends FabricCommon {
  readonly driver: 'fabric';
  readonly connectionProfile: string;
  readonly walletDir: string;
  readonly identity: string;
  /** LEDGER_MSP_ID where it is set: an identity of another organisation is refused. */
  readonly requiredMspId?: string;
  readonly discoveryAsLocalhost: boolean;
}

/** LEDGER_DRIVER=fabric-gateway. */
export interface FabricGatewayConfig extends FabricCommon {
  readonly driver: 'fabric-gateway';
  readonly peers: readonly { readonly endpoint: string; readonly hostAlias?: string }[];
  /** PEM file; without it connections are in clear text. */
  readonly tlsRootCertificates?: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** What is set for the chosen driver alone. */
export type DriverConfig = { readonly driver: 'embedded' } | FabricProfileConfig | FabricGatewayConfig;

const NEEDED = {
  embedded: [],
  fabric: ['FABRIC_CONNECTION_PROFILE', 'FABRIC_WALLET_DIR', 'FABRIC_IDENTITY'],
  'fabric-gateway': ['FABRIC_PEER_ENDPOINTS', 'FABRIC_CERT', 'FABRIC_KEY'],
} as const satisfies Record<LedgerDriver, readonly (keyof FabricEnvironment)[]>;

/** One line for each variable that the chosen driver needs and that is not set, or does not fit another. */
export function fabricFaults(driver: LedgerDriver, environment: FabricEnvironment): string[] {
  const missing = NEEDED[driver]
    .filter((name) => environment[name] === undefined)
    .map((name) => `${name} is not set: LEDGER_DRIVER=${driver} needs it.`);
  return [...missing, ...aliasFault(environment)];
}

/**
 * The settings of the chosen driver, from an environment without faults.
 * @param givenMspId LEDGER_MSP_ID where it is set, as opposed to its default
 */
export function driverConfig(
  driver: LedgerDriver,
  environment: FabricEnvironment,
  givenMspId: string | undefined,
): DriverConfig {
  switch (driver) {
    case 'embedded':
      return { driver };
    case 'fabric':
      return {
        driver,
        ...common(environment),
        connectionProfile: environment.FABRIC_CONNECTION_PROFILE ?? '',
        walletDir: environment.FABRIC_WALLET_DIR ?? '',
        identity: environment.FABRIC_IDENTITY ?? '',
        ...(givenMspId !== undefined && { requiredMspId: givenMspId }),
        discoveryAsLocalhost: environment.FABRIC_DISCOVERY_AS_LOCALHOST === 'true',
      };
    case 'fabric-gateway':
      return { driver, ...common(environment), ...gateway(environment) };
    default:
      return driver satisfies never;
  }
}

function common(environment: FabricEnvironment): FabricCommon {
  const { FABRIC_TLS_CLIENT_CERT: certificate, FABRIC_TLS_CLIENT_KEY: privateKey } = environment;
  const isMutual = certificate !== undefined && privateKey !== undefined;
  return {
    limits: Object.freeze({
      evaluate: environment.FABRIC_EVALUATE_TIMEOUT_MS,
      endorse: environment.FABRIC_ENDORSE_TIMEOUT_MS,
      submit: environment.FABRIC_SUBMIT_TIMEOUT_MS,
      commit: environment.FABRIC_COMMIT_TIMEOUT_MS,
    }),
    maxCalls: environment.FABRIC_MAX_CALLS,
    ...(isMutual && { tlsClient: Object.freeze({ certificate, privateKey }) }),
  };
}

function gateway(environment: FabricEnvironment): Omit<FabricGatewayConfig, 'driver' | keyof FabricCommon> {
  const {
    FABRIC_TLS_ROOT_CERT: tlsRootCertificates,
    FABRIC_CERT: certificate = '',
    FABRIC_KEY: privateKey = '',
  } = environment;
  const aliases = listOf(environment.FABRIC_PEER_HOST_ALIAS);
  const peers = listOf(environment.FABRIC_PEER_ENDPOINTS).map((endpoint, index) => {
    const hostAlias = aliases.length === 1 ? aliases[0] : aliases[index];
    return Object.freeze({ endpoint, ...(hostAlias !== undefined && { hostAlias }) });
  });
  return {
    peers: Object.freeze(peers),
    certificate,
    privateKey,
    ...(tlsRootCertificates !== undefined && { tlsRootCertificates }),
  };
}

function aliasFault({ FABRIC_PEER_ENDPOINTS: peers, FABRIC_PEER_HOST_ALIAS: alias }: FabricEnvironment): string[] {
  const [endpoints, aliases] = [listOf(peers), listOf(alias)];
  if (aliases.length <= 1 || aliases.length === endpoints.length) return [];
  return [
    `FABRIC_PEER_HOST_ALIAS = ${JSON.stringify(alias)}: use one name for all peers, or one for each of the ` +
      `${endpoints.length} in FABRIC_PEER_ENDPOINTS.`,
  ];
}

function listOf(text = ''): string[] {
  return text === '' ? [] : text.split(',');
}
