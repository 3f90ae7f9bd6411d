import type { ConfigLocation } from './config-faults.js';
import { authoritiesFile, certificateFile, keyFile, reportKeyPair } from './pem-files.js';
import { clientContext, registerCertificate, reportContext } from './secure-contexts.js';
import { defaultsOf, hasKey, key as keyOf, object, type ReadKeys, setting } from './setting.js';
import { host as hostName, oneOf, secret, text, valid, wholeNumber } from './value-reader.js';

/** RFC 1929, section 2: each length is one byte. */
const MAX_CREDENTIAL = 255;

const PROTOCOLS = ['socks5', 'socks5+tls', 'http', 'https'] as const;
export type UpstreamProtocol = (typeof PROTOCOLS)[number];

const tlsKeys = {
  ca: keyOf(authoritiesFile, 'With TLS: a PEM file with the authorities to trust instead of those of Node.'),
  certificate: keyOf(certificateFile, "With TLS: a PEM file with the client's certificate."),
  key: keyOf(keyFile, 'The PEM file with the private key of the certificate.'),
  serverName: keyOf(hostName, "With TLS: the name in the server's certificate, if it is not host."),
};
const socksKeys = {
  handshake: keyOf(
    oneOf('auto', 'stepwise', 'oneflight'),
    'auto: test whether the server accepts the whole handshake in one write, and use that.',
    'auto',
  ),
  warm: keyOf(wholeNumber(0, 1000), 'The number of connections that are opened and authenticated ahead.', 0),
  isolate: keyOf(
    oneOf('user'),
    'user: separate connections and credentials for each user, for which Tor builds separate circuits.',
  ),
};
const SERVICE = /^[A-Za-z]{1,32}[@/][^\s@/]{1,253}$/;
const httpKeys = {
  plain: keyOf(
    oneOf('forward', 'connect'),
    'How an HTTP proxy receives plain http requests: forward (in absolute-form), or connect (in a tunnel).',
    'forward',
  ),
  auth: keyOf(
    oneOf('negotiate'),
    'negotiate: log in to an HTTP proxy by Kerberos, with the ticket of the user (kinit) or keytab. Needs the package koffi.',
  ),
  servicePrincipal: keyOf(
    valid(text(255), (each) => SERVICE.test(each), 'must be HTTP@HOST or HTTP/HOST, without a realm'),
    'With auth: negotiate: the service of the proxy; absent: HTTP@ and host.',
  ),
  keytab: keyOf(text(4096), 'With auth: negotiate: a file with keys, with which tickets are obtained without kinit.'),
};
const PASSWORD = 'The password; required together with username.';
const anySecret = secret(MAX_CREDENTIAL);
/** The keys of an upstream with a server, in addition to `url`. */
export const serverKeys = {
  host: keyOf(hostName, 'The name or address of the server.'),
  port: keyOf(wholeNumber(1, 65_535), 'The port of the server.'),
  username: keyOf(text(MAX_CREDENTIAL), 'The user name; required together with password.'),
  password: keyOf(anySecret, PASSWORD),
  protocol: keyOf(oneOf(...PROTOCOLS), 'The protocol of the server; with TLS: socks5+tls, https.', 'socks5'),
  via: keyOf(text(64), 'The upstream or group through which the server is reached; absent: directly.'),
  ...socksKeys,
  ...httpKeys,
  ...tlsKeys,
};
const server = object(serverKeys, 'host', 'port');
const DEFAULTS = defaultsOf(server);
/** An HTTP proxy may have users without a password, whose name is a key. SOCKS5 cannot express that (RFC 1929). */
export const httpServer = object(
  {
    ...serverKeys,
    password: keyOf(
      setting({ anyOf: [...(anySecret.json.anyOf ?? []), { enum: [''] }] }, (value, location) =>
        value === '' ? '' : anySecret(value, location),
      ),
      PASSWORD,
    ),
  },
  'host',
  'port',
);
/** The TLS settings of a server: PEM texts, and the name in its certificate. */
export type TlsConfig = { readonly [Key in keyof typeof tlsKeys]?: string | undefined };

/** The settings of every kind of server. */
interface CommonServerConfig {
  readonly host: string;
  readonly port: number;
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Absent: without TLS. */
  readonly tls?: TlsConfig;
  /** The name of the upstream or group through which it is reached; absent: by TCP from here. */
  readonly via?: string;
}

/** A SOCKS5 server. */
export interface Socks5UpstreamConfig extends CommonServerConfig, Pick<ReadKeys<typeof socksKeys>, 'isolate'> {
  readonly kind: 'socks5';
  readonly handshake: NonNullable<ReadKeys<typeof socksKeys>['handshake']>;
  readonly warm: number;
}

/** The service for which a Kerberos token is requested. */
export interface TicketRequest {
  /** `HTTP@host`. */
  readonly service: string;
  /** The file with the keys of this program; absent: the tickets of the user (kinit). */
  readonly keytab?: string | undefined;
}

/** An HTTP proxy. */
export interface HttpUpstreamConfig extends CommonServerConfig {
  readonly kind: 'http';
  readonly plain: 'forward' | 'connect';
  /** The service of the proxy for which tokens are obtained; absent: no Kerberos. */
  readonly negotiate?: TicketRequest;
}

