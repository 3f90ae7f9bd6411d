import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChaincodesOptions } from '#chaincode-host';
import { withoutServiceVariables } from '#environment';
import { toolCommand } from '#files';
import { Environment, isLoopback } from './environment.js';
import { withPresentNames } from './renamed-variables.js';
import { misspeltLine, unknownVariables } from './unknown-variables.js';
import { checkVariables, InvalidEnvironmentError, lineFor, variablesOf } from './variables.js';

/** The configuration of ledger-api, parsed and validated once from the environment and frozen. */
export interface LedgerApiConfig {
  readonly log: {
    readonly level: Environment['LOG_LEVEL'];
    /** Standard output has the answers to commands then. */
    readonly isOnStandardError: boolean;
  };
  readonly server: ServerConfig;
  readonly callers: CallersConfig;
  readonly ledger: LedgerConfig;
  /** Undefined without indexes: the embedded ledger needs none. */
  readonly index: IndexConfig | undefined;
  readonly tree: TreeConfig;
  readonly witness: WitnessConfig;
  /** Where traces are exported to by OTLP/HTTP; undefined for none. */
  readonly tracing: { readonly endpoint: string | undefined };
  /** Set variables with the prefixes of ledger-api that it does not read. */
  readonly ignoredVariables: readonly string[];
  /** Lines about variables that are set by their previous names. */
  readonly renamedVariables: readonly string[];
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

/** The indexes of the channels of a Fabric network. */
export interface IndexConfig {
  /** Contains a file for each channel. */
  readonly directory: string;
}

/** The Merkle trees over the blocks of the channels. */
export interface TreeConfig {
  readonly isOn: boolean;
  /** Contains a directory for each channel. */
  readonly directory: string;
  /** NAME/REPLICA. */
  readonly origin: string;
  readonly keyFile: string;
}
export type WitnessConfig = Readonly<ReturnType<typeof witnessSlice>>;

/** Loads `.env` of the working directory, if it exists, into the process environment, whose variables win. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/**
 * Parses and validates the environment. An empty variable counts as not set.
 * @param options - `isEphemeral`: for ledgers that last as long as the process
 * @throws {@link InvalidEnvironmentError} with one line for each invalid variable
 */
export function readConfig(given: NodeJS.ProcessEnv, { isEphemeral = false } = {}): LedgerApiConfig {
  const { environment, lines: renamed } = withPresentNames(withoutServiceVariables(given));
  const { values, lines: invalid } = checkVariables(Environment, environment);
  // A variable that is invalid alone is reported once.
  const rules = RULES.filter(([name]) => !invalid.some((line) => line.startsWith(`${name} `)));
  const broken = rules.filter(([, isInvalid]) => isInvalid(values));
  const unknown = unknownVariables(environment, variablesOf(Environment));
  const misspelt = unknown.filter(({ intended }) => intended !== undefined).map(misspeltLine);
  const lines = [
    ...misspelt,
    ...invalid,
    ...broken.map(([name, , text]) => lineFor(name, values[name]?.toString(), text)),
  ];
  if (lines.length > 0) throw new InvalidEnvironmentError(lines);
  return frozen({
    log: { level: values.LOG_LEVEL, isOnStandardError: isEphemeral },
    server: serverConfig(values),
    callers: callersConfig(values),
    ledger: ledgerConfig(values, { isMspSet: (environment['LEDGER_MSP_ID'] ?? '') !== '', isEphemeral }),
    index: indexSlice(values),
    tree: treeConfig(values),
    witness: witnessSlice(values),
    tracing: { endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT },
    ignoredVariables: unknown.map(({ name }) => name),
    renamedVariables: renamed,
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
    /** Whether the trees over the blocks, and proofs from them, need no authentication. */
    hasOpenTrees: values.LEDGER_TREE_READERS === 'open',
    /** Functions that other callers than admins may call too, as CHAINCODE:FUNCTION. */
    listedFunctions: values.LEDGER_CONTRACTS,
    /** Whether the caller's identity, not the service's, signs a transaction. */
    sign: signer === 'caller',
    /** Without it no tokens are accepted. */
    tokens: issuer === undefined || audience === undefined ? undefined : { issuer, audience, ...tokens },
  };
}

function indexSlice(values: Environment): IndexConfig | undefined {
  const { LEDGER_DRIVER: driver, LEDGER_INDEX_DIR: directory, LEDGER_DATA_DIR: dataDir } = values;
  return driver === 'embedded' || directory === 'off' ? undefined : { directory: directory ?? join(dataDir, 'index') };
}

/** Returns where the trees are stored, and how they are named and signed. */
export function treeConfig(
  values: Pick<Environment, 'LEDGER_DATA_DIR' | 'LEDGER_TREE' | 'LEDGER_TREE_ORIGIN' | 'LEDGER_TREE_KEY'>,
): TreeConfig {
  const directory = join(values.LEDGER_DATA_DIR, 'tree');
  return {
    isOn: values.LEDGER_TREE === 'on',
    directory,
    origin: values.LEDGER_TREE_ORIGIN ?? '',
    keyFile: values.LEDGER_TREE_KEY ?? join(directory, 'keys'),
  };
}

function witnessSlice(values: Environment) {
  return {
    /** A trust policy with the URLs of the witnesses; without one, checkpoints are not sent to witnesses. */
    policyFile: values.LEDGER_WITNESS_POLICY,
    intervalMs: values.LEDGER_WITNESS_INTERVAL_MS,
  };
}

function ledgerConfig(
  values: Environment,
  { isMspSet, isEphemeral }: Readonly<Record<'isMspSet' | 'isEphemeral', boolean>>,
) {
  const { LEDGER_DRIVER: driver, FABRIC_TLS_CLIENT_CERT: certificate, FABRIC_TLS_CLIENT_KEY: privateKey } = values;
  const ledger = {
    dataDir: values.LEDGER_DATA_DIR,
    channel: values.LEDGER_CHANNEL,
    chaincode: values.LEDGER_CHAINCODE,
    mspId: values.LEDGER_MSP_ID,
    /** For how many days a repeated write is also looked up under renewed certificates. */
    idempotencyDays: values.LEDGER_IDEMPOTENCY_DAYS,
    /** Whether writes are refused. */
    readOnly: values.LEDGER_READ_ONLY === 'on',
  };
  if (driver === 'embedded') return { driver, ...ledger, isEphemeral, chaincodes: chaincodesConfig(values) };
  const network = {
    /** Channels in addition to the default one. */
    channels: values.LEDGER_CHANNELS,
    /** Milliseconds for each stage of a call. */
    limits: {
      evaluate: values.FABRIC_EVALUATE_TIMEOUT_MS,
      endorse: values.FABRIC_ENDORSE_TIMEOUT_MS,
      submit: values.FABRIC_SUBMIT_TIMEOUT_MS,
      commit: values.FABRIC_COMMIT_TIMEOUT_MS,
    },
    maxCalls: values.FABRIC_MAX_CALLS,
  };
  if (driver === 'fabric') {
    return {
      driver,
      ...ledger,
      ...network,
      connectionProfile: values.FABRIC_CONNECTION_PROFILE ?? '',
      walletDir: values.FABRIC_WALLET_DIR ?? '',
      identity: values.FABRIC_IDENTITY ?? '',
      // The default must not refuse identities of other organizations.
      requiredMspId: isMspSet ? values.LEDGER_MSP_ID : undefined,
      discoveryAsLocalhost: values.FABRIC_DISCOVERY_AS_LOCALHOST === 'true',
      tlsClient: certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey },
    };
  }
  return { driver, ...ledger, ...network, ...gatewayConfig(values) };
}

/** Returns undefined when no chaincode is configured: nothing is loaded for them then. */
function chaincodesConfig(values: Environment): ChaincodesOptions | undefined {
  if (values.LEDGER_CHAINCODES.length === 0) return undefined;
  return {
    sources: values.LEDGER_CHAINCODES.map((entry) => ({
      name: chaincodeName(entry),
      source: entry.replace(/^[^=]*=/, ''),
    })),
    timeout: values.LEDGER_CHAINCODE_TIMEOUT_MS,
    checksDeterminism: (values.LEDGER_CHAINCODE_CHECK_DETERMINISM ?? values.LEDGER_CHAINCODE_WATCH) === 'on',
    isWatched: values.LEDGER_CHAINCODE_WATCH === 'on',
    hasQueries: values.LEDGER_CHAINCODE_QUERIES === 'on',
  };
}

function chaincodeName(entry: string): string {
  return entry.split('=', 1).join('');
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

/** A rule on several variables: the name of the one to report, when it is invalid, and why. */
type Rule = readonly [name: keyof Environment, isInvalid: (values: Environment) => boolean, text: string];

const isSet = (value: string | readonly string[] | undefined): boolean => value !== undefined && value.length > 0;
const isOn = ({ LEDGER_AUTH: auth }: Environment): boolean => auth === 'on';
const isBeyondLoopback = ({ LEDGER_API_HOST: host }: Environment): boolean => !isLoopback(host);

const PAIRS = [
  ['LEDGER_API_TLS_CERT', 'LEDGER_API_TLS_KEY'],
  ['LEDGER_JWT_AUDIENCE', 'LEDGER_JWT_ISSUER'],
  ['FABRIC_TLS_CLIENT_CERT', 'FABRIC_TLS_CLIENT_KEY'],
] as const;

const REQUIRED = [
  ['fabric', 'FABRIC_CONNECTION_PROFILE'],
  ['fabric', 'FABRIC_WALLET_DIR'],
  ['fabric', 'FABRIC_IDENTITY'],
  ['fabric-gateway', 'FABRIC_PEER_ENDPOINTS'],
  ['fabric-gateway', 'FABRIC_CERT'],
  ['fabric-gateway', 'FABRIC_KEY'],
] as const;

/** Access from other machines needs authentication, and keys need https, unless the configuration explicitly allows otherwise. */
const RULES: readonly Rule[] = [
  ...PAIRS.flatMap(([one, other]): Rule[] => {
    const text = `${one} and ${other} are needed together`;
    return [
      [one, (values) => !isSet(values[one]) && isSet(values[other]), text],
      [other, (values) => isSet(values[one]) && !isSet(values[other]), text],
    ];
  }),
  ...REQUIRED.map(([driver, name]): Rule => [
    name,
    (values) => values.LEDGER_DRIVER === driver && !isSet(values[name]),
    `LEDGER_DRIVER=${driver} requires it`,
  ]),
  [
    'LEDGER_API_HTTPS_PORT',
    ({ LEDGER_API_PORT: http, LEDGER_API_HTTPS_PORT: https }) => http === https && http !== 0,
    'http uses this port. Use another port, or 0 to turn https off',
  ],
  [
    'LEDGER_API_HTTPS_PORT',
    (values) =>
      isOn(values) &&
      isBeyondLoopback(values) &&
      values.LEDGER_API_HTTPS_PORT === 0 &&
      values.LEDGER_API_PLAIN !== 'on',
    'beyond loopback, keys are accepted over https only. Set a port, or set LEDGER_API_PLAIN=on if a TLS proxy is in front',
  ],
  [
    'LEDGER_API_HOST',
    (values) => values.LEDGER_AUTH === undefined && isBeyondLoopback(values),
    `beyond loopback, set LEDGER_AUTH=on, so that callers need a key (${toolCommand('ledger')} callers add NAME), ` +
      'or LEDGER_AUTH=off, so that every client can read and write',
  ],
  ['LEDGER_SIGN_AS', (values) => !isOn(values) && values.LEDGER_SIGN_AS === 'caller', 'it needs LEDGER_AUTH=on'],
  ['LEDGER_METRICS', (values) => !isOn(values) && values.LEDGER_METRICS === 'reader', 'it needs LEDGER_AUTH=on'],
  [
    'LEDGER_TREE_READERS',
    (values) => !isOn(values) && values.LEDGER_TREE_READERS === 'reader',
    'it needs LEDGER_AUTH=on',
  ],
  [
    'LEDGER_TREE_ORIGIN',
    (values) => values.LEDGER_TREE === 'on' && !isSet(values.LEDGER_TREE_ORIGIN),
    'LEDGER_TREE=on requires it',
  ],
  [
    'LEDGER_WITNESS_POLICY',
    (values) => values.LEDGER_TREE !== 'on' && isSet(values.LEDGER_WITNESS_POLICY),
    'it needs LEDGER_TREE=on',
  ],
  ['LEDGER_JWT_ISSUER', (values) => !isOn(values) && isSet(values.LEDGER_JWT_ISSUER), 'it needs LEDGER_AUTH=on'],
  [
    'LEDGER_JWT_ENROL',
    (values) => values.LEDGER_JWT_ENROL === 'on' && !isSet(values.LEDGER_JWT_ISSUER),
    'tokens are accepted only with LEDGER_JWT_ISSUER',
  ],
  [
    'LEDGER_RATE_LIMIT',
    (values) => values.LEDGER_RATE_LIMIT === undefined && isSet(values.LEDGER_RATE_LIMIT_REDIS),
    'LEDGER_RATE_LIMIT_REDIS needs it',
  ],
  [
    'LEDGER_CHAINCODES',
    ({ LEDGER_DRIVER: driver, LEDGER_CHAINCODES: chaincodes }) => driver !== 'embedded' && isSet(chaincodes),
    'only LEDGER_DRIVER=embedded runs chaincodes; on a network, peers do',
  ],
  [
    'LEDGER_CHAINCODES',
    ({ LEDGER_CHAINCODES: chaincodes }) => new Set(chaincodes.map(chaincodeName)).size < chaincodes.length,
    'use each name once',
  ],
  [
    'LEDGER_CHAINCODES',
    ({ LEDGER_CHAINCODE: own, LEDGER_CHAINCODES: chaincodes }) => chaincodes.map(chaincodeName).includes(own),
    "the name of the ledger's own contract is in use. Give one of them another name, here or in LEDGER_CHAINCODE",
  ],
  [
    'FABRIC_WALLET_DIR',
    ({ LEDGER_DRIVER: driver, LEDGER_SIGN_AS: signer, FABRIC_WALLET_DIR: wallet }) =>
      driver === 'fabric-gateway' && signer === 'caller' && !isSet(wallet),
    'LEDGER_SIGN_AS=caller reads identities from it',
  ],
  [
    'FABRIC_PEER_HOST_ALIAS',
    ({ FABRIC_PEER_HOST_ALIAS: aliases, FABRIC_PEER_ENDPOINTS: peers }) =>
      aliases.length > 1 && aliases.length !== peers.length,
    'use one name for all peers, or one for each of FABRIC_PEER_ENDPOINTS',
  ],
];
