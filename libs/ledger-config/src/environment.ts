import { isIP } from 'node:net';
import { Matches } from 'class-validator';
import ipaddr from 'ipaddr.js';
import { SERVED_FORM, servedAddress } from '#chaincode-host';
import { ListOf, OneOf, UrlOf, Variable, WholeNumber } from './variables.js';

/** The drivers that implement the ledger port. */
const LEDGER_DRIVERS = ['embedded', 'fabric', 'fabric-gateway'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const HOST_NAME = /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?$/;
const HOST =
  /^(?=.{1,253}$)([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)$/;
const ORIGIN = /^https?:\/\/([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$/;
const ENDPOINT = /^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}$/;
const TLS_NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;
/** The form of a channel's name (Fabric's configtx validator). */
export const CHANNEL_NAME = /^[a-z][a-z0-9.-]{0,248}$/;
export const MSP_ID = /^[A-Za-z0-9][A-Za-z0-9.-]{0,248}$/;
/** The name of a chaincode, then a folder or an address. The names of system chaincodes are refused. */
const CHAINCODE_SOURCE = /^(?![lceqv]scc=)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*=([^,]+)$/;
const FUNCTION = /^[A-Za-z0-9_-]+:[^,]+$/;

const Milliseconds = (text: string): PropertyDecorator => WholeNumber(100, 600_000, `${text}, in milliseconds.`);

/** Returns whether a text is an IP address or a network such as 10.0.0.0/8. */
function isNetwork(text: string): boolean {
  return isIP(text.split('/', 1).join('')) !== 0 && (isIP(text) !== 0 || ipaddr.isValidCIDR(text));
}

/** Returns whether a text ends with a port of TCP. */
function hasPort(text: string): boolean {
  const port = Number(text.slice(text.lastIndexOf(':') + 1));
  return port >= 1 && port <= 65_535;
}

function isEndpoint(text: string): boolean {
  return ENDPOINT.test(text) && hasPort(text);
}

function isChaincodeSource(text: string): boolean {
  const [, source = ''] = CHAINCODE_SOURCE.exec(text) ?? [];
  return /^grpcs?:/.test(source) ? servedAddress(source) !== undefined : source !== '';
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

function collectorUrlError(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? undefined : 'use an http or https URL';
}

function redisUrlError(text: string): string | undefined {
  const isUrl = /^rediss?:\/\/./.test(text) && URL.canParse(text);
  return isUrl ? undefined : 'use redis://host:6379, or rediss:// with TLS';
}

/**
 * Every environment variable of ledger-api and its tools: its default, its rule and the sentence that `.env.example` shows.
 * The property has the variable's name, so that an error is reported under the name that the user has to change.
 */
export class Environment {
  @Variable('Address to listen on. Beyond loopback, LEDGER_AUTH must be set too.')
  @Matches(HOST, { message: 'use an IP address without brackets or a host name' })
  LEDGER_API_HOST = '127.0.0.1';

  @WholeNumber(0, 65_535, 'Port for http; 0 selects a free one.')
  LEDGER_API_PORT = 3000;

  @WholeNumber(0, 65_535, 'Port for https; 0 turns https off.')
  LEDGER_API_HTTPS_PORT = 3443;

  @ListOf(HOST_NAME, 'use host names without ports', 'Accepted host names, in addition to IP addresses and localhost.')
  LEDGER_API_ALLOWED_HOSTS: readonly string[] = [];

  @Variable('PEM file with the certificate chain for https. Default: a self-signed one in the data directory.')
  LEDGER_API_TLS_CERT?: string;

  @Variable('PEM file with the private key of that certificate.')
  LEDGER_API_TLS_KEY?: string;

  @OneOf(['on', 'off'], 'on: callers need a key ("callers add NAME"). Default: off on loopback, else none.')
  LEDGER_AUTH?: 'on' | 'off';

  @OneOf(['on', 'off'], 'on: keys are accepted over http beyond loopback, behind a TLS proxy. Default: off.')
  LEDGER_API_PLAIN?: 'on' | 'off';

  @OneOf(['reader', 'open'], 'Access to /metrics: reader, for every caller, or open, for everyone. Default: reader.')
  LEDGER_METRICS?: 'reader' | 'open';

  @ListOf(isNetwork, 'use addresses or networks such as 10.0.0.0/8', 'Proxies whose X-Forwarded-For is trusted.')
  LEDGER_TRUSTED_PROXIES: readonly string[] = [];

  @ListOf(ORIGIN, 'use origins such as https://app.example', 'Origins whose pages may call the API.')
  LEDGER_API_CORS_ORIGINS: readonly string[] = [];

  @Variable('File with the callers. Default: callers.json in LEDGER_DATA_DIR.')
  LEDGER_CALLERS_FILE?: string;

  @UrlOf(
    issuerUrlError,
    'URL of the OpenID Connect issuer of accepted tokens, as in the tokens. https, or http on loopback.',
  )
  LEDGER_JWT_ISSUER?: string;

  @Variable('The audience (aud) of accepted tokens.')
  LEDGER_JWT_AUDIENCE?: string;

  @Variable('The claim of a token that identifies the caller; "callers add NAME --subject VALUE" assigns a value.')
  LEDGER_JWT_CALLER_CLAIM = 'sub';

  @Variable(
    'The claim with the roles reader, writer, admin, or a path such as a.b; scopes: ledger:read, :write, :admin.',
  )
  LEDGER_JWT_ROLES_CLAIM = 'roles';

  @OneOf(['on', 'off'], 'on: a valid token creates its caller. Default: off, callers must be added.')
  LEDGER_JWT_ENROL?: 'on' | 'off';

  @ListOf(FUNCTION, 'use CHAINCODE:FUNCTION', 'Functions for readers (evaluate) and writers (submit).')
  LEDGER_CONTRACTS: readonly string[] = [];

  @WholeNumber(1, 1_000_000, 'Requests per second of a caller, or of an address without LEDGER_AUTH.')
  LEDGER_RATE_LIMIT?: number;

  @UrlOf(redisUrlError, 'URL of a Redis server in which replicas count these requests together, redis:// or rediss://.')
  LEDGER_RATE_LIMIT_REDIS?: string;

  @OneOf(['caller', 'service'], 'Who signs transactions. Default: caller on an embedded ledger with LEDGER_AUTH=on.')
  LEDGER_SIGN_AS?: 'caller' | 'service';

  @OneOf(LOG_LEVELS, `The log level: ${LOG_LEVELS.join(', ')}. Requests are logged at debug.`)
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';

  @UrlOf(collectorUrlError, 'URL of an OpenTelemetry collector (OTLP/HTTP) for traces, without the path v1/traces.')
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  @OneOf(LEDGER_DRIVERS, `The driver of the ledger: ${LEDGER_DRIVERS.join(', ')}.`)
  LEDGER_DRIVER: (typeof LEDGER_DRIVERS)[number] = 'embedded';

  @Variable('Directory of the embedded ledger, its keys and the self-signed certificate.')
  LEDGER_DATA_DIR = 'data/ledger';

  @Variable('Name of the channel, the default one of several.')
  @Matches(CHANNEL_NAME, {
    message: 'use lower-case letters, digits, dots and dashes, a letter first, at most 249 characters',
  })
  LEDGER_CHANNEL = 'mychannel';

  @ListOf(CHANNEL_NAME, 'use names of channels', 'On Fabric: other channels, at /api/v1/channels/NAME.')
  LEDGER_CHANNELS: readonly string[] = [];

  @Variable('Name of the chaincode.')
  @Matches(/^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$/, {
    message: 'use letters and digits, with single dashes or underscores between them',
  })
  LEDGER_CHAINCODE = 'basic';

  @Variable('Identifier of the membership service provider that issues the identities.')
  @Matches(MSP_ID, {
    message: 'use letters, digits, dots and dashes, a letter or digit first, at most 249 characters',
  })
  LEDGER_MSP_ID = 'Org1MSP';

  @WholeNumber(1, 3650, 'Days for which a repeated write is found under a renewed certificate.')
  LEDGER_IDEMPOTENCY_DAYS = 7;

  @ListOf(
    isChaincodeSource,
    `use NAME=FOLDER, or NAME= and then ${SERVED_FORM}`,
    'Chaincodes on the embedded ledger: NAME=FOLDER, or NAME=grpc://host:port or grpc://unix:/path of one that is served.',
  )
  LEDGER_CHAINCODES: readonly string[] = [];

  @Milliseconds('Timeout of a call of such a chaincode, whose process is then killed')
  LEDGER_CHAINCODE_TIMEOUT_MS = 30_000;

  @OneOf(
    ['on', 'off'],
    'on: each call is executed twice, and refused if the results differ. Default: on with LEDGER_CHAINCODE_WATCH=on.',
  )
  LEDGER_CHAINCODE_CHECK_DETERMINISM?: 'on' | 'off';

  @OneOf(['on', 'off'], 'on: an edit in the folder of a chaincode restarts it. Default: off.')
  LEDGER_CHAINCODE_WATCH?: 'on' | 'off';

  @OneOf(
    ['on', 'off'],
    'on: queries of CouchDB (docs/rich-queries.md) are executed. off: refused, as by a peer with LevelDB. Default: off.',
  )
  LEDGER_CHAINCODE_QUERIES?: 'on' | 'off';

  @OneOf(
    ['on', 'off'],
    'on: writes are refused, as during a migration; reads, events, receipts continue. Default: off.',
  )
  LEDGER_READ_ONLY?: 'on' | 'off';

  @Variable(
    'On Fabric: directory of the indexes from which lists are read; off searches the newest blocks instead. Default: index in LEDGER_DATA_DIR.',
  )
  LEDGER_INDEX_DIR?: string;

  @OneOf(['on', 'off'], 'on: signs checkpoints of a Merkle tree over all blocks (docs/proofs.md). Default: off.')
  LEDGER_TREE?: 'on' | 'off';

  @Variable('NAME/REPLICA: the trees are known as NAME/CHANNEL/REPLICA. Each replica that signs has its own.')
  @Matches(/^[^\s+/]+(\/[^\s+/]+)*\/[A-Za-z0-9_-]+$/, {
    message: 'use a name such as ledger.example.org, a slash, and a name of this replica, such as lisbon',
  })
  LEDGER_TREE_ORIGIN?: string;

  @Variable('File with the keys that sign the trees; missing ones are created. Default: tree/keys in LEDGER_DATA_DIR.')
  LEDGER_TREE_KEY?: string;

  @OneOf(
    ['reader', 'open'],
    'Access to the trees and proofs of blocks: reader, for every caller, or open. Default: reader.',
  )
  LEDGER_TREE_READERS?: 'reader' | 'open';

  @Variable('File with the trust policy (docs/proofs.md): the witnesses that confirm the trees, with their URLs.')
  LEDGER_WITNESS_POLICY?: string;

  @Milliseconds('Time between two requests for confirmations while a tree grows')
  LEDGER_WITNESS_INTERVAL_MS = 10_000;

  @Variable('LEDGER_DRIVER=fabric: file with the connection profile, JSON or YAML.')
  FABRIC_CONNECTION_PROFILE?: string;

  @Variable('Directory of a file-system wallet: for LEDGER_DRIVER=fabric, and for callers with LEDGER_SIGN_AS=caller.')
  FABRIC_WALLET_DIR?: string;

  @Variable('LEDGER_DRIVER=fabric: name of the identity in the wallet; reloaded when it changes.')
  @Matches(/^[^/\\\0]+$/, { message: 'use the name of an identity, without slashes' })
  FABRIC_IDENTITY?: string;

  @OneOf(['true', 'false'], 'LEDGER_DRIVER=fabric: true if peers are in containers on this machine, at localhost.')
  FABRIC_DISCOVERY_AS_LOCALHOST: 'true' | 'false' = 'false';

  @Variable('npm run identity: name of the certificate authority, if the server has several.')
  FABRIC_CA_NAME?: string;

  @ListOf(
    isEndpoint,
    'use host:port with a port from 1 to 65535',
    'LEDGER_DRIVER=fabric-gateway: peers; the next one is used when one fails.',
  )
  FABRIC_PEER_ENDPOINTS: readonly string[] = [];

  @ListOf(
    TLS_NAME,
    'use host names',
    'LEDGER_DRIVER=fabric-gateway: name in the TLS certificates of all peers or of each.',
  )
  FABRIC_PEER_HOST_ALIAS: readonly string[] = [];

  @Variable('LEDGER_DRIVER=fabric-gateway: PEM file with the TLS roots of the peers. Default: connections without TLS.')
  FABRIC_TLS_ROOT_CERT?: string;

  @Variable('PEM file with the certificate for peers and orderers that require one (mutual TLS).')
  FABRIC_TLS_CLIENT_CERT?: string;

  @Variable('PEM file with the private key of that certificate.')
  FABRIC_TLS_CLIENT_KEY?: string;

  @Variable('LEDGER_DRIVER=fabric-gateway: PEM file or MSP directory signcerts of the signing identity.')
  FABRIC_CERT?: string;

  @Variable('LEDGER_DRIVER=fabric-gateway: PEM file or MSP directory keystore with its private key.')
  FABRIC_KEY?: string;

  @Milliseconds('Timeout of a read')
  FABRIC_EVALUATE_TIMEOUT_MS = 10_000;

  @Milliseconds('Timeout of the endorsement of a write')
  FABRIC_ENDORSE_TIMEOUT_MS = 30_000;

  @Milliseconds('Timeout of sending a write to the orderers')
  FABRIC_SUBMIT_TIMEOUT_MS = 10_000;

  @Milliseconds('Timeout of a commit, after which the outcome is unknown')
  FABRIC_COMMIT_TIMEOUT_MS = 60_000;

  @WholeNumber(1, 10_000, 'Most concurrent calls. A peer accepts 500 from all its clients by default.')
  FABRIC_MAX_CALLS = 400;
}