/** An upstream with a server. */
export type ServerConfig = Socks5UpstreamConfig | HttpUpstreamConfig;

/** Reads an upstream with a server from its keys. */
export function readServer(value: unknown, location: ConfigLocation): ServerConfig | undefined {
  const isHttp = hasKey(value, 'protocol') && IS_HTTP.has(value.get('protocol'));
  const fields = (isHttp ? httpServer : server)(value, location);
  reportHalves(value, location);
  if (fields === undefined) return undefined;
  const { protocol = DEFAULTS.protocol, username, password, host, port, via } = fields;
  reportOthers(value, location, protocol);
  const credentials = username !== undefined && password !== undefined && { credentials: { username, password } };
  const tls = tlsOf(fields, value, location);
  const common = {
    host,
    port,
    ...credentials,
    ...(HAS_TLS.has(protocol) && { tls }),
    ...(via !== undefined && { via }),
  };
  return IS_HTTP.has(protocol) ? httpUpstream(fields, common, location) : socksUpstream(fields, common, location);
}

/**
 * Returns the settings for TLS, and reports a fault if they cannot be used together.
 *
 * @param value - what they were read from
 */
function tlsOf(
  { ca, certificate, key, serverName }: ServerFields,
  value: unknown,
  location: ConfigLocation,
): TlsConfig {
  const tls = { ca, certificate, key, serverName };
  const isRead = (name: 'certificate' | 'key'): boolean => !hasKey(value, name) || tls[name] !== undefined;
  if (!isRead('certificate') || !isRead('key')) return tls;
  if (reportKeyPair(tls, location) && certificate !== undefined) {
    if (reportContext(() => clientContext(tls), location)) registerCertificate(tls, location);
  }
  return tls;
}

type ServerFields = NonNullable<ReturnType<typeof server>>;

function socksUpstream(
  fields: ServerFields,
  common: CommonServerConfig,
  location: ConfigLocation,
): Socks5UpstreamConfig {
  const { handshake = DEFAULTS.handshake, warm = DEFAULTS.warm, isolate, username } = fields;
  if (isolate !== undefined && username !== undefined) {
    location.child('isolate').report('uses different credentials for each user: omit username and password');
  }
  return { kind: 'socks5', ...common, handshake, warm, ...(isolate !== undefined && { isolate }) };
}

function httpUpstream(fields: ServerFields, common: CommonServerConfig, location: ConfigLocation): HttpUpstreamConfig {
  const { plain = DEFAULTS.plain, username } = fields;
  // RFC 7617, section 2.
  if (username?.includes(':') === true) location.child('username').report('must not contain a colon');
  const negotiate = ticketOf(fields, location);
  return { kind: 'http', ...common, plain, ...(negotiate && { negotiate }) };
}

/** The file starts with its version: 5, and 1 or 2. */
const KEYTAB = { signature: 5, problem: 'must be a keytab, as ktutil and ktpass write it' };

function ticketOf(fields: ServerFields, location: ConfigLocation): TicketRequest | undefined {
  const { auth, servicePrincipal, keytab, username, host } = fields;
  if (auth === undefined) {
    for (const [name, value] of Object.entries({ servicePrincipal, keytab })) {
      if (value !== undefined) location.child(name).report('has no effect without auth: negotiate');
    }
    return undefined;
  }
  if (username !== undefined) location.child('auth').report('cannot be combined with username and password');
  const service = (servicePrincipal ?? `HTTP@${host}`).replace('/', '@');
  const path = keytab === undefined ? undefined : location.references?.binary(keytab, location.child('keytab'), KEYTAB);
  return { service, ...(path !== undefined && { keytab: path }) };
}

/** Reports a user name without a password, and the other way round. */
function reportHalves(value: unknown, location: ConfigLocation): void {
  if (hasKey(value, 'username') === hasKey(value, 'password')) return;
  const missing = hasKey(value, 'username') ? 'password' : 'username';
  location.child(missing).report('is missing: username and password are required together');
}

const HAS_TLS: ReadonlySet<UpstreamProtocol> = new Set<UpstreamProtocol>(['socks5+tls', 'https']);
const IS_HTTP: ReadonlySet<unknown> = new Set<UpstreamProtocol>(['http', 'https']);

/** Reports keys that have no meaning for a protocol. */
function reportOthers(value: unknown, location: ConfigLocation, protocol: UpstreamProtocol): void {
  const others = { ...(IS_HTTP.has(protocol) ? socksKeys : httpKeys), ...(HAS_TLS.has(protocol) ? {} : tlsKeys) };
  for (const key of Object.keys(others)) {
    if (hasKey(value, key)) location.child(key).report(`has no effect with ${protocol}: omit it`);
  }
}

/** Returns the protocol of a server, as in its URL. */
export function protocolOfServer({ kind, tls }: ServerConfig): UpstreamProtocol {
  if (kind === 'http') return tls === undefined ? 'http' : 'https';
  return tls === undefined ? 'socks5' : 'socks5+tls';
}
