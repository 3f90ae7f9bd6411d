import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { toolCommand } from '#ledger-gateway';
import { Environment, LEDGER_DRIVERS } from './environment.js';
import { checkVariables, InvalidEnvironmentError, lineFor } from './variables.js';

/** The configuration of ledger-api, parsed and validated once from the environment and frozen. */
export interface LedgerApiConfig {
  readonly log: { readonly level: Environment['LOG_LEVEL'] };
  readonly server: ServerConfig;
  readonly callers: CallersConfig;
  readonly ledger: LedgerConfig;
}

/** The listeners and the requests that they accept. */
export type ServerConfig = Readonly<ReturnType<typeof serverConfig>>;
/** A request limit, and where requests are counted. */
export type LimitOptions = NonNullable<ServerConfig['requestLimit']>;
/** Authentication and authorization of callers. */
export type CallersConfig = Readonly<ReturnType<typeof callersConfig>>;
/** The accepted tokens. */
export type TokenOptions = NonNullable<CallersConfig['tokens']>;
/** The ledger and its driver. */
export type LedgerConfig = Readonly<ReturnType<typeof ledgerConfig>>;

/** Loads `.env` of the working directory, if it exists, into the process environment, whose variables win. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/**
 * Parses and validates the environment. An empty variable counts as not set.
 * @throws {@link InvalidEnvironmentError} with one line for each invalid variable
 */
export function readConfig(environment: NodeJS.ProcessEnv): LedgerApiConfig {
  const { values, lines: invalid } = checkVariables(Environment, environment);
  const hasHost = !invalid.some((line) => line.startsWith('LEDGER_API_HOST '));
  const lines = [
    ...invalid,
    ...pairErrors(values),
    ...portErrors(values),
    ...(hasHost ? authErrors(values) : []),
    ...issuerErrors(values),
    ...limitErrors(values),
    ...driverErrors(values),
  ];
  if (lines.length > 0) throw new InvalidEnvironmentError(lines);
  return frozen({
    log: { level: values.LOG_LEVEL },
    server: serverConfig(values),
    callers: callersConfig(values),
    ledger: ledgerConfig(values, (environment['LEDGER_MSP_ID'] ?? '') !== ''),
  });
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

function serverConfig(values: Environment) {
  const { LEDGER_API_TLS_CERT: certificateFile, LEDGER_API_TLS_KEY: keyFile, LEDGER_RATE_LIMIT: perSecond } = values;
  return {
    host: values.LEDGER_API_HOST,
    /** 0 selects a free port. */
    httpPort: values.LEDGER_API_PORT,
    /** 0 turns https off. */
    httpsPort: values.LEDGER_API_HTTPS_PORT,
    /** Accepted host names, in addition to IP addresses and localhost. */
    allowedHosts: [values.LEDGER_API_HOST, ...values.LEDGER_API_ALLOWED_HOSTS],
    /** Addresses and networks whose X-Forwarded-For is trusted. */
    trustedProxies: values.LEDGER_TRUSTED_PROXIES,
    /** Origins whose pages may call the API (CORS). */
    corsOrigins: values.LEDGER_API_CORS_ORIGINS,
    /**
     * The requests of one caller in each second, and the URL of a Redis server shared by all replicas, which may contain a
     * password; without it each process counts alone.
     */
    requestLimit: perSecond === undefined ? undefined : { perSecond, redis: values.LEDGER_RATE_LIMIT_REDIS },
    /** Without it, the data directory holds a self-signed certificate. */
    tls: certificateFile === undefined || keyFile === undefined ? undefined : { certificateFile, keyFile },
  };
}

/** Returns the path of the callers file in a data directory. */
export function callersFileIn(dataDir: string): string {
  return join(dataDir, 'callers.json');
}

function callersConfig(values: Environment) {
  const { LEDGER_JWT_ISSUER: issuer, LEDGER_JWT_AUDIENCE: audience } = values;
  const isOn = values.LEDGER_AUTH === 'on';
  const signer = values.LEDGER_SIGN_AS ?? (isOn && values.LEDGER_DRIVER === 'embedded' ? 'caller' : 'service');
  const tokens = {
    callerClaim: values.LEDGER_JWT_CALLER_CLAIM,
    /** The claim with roles, in addition to `scope`. A dot selects a member, as in `realm_access.roles`. */
    rolesClaim: values.LEDGER_JWT_ROLES_CLAIM,
    /** Whether a valid token without a caller creates one. */
    enrol: values.LEDGER_JWT_ENROL === 'on',
  };
  return {
    /** Whether callers must authenticate. */
    isOn,
    /** The file with their entries. */
    file: values.LEDGER_CALLERS_FILE ?? callersFileIn(values.LEDGER_DATA_DIR),
    /** Whether keys are accepted over https only. */
    needsTls: !isLoopback(values.LEDGER_API_HOST) && values.LEDGER_API_PLAIN !== 'on',
    /** Whether /metrics needs no authentication. */
    hasOpenMetrics: values.LEDGER_METRICS === 'open',
    /** Functions that other callers than admins may call too, as CHAINCODE:FUNCTION. */
    listedFunctions: values.LEDGER_CONTRACTS,
    /** Whether the caller's identity, not the service's, signs a transaction. */
    sign: signer === 'caller',
    /** Without it no tokens are accepted. */
    tokens: issuer === undefined || audience === undefined ? undefined : { issuer, audience, ...tokens },
  };
}

function ledgerConfig(values: Environment, isMspSet: boolean) {
  return {
    ...driverConfig(values, isMspSet),
    dataDir: values.LEDGER_DATA_DIR,
    channel: values.LEDGER_CHANNEL,
    chaincode: values.LEDGER_CHAINCODE,
    mspId: values.LEDGER_MSP_ID,
    /** For how many days a repeated write is also looked up under renewed certificates. */
    idempotencyDays: values.LEDGER_IDEMPOTENCY_DAYS,
  };
}

/** Returns the options of the chosen driver. */
function driverConfig(values: Environment, isMspSet: boolean) {
  const { LEDGER_DRIVER: driver } = values;
  switch (driver) {
    case 'embedded':
      return { driver };
    case 'fabric':
      return { driver, ...commonConfig(values), ...profileConfig(values, isMspSet) };
    case 'fabric-gateway':
      return { driver, ...commonConfig(values), ...gatewayConfig(values) };
    default:
      return driver satisfies never;
  }
}

function commonConfig(values: Environment) {
  return {
    /** Milliseconds for each stage of a call. */
    limits: {
      evaluate: values.FABRIC_EVALUATE_TIMEOUT_MS,
      endorse: values.FABRIC_ENDORSE_TIMEOUT_MS,
      submit: values.FABRIC_SUBMIT_TIMEOUT_MS,
      commit: values.FABRIC_COMMIT_TIMEOUT_MS,
    },
    maxCalls: values.FABRIC_MAX_CALLS,
  };
}

function profileConfig(values: Environment, isMspSet: boolean) {
  const { FABRIC_TLS_CLIENT_CERT: certificate, FABRIC_TLS_CLIENT_KEY: privateKey } = values;
  return {
    connectionProfile: values.FABRIC_CONNECTION_PROFILE ?? '',
    walletDir: values.FABRIC_WALLET_DIR ?? '',
    identity: values.FABRIC_IDENTITY ?? '',
    // The default must not refuse identities of other organizations.
    requiredMspId: isMspSet ? values.LEDGER_MSP_ID : undefined,
    discoveryAsLocalhost: values.FABRIC_DISCOVERY_AS_LOCALHOST === 'true',
    tlsClient: certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey },
  };
}

