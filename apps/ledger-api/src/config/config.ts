import { existsSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import { registerAs } from '@nestjs/config';
import { Environment, issuerUrlFault, LEDGER_DRIVERS, type LedgerDriver, type LogLevel } from './environment.js';
import { checkVariables, InvalidEnvironmentError, variablesOf } from './variables.js';

/** What ledger-api runs with: the environment, checked once and frozen, in namespaces. */
export interface LedgerApiConfig {
  readonly log: { readonly level: LogLevel };
  readonly server: ServerConfig;
  readonly callers: CallersConfig;
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
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may call from a browser. */
  readonly corsOrigins: readonly string[];
  /** How much each may ask for; without it as much as they like. */
  readonly requestLimit?: LimitOptions;
  /** Without it a self-signed certificate is kept in the data directory. */
  readonly tls?: { readonly certificateFile: string; readonly keyFile: string };
}

/** Which tokens are taken. */
export interface TokenOptions {
  /** As it stands in tokens, exactly. */
  readonly issuer: string;
  readonly audience: string;
  /** The claim whose value says who calls. */
  readonly callerClaim: string;
  /** The claim with roles; `scope` is looked at too. A dot leads into an object, as in `realm_access.roles`. */
  readonly rolesClaim: string;
}

/** How much may be asked for, and where it is counted. */
export interface LimitOptions {
  /** Requests of one caller in each second. */
  readonly perSecond: number;
  /** URL of a Redis server that all replicas count in; without it each process counts for itself. May hold a password. */
  readonly redis?: string | undefined;
}

/** Who may call, and how they show it. */
export interface CallersConfig {
  /** Whether callers have to log in. */
  readonly isOn: boolean;
  /** The file with their entries. */
  readonly file: string;
  /** Whether keys are taken over https only. */
  readonly needsTls: boolean;
  /** Whether everybody may read /metrics. */
  readonly hasOpenMetrics: boolean;
  /** Whether a transaction is signed by its caller instead of the service. */
  readonly sign: boolean;
  /** Functions of chaincode that not only admins may call, as CHAINCODE:FUNCTION. */
  readonly listedFunctions: readonly string[];
  /** Which tokens are taken; without it none are. */
  readonly tokens?: TokenOptions & {
    /** Whether good tokens make callers of those who bring them. */
    readonly enrol: boolean;
  };
}

/** The ledger and the driver in front of it. */
export type LedgerConfig = DriverConfig & {
  readonly dataDir: string;
  readonly channel: string;
  readonly chaincode: string;
  readonly mspId: string;
  /** For how long a certificate that was renewed is looked under for what a repeated write made. */
  readonly idempotencyDays: number;
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
  /** Wallet with the identities of callers who sign for themselves. */
  readonly walletDir?: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** What is set for the chosen driver alone. */
export type DriverConfig = { readonly driver: 'embedded' } | FabricProfileConfig | FabricGatewayConfig;

/** The namespaces, each injected by its `KEY`. */
export const logConfig = registerAs('log', () => readConfig(process.env).log);
export const serverConfig = registerAs('server', () => readConfig(process.env).server);
export const callersConfig = registerAs('callers', () => readConfig(process.env).callers);
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
  const hasHost = !faults.some((line) => line.startsWith('LEDGER_API_HOST '));
  const lines = [
    ...faults,
    ...samePort(values),
    ...proxyFaults(values),
    ...(hasHost ? callersFaults(values) : []),
    ...issuerFaults(values),
    ...limitFaults(values),
    ...driverFaults(values),
  ];
  if (lines.length > 0) throw new InvalidEnvironmentError(lines);
  return {
    log: Object.freeze({ level: values.LOG_LEVEL }),
    server: serverOf(values),
    callers: callersOf(values),
    ledger: Object.freeze({
      ...driverConfig(values, (environment['LEDGER_MSP_ID'] ?? '') === '' ? undefined : values.LEDGER_MSP_ID),
      dataDir: values.LEDGER_DATA_DIR,
      channel: values.LEDGER_CHANNEL,
      chaincode: values.LEDGER_CHAINCODE,
      mspId: values.LEDGER_MSP_ID,
      idempotencyDays: values.LEDGER_IDEMPOTENCY_DAYS,
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
    trustedProxies: Object.freeze(listOf(values.LEDGER_TRUSTED_PROXIES)),
    corsOrigins: Object.freeze(listOf(values.LEDGER_API_CORS_ORIGINS)),
    ...limitOf(values),
    ...(hasTls && { tls: Object.freeze({ certificateFile, keyFile }) }),
  });
}

function limitOf({
  LEDGER_RATE_LIMIT: perSecond,
  LEDGER_RATE_LIMIT_REDIS: redis,
}: Environment): Pick<ServerConfig, 'requestLimit'> {
  return perSecond === undefined ? {} : { requestLimit: Object.freeze({ perSecond, redis }) };
}

/** Where the callers of a data directory are listed. */
export function callersFileIn(dataDir: string): string {
  return join(dataDir, 'callers.json');
}

function callersOf(values: Environment): CallersConfig {
  const isOn = values.LEDGER_AUTH === 'on';
  return Object.freeze({
    isOn,
    needsTls: !isLoopback(values.LEDGER_API_HOST) && values.LEDGER_API_PLAIN !== 'on',
    hasOpenMetrics: values.LEDGER_METRICS === 'open',
    listedFunctions: Object.freeze(listOf(values.LEDGER_CONTRACTS)),
    file: values.LEDGER_CALLERS_FILE ?? callersFileIn(values.LEDGER_DATA_DIR),
    sign: (values.LEDGER_SIGN_AS ?? (isOn && values.LEDGER_DRIVER === 'embedded' ? 'caller' : 'service')) === 'caller',
    ...tokensOf(values),
  });
}

function tokensOf(values: Environment): Pick<CallersConfig, 'tokens'> {
  const { LEDGER_JWT_ISSUER: issuer, LEDGER_JWT_AUDIENCE: audience } = values;
  if (issuer === undefined || audience === undefined) return {};
  const tokens = {
    issuer,
    audience,
    callerClaim: values.LEDGER_JWT_CALLER_CLAIM,
    rolesClaim: values.LEDGER_JWT_ROLES_CLAIM,
    enrol: values.LEDGER_JWT_ENROL === 'on',
  };
  return { tokens: Object.freeze(tokens) };
}

function issuerFaults({ LEDGER_JWT_ISSUER: issuer, LEDGER_JWT_ENROL: enrol }: Environment): string[] {
  if (issuer === undefined) {
    return enrol === 'on' ? ['LEDGER_JWT_ENROL = "on": there are tokens with LEDGER_JWT_ISSUER only.'] : [];
  }
  const fault = issuerUrlFault(issuer);
  // Not the value: it may hold a password.
  return fault === undefined ? [] : [`LEDGER_JWT_ISSUER cannot be asked: ${fault}.`];
}

function limitFaults({ LEDGER_RATE_LIMIT: limit, LEDGER_RATE_LIMIT_REDIS: redis }: Environment): string[] {
  if (redis === undefined) return [];
  // Not the value: it may hold a password.
  const isUrl = /^rediss?:\/\/./.test(redis) && URL.canParse(redis);
  const url = isUrl
    ? []
    : ['LEDGER_RATE_LIMIT_REDIS is no URL of Redis: use redis://host:6379, or rediss:// with TLS.'];
  return limit === undefined ? [...url, 'LEDGER_RATE_LIMIT is not set: LEDGER_RATE_LIMIT_REDIS counts for it.'] : url;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine reaches an address. A name that is not localhost may resolve to anything. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family !== 0) return LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
  return host.toLowerCase() === 'localhost';
}

function proxyFaults({ LEDGER_TRUSTED_PROXIES: proxies }: Environment): string[] {
  return listOf(proxies).flatMap((network) => {
    const [, address = '', bits = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    if (Number(bits) <= most) return [];
    return [`LEDGER_TRUSTED_PROXIES = ${JSON.stringify(proxies)}: use IP addresses or networks such as 10.0.0.0/8.`];
  });
}

/** Nobody is let in from outside, and no key goes in clear text, unless that was said. */
function callersFaults(values: Environment): string[] {
  const { LEDGER_API_HOST: host, LEDGER_AUTH: auth, LEDGER_SIGN_AS: sign, LEDGER_METRICS: metrics } = values;
  const { LEDGER_JWT_ISSUER: issuer } = values;
  if (auth === 'on') {
    if (values.LEDGER_API_HTTPS_PORT !== 0 || isLoopback(host) || values.LEDGER_API_PLAIN === 'on') return [];
    return [
      'LEDGER_API_HTTPS_PORT = "0": beyond loopback keys go over https only; ' +
        'give it a port, or set LEDGER_API_PLAIN=on if something in front speaks https.',
    ];
  }
  const needless = {
    LEDGER_SIGN_AS: sign === 'caller',
    LEDGER_METRICS: metrics === 'reader',
    LEDGER_JWT_ISSUER: issuer !== undefined,
  };
  const lines = Object.entries(needless)
    .filter(([, isSet]) => isSet)
    .map(
      ([name]) =>
        `${name} = ${JSON.stringify(values[name as keyof typeof needless])}: there are callers with LEDGER_AUTH=on only.`,
    );
  if (auth === 'off' || isLoopback(host)) return lines;
  return [
    ...lines,
    `LEDGER_API_HOST = ${JSON.stringify(host)}: beyond loopback set LEDGER_AUTH=on, so that callers need a key ` +
      '(npm run ledger -- callers add NAME), or LEDGER_AUTH=off, so that whoever reaches it can read and write.',
  ];
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
  const isWalletMissing = environment.LEDGER_SIGN_AS === 'caller' && environment.FABRIC_WALLET_DIR === undefined;
  const needsWallet = driver === 'fabric-gateway' && isWalletMissing;
  const wallet = needsWallet
    ? ['FABRIC_WALLET_DIR is not set: with LEDGER_SIGN_AS=caller identities are taken from it.']
    : [];
  return [...missing, ...wallet, ...aliasFault(environment)];
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
    FABRIC_WALLET_DIR: walletDir,
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
    ...(walletDir !== undefined && { walletDir }),
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
