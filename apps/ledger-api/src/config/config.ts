import { toolCommand } from '#ledger-gateway';
import { existsSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import { Environment, issuerUrlError, LEDGER_DRIVERS, type LedgerDriver, type LogLevel } from './environment.js';
import { checkVariables, InvalidEnvironmentError, variablesOf } from './variables.js';

/** The configuration of ledger-api, parsed and validated once from the environment and frozen. */
export interface LedgerApiConfig {
  readonly log: { readonly level: LogLevel };
  readonly server: ServerConfig;
  readonly callers: CallersConfig;
  readonly ledger: LedgerConfig;
}

/** The listeners and the requests that they accept. */
export interface ServerConfig {
  readonly host: string;
  /** 0 selects a free port. */
  readonly httpPort: number;
  /** 0 turns https off. */
  readonly httpsPort: number;
  /** Accepted host names, in addition to IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may call the API (CORS). */
  readonly corsOrigins: readonly string[];
  /** The request limit of each caller; without it there is none. */
  readonly requestLimit?: LimitOptions;
  /** Without it, the data directory holds a self-signed certificate. */
  readonly tls?: { readonly certificateFile: string; readonly keyFile: string };
}

/** The accepted tokens. */
export interface TokenOptions {
  /** The exact value of the claim iss. */
  readonly issuer: string;
  readonly audience: string;
  /** The claim that identifies the caller. */
  readonly callerClaim: string;
  /** The claim with roles, in addition to `scope`. A dot selects a member, as in `realm_access.roles`. */
  readonly rolesClaim: string;
}

/** A request limit, and where requests are counted. */
export interface LimitOptions {
  /** Requests of one caller in each second. */
  readonly perSecond: number;
  /** URL of a Redis server shared by all replicas; without it each process counts alone. May contain a password. */
  readonly redis?: string | undefined;
}

/** Authentication and authorization of callers. */
export interface CallersConfig {
  /** Whether callers must authenticate. */
  readonly isOn: boolean;
  /** The file with their entries. */
  readonly file: string;
  /** Whether keys are accepted over https only. */
  readonly needsTls: boolean;
  /** Whether /metrics needs no authentication. */
  readonly hasOpenMetrics: boolean;
  /** Whether the caller's identity, not the service's, signs a transaction. */
  readonly sign: boolean;
  /** Functions that other callers than admins may call too, as CHAINCODE:FUNCTION. */
  readonly listedFunctions: readonly string[];
  /** The accepted tokens; without it none are. */
  readonly tokens?: TokenOptions & {
    /** Whether a valid token without a caller creates one. */
    readonly enrol: boolean;
  };
}

/** The ledger and its driver. */
export type LedgerConfig = DriverConfig & {
  readonly dataDir: string;
  readonly channel: string;
  readonly chaincode: string;
  readonly mspId: string;
  /** For how many days a repeated write is also looked up under renewed certificates. */
  readonly idempotencyDays: number;
};

/** The settings of both Fabric drivers. */
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
  /** LEDGER_MSP_ID if it is set: identities of other organisations are refused. */
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

/** The settings of the chosen driver. */
export type DriverConfig = { readonly driver: 'embedded' } | FabricProfileConfig | FabricGatewayConfig;

/** Loads `.env` of the working directory, if it exists, into the process environment, whose variables win. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/**
 * Parses and validates the environment. An empty variable counts as not set.
 * @throws {@link InvalidEnvironmentError} with one line for each invalid variable
 */
export function readConfig(environment: NodeJS.ProcessEnv): LedgerApiConfig {
  const names = variablesOf(Environment).map(({ name }) => name as keyof Environment);
  const { values, lines: errors } = checkVariables(Environment, environment, names);
  const hasHost = !errors.some((line) => line.startsWith('LEDGER_API_HOST '));
  const lines = [
    ...errors,
    ...portErrors(values),
    ...proxyErrors(values),
    ...(hasHost ? authErrors(values) : []),
    ...issuerErrors(values),
    ...limitErrors(values),
    ...driverErrors(values),
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

/** Returns the path of the callers file in a data directory. */
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

function issuerErrors({ LEDGER_JWT_ISSUER: issuer, LEDGER_JWT_ENROL: enrol }: Environment): string[] {
  if (issuer === undefined) {
    return enrol === 'on' ? ['LEDGER_JWT_ENROL = "on": tokens are accepted only with LEDGER_JWT_ISSUER.'] : [];
  }
  const fault = issuerUrlError(issuer);
  // Without the value, which may contain a password.
  return fault === undefined ? [] : [`LEDGER_JWT_ISSUER is not usable: ${fault}.`];
}

function limitErrors({ LEDGER_RATE_LIMIT: limit, LEDGER_RATE_LIMIT_REDIS: redis }: Environment): string[] {
  if (redis === undefined) return [];
  // Without the value, which may contain a password.
  const isUrl = /^rediss?:\/\/./.test(redis) && URL.canParse(redis);
  const url = isUrl
    ? []
    : ['LEDGER_RATE_LIMIT_REDIS is not a Redis URL: use redis://host:6379, or rediss:// with TLS.'];
  return limit === undefined ? [...url, 'LEDGER_RATE_LIMIT is not set, but LEDGER_RATE_LIMIT_REDIS is.'] : url;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Checks whether an address is reachable from this machine only. A name other than localhost may resolve to anything. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family !== 0) return LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
  return host.toLowerCase() === 'localhost';
}

function proxyErrors({ LEDGER_TRUSTED_PROXIES: proxies }: Environment): string[] {
  return listOf(proxies).flatMap((network) => {
    const [, address = '', bits = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    if (Number(bits) <= most) return [];
    return [`LEDGER_TRUSTED_PROXIES = ${JSON.stringify(proxies)}: use IP addresses or networks such as 10.0.0.0/8.`];
  });
}

/** Access from other machines needs authentication, and keys need https, unless the configuration explicitly allows otherwise. */
function authErrors(values: Environment): string[] {
  const { LEDGER_API_HOST: host, LEDGER_AUTH: auth, LEDGER_SIGN_AS: sign, LEDGER_METRICS: metrics } = values;
  const { LEDGER_JWT_ISSUER: issuer } = values;
  if (auth === 'on') {
    if (values.LEDGER_API_HTTPS_PORT !== 0 || isLoopback(host) || values.LEDGER_API_PLAIN === 'on') return [];
    return [
      'LEDGER_API_HTTPS_PORT = "0": beyond loopback, keys are accepted over https only. ' +
        'Set a port, or set LEDGER_API_PLAIN=on if a TLS proxy is in front.',
    ];
  }
  const withoutEffect = {
    LEDGER_SIGN_AS: sign === 'caller',
    LEDGER_METRICS: metrics === 'reader',
    LEDGER_JWT_ISSUER: issuer !== undefined,
  };
  const lines = Object.entries(withoutEffect)
    .filter(([, isSet]) => isSet)
    .map(
      ([name]) => `${name} = ${JSON.stringify(values[name as keyof typeof withoutEffect])}: it needs LEDGER_AUTH=on.`,
    );
  if (auth === 'off' || isLoopback(host)) return lines;
  return [
    ...lines,
    `LEDGER_API_HOST = ${JSON.stringify(host)}: beyond loopback, set LEDGER_AUTH=on, so that callers need a key ` +
      `(${toolCommand('ledger')} callers add NAME), or LEDGER_AUTH=off, so that every client can read and write.`,
  ];
}

function portErrors({ LEDGER_API_PORT: http, LEDGER_API_HTTPS_PORT: https }: Environment): string[] {
  if (http !== https || http === 0) return [];
  return [`LEDGER_API_HTTPS_PORT = "${https}": http uses this port. Use another port, or 0 to turn https off.`];
}

/** Checks the settings of the chosen driver. An unknown driver has been reported already. */
function driverErrors(values: Environment): string[] {
  const { LEDGER_DRIVER: driver } = values;
  return LEDGER_DRIVERS.includes(driver) ? fabricErrors(driver, values) : [];
}

const NEEDED = {
  embedded: [],
  fabric: ['FABRIC_CONNECTION_PROFILE', 'FABRIC_WALLET_DIR', 'FABRIC_IDENTITY'],
  'fabric-gateway': ['FABRIC_PEER_ENDPOINTS', 'FABRIC_CERT', 'FABRIC_KEY'],
} as const satisfies Record<LedgerDriver, readonly (keyof Environment)[]>;

/** Returns one line for each required variable that is not set, or that contradicts another. */
function fabricErrors(driver: LedgerDriver, environment: Environment): string[] {
  const missing = NEEDED[driver]
    .filter((name) => environment[name] === undefined)
    .map((name) => `${name} is not set: LEDGER_DRIVER=${driver} requires it.`);
  const isWalletMissing = environment.LEDGER_SIGN_AS === 'caller' && environment.FABRIC_WALLET_DIR === undefined;
  const needsWallet = driver === 'fabric-gateway' && isWalletMissing;
  const wallet = needsWallet ? ['FABRIC_WALLET_DIR is not set: LEDGER_SIGN_AS=caller reads identities from it.'] : [];
  return [...missing, ...wallet, ...aliasErrors(environment)];
}

/**
 * Returns the settings of the chosen driver from a valid environment.
 * @param givenMspId - LEDGER_MSP_ID if it is set, without its default
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

function aliasErrors({ FABRIC_PEER_ENDPOINTS: peers, FABRIC_PEER_HOST_ALIAS: alias }: Environment): string[] {
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