function gatewayConfig(values: Environment) {
  const { FABRIC_PEER_HOST_ALIAS: aliases, FABRIC_TLS_ROOT_CERT: rootCertificates } = values;
  const { FABRIC_TLS_CLIENT_CERT: clientCertificate, FABRIC_TLS_CLIENT_KEY: clientKey } = values;
  return {
    peers: values.FABRIC_PEER_ENDPOINTS.map((endpoint, index) => {
      const hostAlias = aliases.length === 1 ? aliases[0] : aliases[index];
      return { endpoint, ...(hostAlias !== undefined && { hostAlias }) };
    }),
    identity: { certificate: values.FABRIC_CERT ?? '', privateKey: values.FABRIC_KEY ?? '' },
    tls: rootCertificates === undefined ? undefined : { rootCertificates, clientCertificate, clientKey },
    /** The wallet with the identities of callers who sign for themselves. */
    walletDir: values.FABRIC_WALLET_DIR,
  };
}

/** Checks whether an address is reachable from this machine only. A name other than localhost may resolve to anything. */
export function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? host.toLowerCase() === 'localhost' : ipaddr.process(host).range() === 'loopback';
}

/** Returns the reason why nothing may be fetched from an issuer's URL, or undefined. */
export function issuerUrlError(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'it is not a URL';
  if (url.username !== '' || url.password !== '') return 'it contains credentials';
  const isLocal = isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) return undefined;
  return 'it must use https; only an issuer on loopback may use http';
}

const PAIRS = [
  ['LEDGER_API_TLS_CERT', 'LEDGER_API_TLS_KEY'],
  ['LEDGER_JWT_AUDIENCE', 'LEDGER_JWT_ISSUER'],
  ['FABRIC_TLS_CLIENT_CERT', 'FABRIC_TLS_CLIENT_KEY'],
] as const;

function pairErrors(values: Environment): string[] {
  return PAIRS.flatMap((pair) => {
    const missing = pair.filter((name) => values[name] === undefined);
    return missing.length === 1
      ? [lineFor(missing.join(), undefined, `${pair.join(' and ')} are needed together`)]
      : [];
  });
}

