import type { Rule } from '../routing/rules/rule.js';
import { isLoopbackAddress } from '../routing/rules/own-places.js';
import { type ListenerConfig, listenerSetting, listenPort, listenSetting, mode } from './listener-setting.js';
import { rulesSetting } from './rule-setting.js';
import { type NamedUpstream, upstreamSetting, upstreamsSetting } from './upstream-setting.js';
import {
  byteSize,
  duration,
  hasKey,
  host,
  listOf,
  object,
  oneOf,
  onOff,
  secret,
  text,
  valid,
  wholeNumber,
  type Read,
  type ValueReader,
} from './value-reader.js';

export type { ListenerConfig, ListenerMode } from './listener-setting.js';
export type {
  CheckConfig,
  GroupConfig,
  HttpUpstreamConfig,
  NamedUpstream,
  ServerConfig,
  Socks5UpstreamConfig,
  TlsConfig,
  UpstreamConfig,
} from './upstream-setting.js';

export const logLevel = oneOf('debug', 'info', 'warn', 'error');

const adminGroup = object({
  host,
  port: listenPort,
  /** A bearer token (RFC 6750) that is long enough not to be guessed. */
  token: valid(
    secret(256),
    (token) => /^[\x21-\x7e]{16,}$/.test(token),
    'must be 16 to 256 printable ASCII characters without spaces',
  ),
});

/** Reads `off`, or the settings of the admin listener. */
const admin: ValueReader<'off' | NonNullable<ReturnType<typeof adminGroup>>> = (value, place) => {
  if (value === 'off' || value === false) return 'off';
  const read = adminGroup(value, place);
  if (read?.host !== undefined && !isLoopbackAddress(read.host) && !hasKey(value, 'token')) {
    place.child('host').report('is not a loopback address: others could read whom the proxy serves; set admin.token');
  }
  return read;
};

/** Reads `stdout`, or a file relative to the configuration file. */
const requestsTo: ValueReader<{ readonly file?: string }> = (value, place) => {
  if (value === 'stdout') return {};
  const path = text(4096)(value, place);
  return path === undefined ? undefined : { file: place.references?.locate(path) ?? path };
};

const logGroup = object({
  requests: requestsTo,
  /** `common`: the NCSA's common log format. */
  format: oneOf('json', 'common'),
  /** Whether the queries of URLs are logged. */
  queries: onOff,
});

const log: typeof logGroup = (value, place) => {
  const read = logGroup(value, place);
  if (value instanceof Map && !value.has('requests')) {
    place.child('requests').report('is missing: specify a file, or stdout');
  }
  return read;
};

const MANY = 1_000_000;

/** The defaults of keys outside `listen`, `upstream` and `admin`. Durations are milliseconds; 0 means no limit. */
export const DEFAULTS = {
  logLevel: 'info',
  timeouts: {
    read: 30_000,
    write: 30_000,
    idle: 120_000,
    connect: 10_000,
    handshake: 30_000,
    response: 0,
    tunnelIdle: 0,
    drain: 10_000,
  },
  limits: { headerBytes: 1_048_576, connections: 10_000 },
  pool: { idle: 30_000, perTarget: 64, total: 1024 },
  via: true,
} as const;

type Numbers<G extends 'timeouts' | 'limits' | 'pool'> = { readonly [K in keyof (typeof DEFAULTS)[G]]: number };
export type Timeouts = Numbers<'timeouts'>;

const timeouts = Object.fromEntries(Object.keys(DEFAULTS.timeouts).map((name) => [name, duration])) as {
  readonly [Name in keyof Timeouts]: ValueReader<number>;
};

const keys = {
  mode,
  logLevel,
  listen: listenSetting,
  listeners: listOf(listenerSetting, 'a listener is required'),
  upstream: upstreamSetting,
  upstreams: upstreamsSetting,
  rules: rulesSetting,
  /** What happens to requests that match no rule; absent: they go to the first upstream. */
  default: oneOf('reject'),
  timeouts: object(timeouts),
  limits: object({ headerBytes: byteSize(1024, 16_777_216), connections: wholeNumber(1, MANY) }),
  pool: object({ idle: duration, perTarget: wholeNumber(1, MANY), total: wholeNumber(1, MANY) }),
  via: onOff,
  log,
  admin,
} satisfies Record<string, ValueReader<unknown>>;

/** Every key that a configuration file may have. */
export const configFileShape = object(keys);

/** A parsed configuration file; keys that it does not set are absent. */
export type ConfigFile = Read<typeof keys>;

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
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly listeners: readonly ListenerConfig[];
  /** The first is the default. */
  readonly upstreams: readonly NamedUpstream[];
  /** The first match applies. */
  readonly rules: readonly Rule[];
  /** Whether requests that match no rule are refused (`default: reject`). */
  readonly rejectsByDefault: boolean;
  readonly timeouts: Timeouts;
  readonly limits: Numbers<'limits'>;
  readonly pool: Numbers<'pool'>;
  readonly via: boolean;
  /** Absent: off. */
  readonly requestLog?: RequestLogConfig;
  /** Absent: off. */
  readonly admin?: AdminConfig;
}
