import type { Rule } from '../routing/rules/rule.js';
import { isLoopbackAddress } from '../routing/rules/own-addresses.js';
import { type ListenerConfig, listenerSetting, listenPort, listenSetting, mode } from './listener-setting.js';
import { type AskConfig, gateSetting } from './gate-setting.js';
import { rulesSetting } from './rule-setting.js';
import { type NamedUpstream, upstreamSetting, upstreamsSetting } from './upstream-setting.js';
import {
  type Defaults,
  hasKey,
  key,
  listOf,
  object,
  orOff,
  type ReadKeys,
  refine,
  setting,
  titled,
  type ValueReader,
} from './setting.js';
import { byteSize, duration, host, oneOf, onOff, secret, text, valid, wholeNumber } from './value-reader.js';

export type { ListenerConfig, ListenerMode } from './listener-setting.js';
export type { AskConfig } from './gate-setting.js';
export type { CheckConfig, GroupConfig } from './group-setting.js';
export type { PacConfig } from './pac-setting.js';
export type {
  HttpUpstreamConfig,
  ServerConfig,
  Socks5UpstreamConfig,
  TicketRequest,
  TlsConfig,
} from './server-setting.js';
export type { NamedUpstream, UpstreamConfig } from './upstream-setting.js';

export const logLevel = oneOf('debug', 'info', 'warn', 'error');

/** The keys of the admin listener. */
export const adminGroup = object({
  host: key(host, 'The address to listen on. Beyond loopback a token is required.', '127.0.0.1'),
  port: key(listenPort, 'The port; 0: any free one. If no key of admin is set, the next free one up to 9099.', 9090),
  token: key(
    // A bearer token (RFC 6750) that is long enough not to be guessed.
    valid(
      secret(256),
      (token) => /^[\x21-\x7e]{16,}$/.test(token),
      'must be 16 to 256 printable ASCII characters without spaces',
    ),
    'The token that clients must send.',
  ),
});

/** Reads `off`, or the settings of the admin listener. */
const admin = orOff(
  refine(adminGroup, (read, location, value) => {
    if (read.host !== undefined && !isLoopbackAddress(read.host) && !hasKey(value, 'token')) {
      location
        .child('host')
        .report('is not a loopback address: others could read whom the proxy serves; set admin.token');
    }
    return read;
  }),
);

const path = text(4096);
/** Reads `stdout`, or a file relative to the configuration file. */
const requestsTo: ValueReader<{ readonly file?: string }> = setting(path.json, (value, location) => {
  if (value === 'stdout') return {};
  const file = path(value, location);
  return file === undefined ? undefined : { file: location.references?.locate(file, location) ?? file };
});

/** The keys of the request log. */
export const logGroup = object({
  requests: key(requestsTo, 'The file to write to, or stdout.'),
  format: key(oneOf('json', 'common'), 'json, or the common log format of the NCSA.', 'json'),
  queries: key(onOff, 'Whether the queries of URLs are logged.', 'off'),
});

const log = refine(logGroup, (read, location, value) => {
  if (!hasKey(value, 'requests')) location.child('requests').report('is missing: specify a file, or stdout');
  return read;
});

const MANY = 1_000_000;

/** Durations are milliseconds; 0 means no limit. */
export const timeoutsGroup = titled(
  'TimeoutOptions',
  'Time limits; 0 means no limit.',
  object({
    read: key(duration, 'The time for a client to send a header, and between two pieces of its body.', '30s'),
    write: key(duration, 'How long a peer may leave available data unread.', '30s'),
    idle: key(duration, 'How long an idle connection of a client is left open.', '120s'),
    connect: key(duration, 'The time for an upstream to accept a connection.', '10s'),
    handshake: key(duration, 'The time for an upstream to complete the handshake.', '30s'),
    response: key(duration, 'How long an origin may be silent before its answer begins.', '0s'),
    tunnelIdle: key(duration, 'How long a tunnel may transfer nothing.', '0s'),
    drain: key(duration, 'How long requests and tunnels may continue during a shutdown.', '10s'),
  }),
);

export const limitsGroup = titled(
  'LimitOptions',
  'Limits of clients.',
  object({
    headerBytes: key(
      byteSize(1024, 16_777_216),
      'The header of a request, names and values together; more is answered with 431.',
      '1MiB',
    ),
    connections: key(wholeNumber(1, MANY), 'Connections of clients; more are answered with 503.', 10_000),
  }),
);

