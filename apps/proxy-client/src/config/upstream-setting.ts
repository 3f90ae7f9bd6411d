import { formatAuthority, parseTarget, type Target } from '../http/authority.js';
import { FormatError } from '../http/field-lines.js';
import type { ConfigLocation } from './config-faults.js';
import { certificateFile, keyFile, reportKeyPair } from './pem-files.js';
import { PacFile } from '../routing/rules/loaded-file.js';
import { fileSourceOf, withoutQuery } from './file-source.js';
import { clientContext, reportContext } from './secure-contexts.js';
import {
  defaultsOf,
  hasKey,
  type JsonSchema,
  key as keyOf,
  listOf,
  object,
  orOff,
  type ReadKeys,
  refine,
  setting,
  titled,
  type ValueReader,
} from './setting.js';
import {
  asNumber,
  duration,
  host as hostName,
  oneOf,
  onOff,
  secret,
  text,
  valid,
  wholeNumber,
} from './value-reader.js';

/** RFC 1929, section 2: each length is one byte. */
const MAX_CREDENTIAL = 255;
/** The settings that a URL contains, or single keys; and how the URL encodes them. */
const IN_URL = {
  protocol: protocolOf,
  host: String,
  port: String,
  username: decodeURIComponent,
  password: decodeURIComponent,
};

const PROTOCOLS = ['socks5', 'socks5+tls', 'http', 'https'] as const;
export type UpstreamProtocol = (typeof PROTOCOLS)[number];

