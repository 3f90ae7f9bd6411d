import { IsIn, IsNotEmpty, Matches } from 'class-validator';
import { envExampleOf, Optional, TogetherWith, Variable, WholeNumber } from './variables.js';

export const LEDGER_DRIVERS = ['embedded', 'fabric', 'fabric-gateway'] as const;
/** The driver that implements the ledger port. */
export type LedgerDriver = (typeof LEDGER_DRIVERS)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const HOST_NAME = String.raw`[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?`;
const HOST =
  /^(?=.{1,253}$)([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$/;
const ORIGIN = String.raw`https?://([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?`;
const ENDPOINT = String.raw`([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}`;
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const TLS_NAME = '[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?';

/**
 * Every environment variable of ledger-api and its tools: its default, its rule and the sentence that `.env.example` shows.
 * The property has the variable's name, so that a fault is reported under the name that the user has to change.
 */
export class Environment {
  @Variable('Address to listen on. Beyond loopback LEDGER_AUTH has to be set.')
  @Matches(HOST, { message: 'use an IP address without brackets or a host name' })
  LEDGER_API_HOST = '127.0.0.1';

  @Variable('Port for http; 0 takes any free one.')
  @WholeNumber(0, 65_535)
  LEDGER_API_PORT = 3000;

  @Variable('Port for https; 0 turns https off.')
  @WholeNumber(0, 65_535)
  LEDGER_API_HTTPS_PORT = 3443;

  @Variable(
    'Host names that requests may be addressed to, separated by commas; IP addresses, localhost and LEDGER_API_HOST always are.',
  )
  @Optional()
  @Matches(new RegExp(`^${HOST_NAME}(,${HOST_NAME})*$`), {
    message: 'use host names without ports, several separated by commas',
  })
  LEDGER_API_ALLOWED_HOSTS?: string;

  @Variable(
    'PEM file with the certificate chain for https; without it a self-signed one is kept in the data directory.',
  )
  @TogetherWith('LEDGER_API_TLS_CERT', 'LEDGER_API_TLS_KEY')
  LEDGER_API_TLS_CERT?: string;

  @Variable('PEM file with the private key of that certificate.')
  @TogetherWith('LEDGER_API_TLS_KEY', 'LEDGER_API_TLS_CERT')
  LEDGER_API_TLS_KEY?: string;

  @Variable(
    'on: callers need a key, made with "npm run ledger -- callers add NAME". Without it off on loopback; elsewhere the start asks for one or the other.',
  )
  @Optional()
  @IsIn(['on', 'off'], { message: 'use on or off' })
  LEDGER_AUTH?: 'on' | 'off';

  @Variable(
    'on: keys are taken over http beyond loopback too, since something in front of it speaks https. Without it over https only.',
  )
  @Optional()
  @IsIn(['on', 'off'], { message: 'use on or off' })
  LEDGER_API_PLAIN?: 'on' | 'off';

  @Variable('Who may read /metrics with LEDGER_AUTH=on: reader, each caller, or open, everybody. Without it reader.')
  @Optional()
  @IsIn(['reader', 'open'], { message: 'use reader or open' })
  LEDGER_METRICS?: 'reader' | 'open';

  @Variable(
    'Addresses or networks of the proxies in front, separated by commas. Their X-Forwarded-For is the address of the client; without this setting the header is ignored.',
  )
  LEDGER_TRUSTED_PROXIES?: string;

  @Variable('Origins whose pages may call the API from a browser, separated by commas, such as https://app.example.')
  @Optional()
  @Matches(new RegExp(`^${ORIGIN}(,${ORIGIN})*$`), {
    message: 'use origins such as https://app.example or http://localhost:5173, several separated by commas',
  })
  LEDGER_API_CORS_ORIGINS?: string;

  @Variable('File with the callers; without it callers.json in LEDGER_DATA_DIR.')
  LEDGER_CALLERS_FILE?: string;

  @Variable(
    'Issuer of tokens (OpenID Connect) that callers may log in with: its URL exactly as in the tokens. https, or http on loopback.',
  )
  @TogetherWith('LEDGER_JWT_ISSUER', 'LEDGER_JWT_AUDIENCE')
  LEDGER_JWT_ISSUER?: string;

  @Variable('What tokens have to be for: their audience (aud).')
  @TogetherWith('LEDGER_JWT_AUDIENCE', 'LEDGER_JWT_ISSUER')
  LEDGER_JWT_AUDIENCE?: string;

  @Variable('The claim of a token that says who calls: "callers add NAME --subject VALUE" binds its value to a caller.')
  @IsNotEmpty({ message: 'name a claim' })
  LEDGER_JWT_CALLER_CLAIM = 'sub';

  @Variable(
    'The claim of a token with its roles: reader, writer, admin. A dot leads into an object. The scopes ledger:read, ledger:write and ledger:admin work too.',
  )
  @IsNotEmpty({ message: 'name a claim' })
  LEDGER_JWT_ROLES_CLAIM = 'roles';

  @Variable(
    'on: a client with a valid token becomes a caller with the role of the token. Otherwise callers must be added.',
  )
  @Optional()
  @IsIn(['on', 'off'], { message: 'use on or off' })
  LEDGER_JWT_ENROL?: 'on' | 'off';

  @Variable(
    'Chaincode functions that readers may evaluate and writers submit, as CHAINCODE:FUNCTION, separated by commas. Functions of system chaincodes can be called only if they are listed.',
  )
  @Optional()
  @Matches(/^[A-Za-z0-9_-]+:[^,]+(,[A-Za-z0-9_-]+:[^,]+)*$/, {
    message: 'use CHAINCODE:FUNCTION, several separated by commas, without blanks',
  })
  LEDGER_CONTRACTS?: string;

  @Variable(
    'Requests of one caller in a second, or of one address while LEDGER_AUTH is off; more are answered 429. Without it there is no limit.',
  )
  @Optional()
  @WholeNumber(1, 1_000_000)
  LEDGER_RATE_LIMIT?: number;

  @Variable('URL of a Redis server in which replicas count these requests together, redis:// or rediss://.')
  LEDGER_RATE_LIMIT_REDIS?: string;

  @Variable(
    "Who signs a caller's transactions: caller, an identity of its own, or service. Without it caller on the embedded ledger with LEDGER_AUTH=on, else service.",
  )
  @Optional()
  @IsIn(['caller', 'service'], { message: 'use caller or service' })
  LEDGER_SIGN_AS?: 'caller' | 'service';

  @Variable(`What is logged: ${LOG_LEVELS.join(', ')}. Requests are logged at debug, failures at warn and error.`)
  @IsIn(LOG_LEVELS, { message: `use one of ${LOG_LEVELS.join(', ')}` })
  LOG_LEVEL: LogLevel = 'info';

  @Variable(`Which ledger: ${LEDGER_DRIVERS.join(', ')}.`)
  @IsIn(LEDGER_DRIVERS, { message: `use one of ${LEDGER_DRIVERS.join(', ')}` })
  LEDGER_DRIVER: LedgerDriver = 'embedded';

  @Variable('Directory of the embedded ledger, its keys and the self-signed certificate.')
  @IsNotEmpty({ message: 'name a directory' })
  LEDGER_DATA_DIR = 'data/ledger';

  @Variable('Name of the channel.')
  @Matches(/^[a-z][a-z0-9.-]{0,248}$/, {
    message: 'use lower-case letters, digits, dots and dashes, a letter first, at most 249 characters',
  })
  LEDGER_CHANNEL = 'mychannel';

  @Variable('Name of the chaincode.')
  @Matches(/^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$/, {
    message: 'use letters and digits, with single dashes or underscores between them',
  })
  LEDGER_CHAINCODE = 'basic';

  @Variable('Identifier of the membership service provider that issues the identities.')
  @Matches(/^[A-Za-z0-9][A-Za-z0-9.-]{0,248}$/, {
    message: 'use letters, digits, dots and dashes, a letter or digit first, at most 249 characters',
  })
  LEDGER_MSP_ID = 'Org1MSP';

  @Variable(
    'Days for which a repeated write with an Idempotency-Key is found under a certificate that has been renewed since.',
  )
  @WholeNumber(1, 3650, 'a whole number of days')
  LEDGER_IDEMPOTENCY_DAYS = 7;

  @Variable('LEDGER_DRIVER=fabric: file with the connection profile, JSON or YAML.')
  FABRIC_CONNECTION_PROFILE?: string;

  @Variable(
    "Directory of fabric-network's file-system wallet: of LEDGER_DRIVER=fabric, and with LEDGER_SIGN_AS=caller of callers' identities.",
  )
  FABRIC_WALLET_DIR?: string;

  @Variable('LEDGER_DRIVER=fabric: name of the identity in the wallet; read again when it changes.')
  @Optional()
  @Matches(/^[^/\\\0]+$/, { message: 'use the name of an identity, without slashes' })
  FABRIC_IDENTITY?: string;

  @Variable(
    'LEDGER_DRIVER=fabric: true when the network runs in containers on this machine, so that peers are reached at localhost.',
  )
  @IsIn(['true', 'false'], { message: 'use true or false' })
  FABRIC_DISCOVERY_AS_LOCALHOST: 'true' | 'false' = 'false';

  @Variable('npm run identity: name of the certificate authority, when the server has several.')
  FABRIC_CA_NAME?: string;

  @Variable(
    'LEDGER_DRIVER=fabric-gateway: peers as host:port, separated by commas; the others are asked when one fails.',
  )
  @Optional()
  @Matches(new RegExp(`^${ENDPOINT}(,${ENDPOINT})*$`), { message: 'use host:port, several separated by commas' })
  FABRIC_PEER_ENDPOINTS?: string;

  @Variable(
    'LEDGER_DRIVER=fabric-gateway: name in the TLS certificates of the peers when it is not their host; one for all, or one each.',
  )
  @Optional()
  @Matches(new RegExp(`^${TLS_NAME}(,${TLS_NAME})*$`), { message: 'use host names, several separated by commas' })
  FABRIC_PEER_HOST_ALIAS?: string;

  @Variable(
    'LEDGER_DRIVER=fabric-gateway: PEM file with the TLS roots of the peers; without it connections are in clear text.',
  )
  FABRIC_TLS_ROOT_CERT?: string;

  @Variable('PEM file with the certificate that is shown to peers and orderers that ask for one (mutual TLS).')
  @TogetherWith('FABRIC_TLS_CLIENT_CERT', 'FABRIC_TLS_CLIENT_KEY')
  FABRIC_TLS_CLIENT_CERT?: string;

  @Variable('PEM file with the private key of that certificate.')
  @TogetherWith('FABRIC_TLS_CLIENT_KEY', 'FABRIC_TLS_CLIENT_CERT')
  FABRIC_TLS_CLIENT_KEY?: string;

  @Variable(
    'LEDGER_DRIVER=fabric-gateway: PEM file with the certificate that signs transactions, or an MSP directory signcerts; read again when it changes.',
  )
  FABRIC_CERT?: string;

  @Variable(
    'LEDGER_DRIVER=fabric-gateway: PEM file with the private key of that certificate, or an MSP directory keystore.',
  )
  FABRIC_KEY?: string;

  @Variable('Milliseconds that a read may take.')
  @WholeNumber(100, 600_000, 'a whole number of milliseconds')
  FABRIC_EVALUATE_TIMEOUT_MS = 10_000;

  @Variable('Milliseconds that the endorsement of a write may take.')
  @WholeNumber(100, 600_000, 'a whole number of milliseconds')
  FABRIC_ENDORSE_TIMEOUT_MS = 30_000;

  @Variable('Milliseconds that handing a write to the orderers may take.')
  @WholeNumber(100, 600_000, 'a whole number of milliseconds')
  FABRIC_SUBMIT_TIMEOUT_MS = 10_000;

  @Variable('Milliseconds that the commit of an ordered write is waited for; after that its outcome is unknown.')
  @WholeNumber(100, 600_000, 'a whole number of milliseconds')
  FABRIC_COMMIT_TIMEOUT_MS = 60_000;

  @Variable(
    'Calls under way at once; more wait. A peer takes 500 from all its clients unless it is configured otherwise.',
  )
  @WholeNumber(1, 10_000)
  FABRIC_MAX_CALLS = 400;
}

/** ledger-api's part of `.env.example`. */
export function envExample(): string {
  return envExampleOf(Environment);
}

/** Why nothing may be fetched from an issuer's URL (`LEDGER_JWT_ISSUER`); undefined when it may be. */
export function issuerUrlError(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'it is no URL';
  if (url.username !== '' || url.password !== '') return 'it holds credentials';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK_HOST.test(url.hostname))) return undefined;
  return 'it is not https, which only an issuer on loopback need not have';
}