function portErrors({ LEDGER_API_PORT: http, LEDGER_API_HTTPS_PORT: https }: Environment): string[] {
  if (http !== https || http === 0) return [];
  const text = 'http uses this port. Use another port, or 0 to turn https off';
  return [lineFor('LEDGER_API_HTTPS_PORT', String(https), text)];
}

/** Access from other machines needs authentication, and keys need https, unless the configuration explicitly allows otherwise. */
function authErrors(values: Environment): string[] {
  const { LEDGER_API_HOST: host, LEDGER_AUTH: auth, LEDGER_JWT_ISSUER: issuer } = values;
  if (auth === 'on') {
    if (values.LEDGER_API_HTTPS_PORT !== 0 || isLoopback(host) || values.LEDGER_API_PLAIN === 'on') return [];
    const text =
      'beyond loopback, keys are accepted over https only. Set a port, or set LEDGER_API_PLAIN=on if a TLS proxy is in front';
    return [lineFor('LEDGER_API_HTTPS_PORT', '0', text)];
  }
  const withoutEffect = {
    LEDGER_SIGN_AS: values.LEDGER_SIGN_AS === 'caller' ? 'caller' : undefined,
    LEDGER_METRICS: values.LEDGER_METRICS === 'reader' ? 'reader' : undefined,
    LEDGER_JWT_ISSUER: issuer,
  };
  const lines = Object.entries(withoutEffect)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => lineFor(name, value, 'it needs LEDGER_AUTH=on'));
  if (auth === 'off' || isLoopback(host)) return lines;
  const text =
    `beyond loopback, set LEDGER_AUTH=on, so that callers need a key (${toolCommand('ledger')} callers add NAME), ` +
    'or LEDGER_AUTH=off, so that every client can read and write';
  return [...lines, lineFor('LEDGER_API_HOST', host, text)];
}

/** Returns the error in the issuer, without its value, which may contain a password. */
function issuerErrors({ LEDGER_JWT_ISSUER: issuer, LEDGER_JWT_ENROL: enrol }: Environment): string[] {
  if (issuer !== undefined) {
    const error = issuerUrlError(issuer);
    return error === undefined ? [] : [`LEDGER_JWT_ISSUER is not usable: ${error}.`];
  }
  return enrol === 'on' ? [lineFor('LEDGER_JWT_ENROL', enrol, 'tokens are accepted only with LEDGER_JWT_ISSUER')] : [];
}

/** Returns the errors in the Redis URL, without its value, which may contain a password. */
function limitErrors({ LEDGER_RATE_LIMIT: limit, LEDGER_RATE_LIMIT_REDIS: redis }: Environment): string[] {
  if (redis === undefined) return [];
  const isUrl = /^rediss?:\/\/./.test(redis) && URL.canParse(redis);
  return [
    ...(isUrl ? [] : ['LEDGER_RATE_LIMIT_REDIS is not a Redis URL: use redis://host:6379, or rediss:// with TLS.']),
    ...(limit === undefined ? ['LEDGER_RATE_LIMIT is not set, but LEDGER_RATE_LIMIT_REDIS is.'] : []),
  ];
}

const REQUIRED = {
  embedded: [],
  fabric: ['FABRIC_CONNECTION_PROFILE', 'FABRIC_WALLET_DIR', 'FABRIC_IDENTITY'],
  'fabric-gateway': ['FABRIC_PEER_ENDPOINTS', 'FABRIC_CERT', 'FABRIC_KEY'],
} as const;

/** Returns the errors in the settings of the chosen driver. An unknown driver has been reported already. */
function driverErrors(values: Environment): string[] {
  const { LEDGER_DRIVER: driver, FABRIC_PEER_ENDPOINTS: peers, FABRIC_PEER_HOST_ALIAS: aliases } = values;
  if (!LEDGER_DRIVERS.includes(driver)) return [];
  const lines = REQUIRED[driver]
    .filter((name) => (values[name]?.length ?? 0) === 0)
    .map((name) => lineFor(name, undefined, `LEDGER_DRIVER=${driver} requires it`));
  if (driver === 'fabric-gateway' && values.LEDGER_SIGN_AS === 'caller' && values.FABRIC_WALLET_DIR === undefined) {
    lines.push(lineFor('FABRIC_WALLET_DIR', undefined, 'LEDGER_SIGN_AS=caller reads identities from it'));
  }
  if (aliases.length > 1 && aliases.length !== peers.length) {
    const text = `use one name for all peers, or one for each of the ${peers.length} in FABRIC_PEER_ENDPOINTS`;
    lines.push(lineFor('FABRIC_PEER_HOST_ALIAS', aliases.join(','), text));
  }
  return lines;
}