const tlsKeys = {
  ca: keyOf(certificateFile, 'With TLS: a PEM file with the authorities to trust instead of those of Node.'),
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
const httpServer = object(
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
const UPSTREAM: JsonSchema = {
  title: 'Upstream',
  $comment:
    'A URL such as `socks5://user:password@host:1080` (also `socks5+tls`, `http` or `https`), an upstream in parts, or `embedded`: direct connections.',
  anyOf: [
    { type: 'string', minLength: 1 },
    {
      title: 'UpstreamOptions',
      $comment: 'An upstream in parts; either `url`, or `host` and `port`.',
      type: 'object',
      properties: {
        url: {
          type: 'string',
          minLength: 1,
          description: 'A URL instead of protocol, host, port, username and password.',
        },
        ...httpServer.json.properties,
      },
      additionalProperties: false,
    },
  ],
};

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

/** Direct connections, under the name of an upstream. */
export interface EmbeddedUpstreamConfig {
  readonly kind: 'embedded';
}

/** userinfo up to the last @, then host and port, as curl parses it. Each part may be a variable. */
const URL_FORM =
  /^(?<protocol>socks5h?|socks5\+tls|https?):\/\/(?:(?<username>[^:@/]*):(?<password>.*)@)?(?<host>\[[^\]@/]+\]|[^:@/[\]]+):(?<port>\d{1,9}|\$\{\w+\})\/?$/i;
const URL_PROBLEM =
  'must be embedded, or a URL with a port such as socks5://host:port or https://username:password@host:port (socks5, socks5+tls, http or https)';
const NO_KEYS: ReadonlyMap<unknown, unknown> = new Map();
const ONE_VARIABLE = /^\$\{\w+\}$/;

/** `socks5h` is equivalent to `socks5`: the upstream always resolves names. */
function protocolOf(scheme: string): string {
  return scheme.toLowerCase().replace('socks5h', 'socks5');
}

/**
 * Reads an upstream: `embedded`, `socks5://user:password@host:port` (or another protocol), or a group of keys with host and
 * port, or with `url`.
 */
export const upstreamSetting: ValueReader<ServerConfig | EmbeddedUpstreamConfig> = setting(
  UPSTREAM,
  (value, location) => {
    if (typeof value === 'string') return fromText(value, location);
    return hasKey(value, 'url') ? fromUrlKey(value, location) : fromGroup(value, location);
  },
);

function fromUrlKey(
  group: ReadonlyMap<unknown, unknown>,
  location: ConfigLocation,
): ReturnType<typeof upstreamSetting> {
  for (const key of Object.keys(IN_URL))
    if (group.has(key)) location.child('url').report(`cannot be combined with ${key}`);
  const others = new Map(group);
  const url = group.get('url');
  others.delete('url');
  if (typeof url === 'string') return fromText(url, location, others);
  location.child('url').report(URL_PROBLEM);
  return undefined;
}

/**
 * Reads a URL, or `embedded` if there are no other keys. Faults do not contain the URL, which may contain a password.
 *
 * @param others - the keys next to the URL
 * @param isLiteral - whether it contains no variables
 */
function fromText(
  value: string,
  location: ConfigLocation,
  others = NO_KEYS,
  isLiteral = false,
): ReturnType<typeof upstreamSetting> {
  const verbatim = location.verbatim();
  const written = isLiteral ? verbatim : location;
  const { references } = written;
  if (references !== undefined && ONE_VARIABLE.test(value)) {
    const given = references.expand(value, location.report);
    return given === undefined ? undefined : fromText(given, location, others, true);
  }
  if (value === 'embedded' && others === NO_KEYS) return { kind: 'embedded' };
  const fields = partsOfUrl(value, written);
  if (fields === undefined) return undefined;
  // The variables of the URL are expanded already; the other keys may have some, and files.
  const child = (key: string): ConfigLocation => (fields.has(key) ? verbatim : location).child(key);
  return fromGroup(new Map<unknown, unknown>([...fields, ...others]), { ...location, child });
}

/** Expands the variables of a URL's parts. Their values are literal, so that a password may contain any character. */
function partsOfUrl(url: string, { references, report }: ConfigLocation): Map<string, unknown> | undefined {
  const parts = URL_FORM.exec(url)?.groups;
  if (parts === undefined) {
    report(URL_PROBLEM);
    return undefined;
  }
  const fields = new Map<string, unknown>();
  try {
    for (const [name, decode] of Object.entries(IN_URL)) {
      const part = parts[name];
      if (part === undefined) continue;
      const read = references === undefined ? decode(part) : references.expand(part, report, decode);
      if (read === undefined) return undefined;
      fields.set(name, name === 'port' ? asNumber(read) : read);
    }
    return fields;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    report('username and password must be percent-encoded if they contain a % sign (%25)');
    return undefined;
  }
}

function fromGroup(value: unknown, location: ConfigLocation): ServerConfig | undefined {
  const isHttp = hasKey(value, 'protocol') && IS_HTTP.has(value.get('protocol'));
  const fields = (isHttp ? httpServer : server)(value, location);
  reportHalves(value, location);
  if (fields === undefined) return undefined;
  const { protocol = DEFAULTS.protocol, username, password, host, port, via } = fields;
  reportOthers(value, location, protocol);
  const credentials = username !== undefined && password !== undefined && { credentials: { username, password } };
  const tls = tlsOf(fields, location);
  const common = {
    host,
    port,
    ...credentials,
    ...(HAS_TLS.has(protocol) && { tls }),
    ...(via !== undefined && { via }),
  };
  return IS_HTTP.has(protocol) ? httpUpstream(fields, common, location) : socksUpstream(fields, common, location);
}

/** Returns the settings for TLS, and reports a fault if they cannot be used together. */
function tlsOf({ ca, certificate, key, serverName }: ServerFields, location: ConfigLocation): TlsConfig {
  const tls = { ca, certificate, key, serverName };
  if (reportKeyPair(tls, location) && certificate !== undefined) reportContext(() => clientContext(tls), location);
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
  const path = keytab === undefined ? undefined : location.references?.readable(keytab, location.child('keytab'));
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

/** Parses `HOST:PORT` or `[::1]:443`; returns undefined if it is malformed. */
export function parseTargetOrUndefined(given: string): Target | undefined {
  try {
    return parseTarget(given);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** Reads `host:port`; the port is required. */
export const target: ValueReader<Target> = refine(text(300), (given, location) => {
  const read = parseTargetOrUndefined(given);
  if (read === undefined) location.report('must be host:port, such as db.example:5432');
  return read;
});

/** The health checks of a group; milliseconds. */
export interface CheckConfig {
  readonly every: number;
  /** Also connects to this target; without one a check ends after the authentication. */
  readonly target?: Target;
}

const SHORTEST_CHECK = 100;
const checkGroup = titled(
  'CheckOptions',
  'The health checks of a group.',
  object({
    every: keyOf(duration, 'The interval.', '10s'),
    target: keyOf(target, 'Also connects to this target, host:port; absent: a check ends after the authentication.'),
  }),
);
const DEFAULT_CHECK: CheckConfig = defaultsOf(checkGroup);

const check = orOff(
  refine(checkGroup, (read, location): CheckConfig => {
    if (read.every !== undefined && read.every < SHORTEST_CHECK) {
      location.child('every').report(`must be at least ${SHORTEST_CHECK}ms; check: off disables checks`);
    }
    return { ...DEFAULT_CHECK, ...read };
  }),
);

const pick = oneOf('failover', 'roundrobin', 'fastest');

const group = titled(
  'GroupOptions',
  'Upstreams that replace one another.',
  object(
    {
      of: keyOf(listOf(text(64), 'a group needs a member'), 'The names of the members, in their order.'),
      pick: keyOf(pick, 'Which member is tried first: the first that works, each in turn, or the fastest.', 'failover'),
      check: keyOf(check, 'The health checks of the members.'),
    },
    'of',
  ),
);

/** Upstreams that replace one another. */
export interface GroupConfig {
  readonly kind: 'group';
  /** Names of upstreams that are not groups, or `direct`; each once. */
  readonly of: readonly string[];
  readonly pick: NonNullable<ReturnType<typeof pick>>;
  /** Absent: off. */
  readonly check?: CheckConfig;
}

function groupSetting(value: unknown, location: ConfigLocation): GroupConfig | undefined {
  const read = group(value, location);
  if (read === undefined) return undefined;
  const { of, pick = defaultsOf(group).pick, check: checked = DEFAULT_CHECK } = read;
  return { kind: 'group', of, pick, ...(checked !== 'off' && { check: checked }) };
}

const pacGroup = titled(
  'PacOptions',
  'A PAC script that chooses the upstream of each request.',
  object({
    file: keyOf(text(4096), 'The path of the script, relative to the configuration file. It is watched.'),
    url: keyOf(text(4096), 'The address of the script, http or https, which is loaded directly.'),
    refresh: keyOf(duration, 'How often a URL is loaded again, at least 1m.', '1h'),
    resolve: keyOf(
      orOff(oneOf('system')),
      'off: names have no addresses for the script; system: they are resolved by this machine.',
      'off',
    ),
    direct: keyOf(onOff, 'Whether the script may choose direct connections.', 'off'),
  }),
);
const PAC_DEFAULTS = defaultsOf(pacGroup);
const pacUpstream = object({ pac: keyOf(pacGroup, 'The script.') }, 'pac');

/** A PAC script that chooses the upstream. */
export interface PacConfig {
  readonly kind: 'pac';
  readonly file: PacFile;
  /** Whether names are resolved for the script. */
  readonly resolves: boolean;
  readonly direct: boolean;
}

function pacSetting(value: unknown, location: ConfigLocation): PacConfig | undefined {
  const pac = pacUpstream(value, location)?.pac;
  if (pac === undefined) return undefined;
  const child = location.child('pac');
  const refresh = pac.refresh ?? PAC_DEFAULTS.refresh;
  const source = fileSourceOf({ ...pac, refresh, via: 'direct' }, pac, child);
  if (source === undefined) return undefined;
  const { resolve = PAC_DEFAULTS.resolve, direct = PAC_DEFAULTS.direct } = pac;
  const name = pac.file ?? withoutQuery(pac.url ?? '');
  const file = new PacFile({ source, name, setBy: { source: child.source, key: child.key } });
  return { kind: 'pac', file, resolves: resolve === 'system', direct };
}

export type UpstreamConfig = ServerConfig | EmbeddedUpstreamConfig | GroupConfig | PacConfig;

/** Returns the protocol of a server, as in its URL. */
export function protocolOfServer({ kind, tls }: ServerConfig): UpstreamProtocol {
  if (kind === 'http') return tls === undefined ? 'http' : 'https';
  return tls === undefined ? 'socks5' : 'socks5+tls';
}

/** Describes an upstream without its credentials. */
export function describeUpstream(upstream: UpstreamConfig): string {
  if (upstream.kind === 'group') return `${upstream.pick} of ${upstream.of.join(', ')}`;
  if (upstream.kind === 'embedded') return 'embedded';
  if (upstream.kind === 'pac') return `the PAC script ${upstream.file.config.name}`;
  const via = upstream.via === undefined ? '' : ` via ${upstream.via}`;
  return `${protocolOfServer(upstream)}://${formatAuthority(upstream)}${via}`;
}

/** An upstream with its name; that of the key `upstream` is `upstream`. */
export type NamedUpstream = UpstreamConfig & { readonly name: string };

/** Names that have another meaning as a destination. */
const RESERVED: readonly string[] = ['direct', 'reject', 'ask'];
const NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** Reads the upstreams by name, in their order. */
const UPSTREAMS: JsonSchema = {
  type: 'object',
  minProperties: 1,
  propertyNames: { pattern: NAME.source },
  additionalProperties: { anyOf: [UPSTREAM, group.json, pacUpstream.json] },
};
export const upstreamsSetting: ValueReader<readonly NamedUpstream[]> = setting(UPSTREAMS, (value, location) => {
  if (!(value instanceof Map) || value.size === 0) {
    location.report('must be a group of upstreams by name, such as work: socks5://host:port');
    return undefined;
  }
  return [...(value as Map<unknown, unknown>)].flatMap(([name, entry]) => {
    if (typeof name !== 'string' || !NAME.test(name)) {
      location.report('names of upstreams consist of lower-case letters, digits and -, such as work or tor-2');
      return [];
    }
    const child = location.child(name);
    if (RESERVED.includes(name)) child.report('is a reserved name: choose another');
    const read = readerOf(entry)(entry, child);
    return read === undefined ? [] : [{ name, ...read }];
  });
});

/** Returns the reader for an entry, by its keys. */
function readerOf(entry: unknown): (value: unknown, location: ConfigLocation) => UpstreamConfig | undefined {
  if (hasKey(entry, 'of')) return groupSetting;
  return hasKey(entry, 'pac') ? pacSetting : upstreamSetting;
}
