import { existsSync } from 'node:fs';
import { registerAs } from '@nestjs/config';
import { Environment, LEDGER_DRIVERS, type LedgerDriver, type LogLevel } from './environment.js';
import { checkVariables, InvalidEnvironmentError, variablesOf } from './variables.js';

/** What ledger-api runs with: the environment, checked once and frozen, in namespaces. */
export interface LedgerApiConfig {
  readonly log: { readonly level: LogLevel };
  readonly server: ServerConfig;
  readonly ledger: LedgerConfig;
}

/** Where the API listens, and to whom. */
export interface ServerConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly httpPort: number;
  /** 0: no https. */
  readonly httpsPort: number;
  /** Host names that requests may be addressed to, beside IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
  /** Without it a self-signed certificate is kept in the data directory. */
  readonly tls?: { readonly certificateFile: string; readonly keyFile: string };
}

/** The ledger and the driver in front of it. */
export type LedgerConfig = DriverConfig & {
  readonly dataDir: string;
  readonly channel: string;
  readonly chaincode: string;
  readonly mspId: string;
};

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

/** The namespaces, each injected by its `KEY`. */
export const logConfig = registerAs('log', () => readConfig(process.env).log);
export const serverConfig = registerAs('server', () => readConfig(process.env).server);
export const ledgerConfig = registerAs('ledger', () => readConfig(process.env).ledger);

/** Reads `.env` of the working directory into the process environment, if it is there; what is set already wins. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/** Reads `.env` and checks what ledger-api will run with. @throws {@link InvalidEnvironmentError} */
export function checkEnvironment(): void {
  loadEnvFile();
  readConfig(process.env);
}

/**
 * Checks the environment and gives the frozen configuration; an empty variable counts as absent.
 * @throws {@link InvalidEnvironmentError} with one line for each bad variable
 */
export function readConfig(environment: NodeJS.ProcessEnv): LedgerApiConfig {
  const names = variablesOf(Environment).map(({ name }) => name as keyof Environment);
  const { values, lines: faults } = checkVariables(Environment, environment, names);
  const lines = [...faults, ...samePort(values), ...driverFaults(values)];
  if (lines.length > 0) throw new InvalidEnvironmentError(lines);
  return {
    log: Object.freeze({ level: values.LOG_LEVEL }),
    server: serverOf(values),
    ledger: Object.freeze({
      ...driverConfig(values, (environment['LEDGER_MSP_ID'] ?? '') === '' ? undefined : values.LEDGER_MSP_ID),
      dataDir: values.LEDGER_DATA_DIR,
      channel: values.LEDGER_CHANNEL,
      chaincode: values.LEDGER_CHAINCODE,
      mspId: values.LEDGER_MSP_ID,
    }),
  };
}

function serverOf(values: Environment): ServerConfig {
  const { LEDGER_API_HOST: host, LEDGER_API_TLS_CERT: certificateFile, LEDGER_API_TLS_KEY: keyFile } = values;
  const hasTls = certificateFile !== undefined && keyFile !== undefined;
  return Object.freeze({
    host,
    httpPort: values.LEDGER_API_PORT,
    httpsPort: values.LEDGER_API_HTTPS_PORT,
    allowedHosts: Object.freeze([host, ...listOf(values.LEDGER_API_ALLOWED_HOSTS)]),
    ...(hasTls && { tls: Object.freeze({ certificateFile, keyFile }) }),
  });
}

function samePort({ LEDGER_API_PORT: http, LEDGER_API_HTTPS_PORT: https }: Environment): string[] {
  if (http !== https || http === 0) return [];
  return [`LEDGER_API_HTTPS_PORT = "${https}": http listens there already; use another port, or 0 to turn https off.`];
}

/** What the chosen driver needs; a driver that is none is reported already. */
function driverFaults(values: Environment): string[] {
  const { LEDGER_DRIVER: driver } = values;
  return LEDGER_DRIVERS.includes(driver) ? fabricFaults(driver, values) : [];
}

const NEEDED = {
  embedded: [],
  fabric: ['FABRIC_CONNECTION_PROFILE', 'FABRIC_WALLET_DIR', 'FABRIC_IDENTITY'],
  'fabric-gateway': ['FABRIC_PEER_ENDPOINTS', 'FABRIC_CERT', 'FABRIC_KEY'],
} as const satisfies Record<LedgerDriver, readonly (keyof Environment)[]>;

/** One line for each variable that the chosen driver needs and that is not set, or does not fit another. */
function fabricFaults(driver: LedgerDriver, environment: Environment): string[] {
  const missing = NEEDED[driver]
    .filter((name) => environment[name] === undefined)
    .map((name) => `${name} is not set: LEDGER_DRIVER=${driver} needs it.`);
  return [...missing, ...aliasFault(environment)];
}

/**
 * The settings of the chosen driver, from an environment without faults.
 * @param givenMspId - LEDGER_MSP_ID where it is set, as opposed to its default
 */
function driverConfig(environment: Environment, givenMspId: string | undefined): DriverConfig {
  const { LEDGER_DRIVER: driver } = environment;
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

function common(environment: Environment): FabricCommon {
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

function gateway(environment: Environment): Omit<FabricGatewayConfig, 'driver' | keyof FabricCommon> {
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

function aliasFault({ FABRIC_PEER_ENDPOINTS: peers, FABRIC_PEER_HOST_ALIAS: alias }: Environment): string[] {
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