export const poolGroup = titled(
  'PoolOptions',
  'Connections to origins that are left open for the next request to the same target.',
  object({
    idle: key(duration, 'How long one is left open.', '30s'),
    perTarget: key(wholeNumber(1, MANY), 'How many for one target.', 64),
    total: key(wholeNumber(1, MANY), 'How many in all.', 1024),
  }),
);

export type Timeouts = Defaults<typeof timeoutsGroup.shape>;

/** The parts of a configuration file. */
const keys = {
  mode: key(
    mode,
    'The protocol of the only listener: http, socks5, mixed (both), or tunnel (with listen.to and listen.via).',
    'http',
  ),
  logLevel: key(logLevel, 'debug, info, warn or error. debug also writes a line for each request and tunnel.', 'info'),
  listen: key(listenSetting, 'The only listener.'),
  listeners: key(listOf(listenerSetting, 'a listener is required'), 'Several listeners, instead of mode and listen.'),
  upstream: key(
    upstreamSetting,
    'The server that forwards all requests: socks5://user:password@host:port (or socks5+tls, http, https), a group of keys, or embedded.',
    'socks5://127.0.0.1:1080',
  ),
  upstreams: key(
    upstreamsSetting,
    'Several upstreams and groups by name, instead of upstream. The first is the default.',
  ),
  rules: key(rulesSetting, 'Which requests use which upstream. The first rule that matches decides.'),
  default: key(
    oneOf('reject', 'ask'),
    'reject: requests that match no rule are refused, instead of sent to the first upstream. ask: they wait for the answer of a person.',
  ),
  gate: key(gateSetting, 'How requests wait for the answer of a person (default: ask, and rules with to: ask).'),
  timeouts: key(timeoutsGroup, 'Time limits; 0s means no limit.'),
  limits: key(limitsGroup, 'Limits of clients.'),
  pool: key(poolGroup, 'Connections to origins that are left open for the next request to the same target.'),
  via: key(onOff, 'Whether forwarded requests carry a Via header; it reveals a loop through several proxies.', 'on'),
  log: key(log, 'One line for each request that has ended; absent: off.'),
  admin: key(admin, 'The admin listener, with the dashboard, /docs, /metrics, /stats and /health; or off.'),
};

/** Every key that a configuration file may have. */
export const configFileShape = titled(
  'ProxyConfig',
  'The configuration of a proxy: the keys of the configuration file, without `admin` and `log`.',
  object(keys),
);

/** A parsed configuration file; keys that it does not set are absent. */
export type ConfigFile = ReadKeys<typeof keys>;

type AdminSettings = Exclude<NonNullable<ConfigFile['admin']>, 'off'>;

/** The settings of the admin listener. */
export interface AdminConfig extends AdminSettings {
  readonly host: string;
  readonly port: number;
  /** The port is a default: if it is in use, the following ones are tried up to this one, and it is no error if all are. */
  readonly orUpTo?: number;
  readonly setBy?: string;
}

/** The settings of the request log. */
export interface RequestLogConfig {
  /** The absolute path of the file; absent: standard output. */
  readonly file?: string;
  readonly format: 'json' | 'common';
  readonly queries: boolean;
  /** The configuration file, for error messages. */
  readonly setBy: string;
}

/** The configuration of a proxy. */
export interface ProxyClientConfig {
  readonly logLevel: NonNullable<ReturnType<typeof logLevel>>;
  readonly listeners: readonly ListenerConfig[];
  /** The first is the default. */
  readonly upstreams: readonly NamedUpstream[];
  /** The first match applies. */
  readonly rules: readonly Rule[];
  /** Whether requests that match no rule are refused, unless a person allows them (`default: reject` or `ask`). */
  readonly rejectsByDefault: boolean;
  /** Whether they wait for the answer of a person (`default: ask`). */
  readonly asksByDefault: boolean;
  /** How requests wait. */
  readonly ask: AskConfig;
  readonly timeouts: Timeouts;
  readonly limits: Defaults<typeof limitsGroup.shape>;
  readonly pool: Defaults<typeof poolGroup.shape>;
  readonly via: boolean;
  /** The directory for copies of lists; absent: there is none. */
  readonly copies?: string;
  /** Absent: off. */
  readonly requestLog?: RequestLogConfig;
  /** Absent: off. */
  readonly admin?: AdminConfig;
}
