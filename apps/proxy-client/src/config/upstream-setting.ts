import { parseTarget, type Target } from '../http/authority.js';
import { FormatError } from '../http/format-error.js';
import type { Place } from './config-faults.js';
import type {
  CheckConfig,
  GroupConfig,
  NamedUpstream,
  Socks5UpstreamConfig,
  UpstreamConfig,
} from './proxy-client-config.js';
import {
  duration,
  host as hostName,
  listOf,
  object,
  oneOf,
  secret,
  text,
  wholeNumber,
  type ValueReader,
} from './value-reader.js';

/** RFC 1929, section 2: each length is one byte. */
const MAX_CREDENTIAL = 255;
const portNumber = wholeNumber(1, 65_535);

const serverKeys = {
  host: hostName,
  port: portNumber,
  username: text(MAX_CREDENTIAL),
  password: secret(MAX_CREDENTIAL),
  handshake: oneOf('auto', 'stepwise', 'oneflight'),
  warm: wholeNumber(0, 1000),
  isolate: oneOf('user'),
};
const server = object(serverKeys);

/** The settings that a URL contains, or single keys. */
const IN_URL = ['host', 'port', 'username', 'password'];

/** userinfo up to the last @, then host and port, as curl parses it. Each part may be a variable. */
const URL_FORM =
  /^socks5h?:\/\/(?:(?<username>[^:@/]*):(?<password>.*)@)?(?<host>\[[^\]@/]+\]|[^:@/[\]]+):(?<port>\d{1,9}|\$\{\w+\})\/?$/i;
const ONE_VARIABLE = /^\$\{\w+\}$/;

/**
 * Reads an upstream: `embedded`, `socks5://user:password@host:port` (`socks5h://` is equivalent: the upstream always resolves
 * names), or a group of keys with host and port, or with `url`.
 */
export const upstreamSetting: ValueReader<Socks5UpstreamConfig | { readonly kind: 'embedded' }> = (value, place) => {
  if (value === 'embedded') return { kind: 'embedded' };
  if (typeof value === 'string') {
    // The variable may contain a URL or `embedded`.
    const isVariable = ONE_VARIABLE.test(value) && place.references !== undefined;
    const given = isVariable ? place.references.expand(value, place) : value;
    if (given === undefined) return undefined;
    return isVariable ? upstreamSetting(given, place.verbatim()) : fromUrl(value, place, new Map());
  }
  return value instanceof Map && value.has('url') ? fromUrlKey(value, place) : fromGroup(value, place);
};

function fromUrlKey(fields: ReadonlyMap<unknown, unknown>, place: Place): Socks5UpstreamConfig | undefined {
  const { url, ...others } = Object.fromEntries(fields) as Record<string, unknown>;
  for (const key of IN_URL) if (key in others) place.child('url').report(`cannot be combined with ${key}`);
  if (typeof url === 'string') return fromUrl(url, place, new Map(Object.entries(others)));
  place.child('url').report('must be socks5://host:port or socks5://username:password@host:port');
  return undefined;
}

/** Faults do not contain the URL, which may contain a password. */
function fromUrl(value: string, place: Place, others: Map<string, unknown>): Socks5UpstreamConfig | undefined {
  if (ONE_VARIABLE.test(value) && place.references !== undefined) {
    const url = place.references.expand(value, place);
    return url === undefined ? undefined : fromUrl(url, place.verbatim(), others);
  }
  const parts = URL_FORM.exec(value)?.groups;
  if (parts === undefined) {
    place.report('must be embedded or socks5://host:port or socks5://username:password@host:port');
    return undefined;
  }
  try {
    const fields = partsOfUrl(parts, place);
    return fields && fromGroup(new Map([...fields, ...others]), place.verbatim());
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    place.report('username and password must be percent-encoded if they contain a % sign (%25)');
    return undefined;
  }
}

/** Expands the variables of a URL's parts. Their values are literal, so that a password may contain any character. */
function partsOfUrl(
  parts: Readonly<Record<string, string | undefined>>,
  place: Place,
): Map<string, unknown> | undefined {
  const fields = new Map<string, unknown>();
  for (const name of IN_URL) {
    const part = parts[name];
    if (part === undefined) continue;
    const isCredential = name === 'username' || name === 'password';
    const read = readPart(part, place, isCredential ? decodeURIComponent : (text) => text);
    if (read === undefined) return undefined;
    fields.set(name, name === 'port' && /^\d{1,9}$/.test(read) ? Number(read) : read);
  }
  return fields;
}

function readPart(part: string, place: Place, literal: (text: string) => string): string | undefined {
  return place.references === undefined ? literal(part) : place.references.expand(part, place, literal);
}

function fromGroup(value: unknown, place: Place): Socks5UpstreamConfig | undefined {
  const fields = server(value, place);
  if (fields === undefined) return undefined;
  reportMissing(value as ReadonlyMap<unknown, unknown>, place);
  const { host, port, username, password, ...others } = fields;
  if (others.isolate !== undefined && username !== undefined) {
    place.child('isolate').report('uses different credentials for each user: omit username and password');
  }
  if (host === undefined || port === undefined) return undefined;
  const credentials = username !== undefined && password !== undefined && { credentials: { username, password } };
  return { kind: 'socks5', host, port, ...credentials, handshake: 'auto', warm: 0, ...others };
}

function reportMissing(fields: ReadonlyMap<unknown, unknown>, place: Place): void {
  for (const required of ['host', 'port']) if (!fields.has(required)) place.child(required).report('is missing');
  if (fields.has('username') === fields.has('password')) return;
  const missing = fields.has('username') ? 'password' : 'username';
  place.child(missing).report('is missing: username and password are required together');
}

/** Reads `host:port`; the port is required. */
export const target: ValueReader<Target> = (value, place) => {
  const given = text(300)(value, place);
  if (given === undefined) return undefined;
  try {
    return parseTarget(given);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    place.report('must be host:port, such as db.example:5432');
    return undefined;
  }
};

const SHORTEST_CHECK = 100;
const DEFAULT_CHECK: CheckConfig = { every: 10_000 };
const checkGroup = object({ every: duration, target });

const check: ValueReader<CheckConfig | 'off'> = (value, place) => {
  if (value === 'off' || value === false) return 'off';
  const read = checkGroup(value, place);
  if (read === undefined) return undefined;
  if (read.every !== undefined && read.every < SHORTEST_CHECK) {
    place.child('every').report(`must be at least ${SHORTEST_CHECK}ms; check: off disables checks`);
  }
  return { ...DEFAULT_CHECK, ...read };
};

const group = object({ of: listOf(text(64)), pick: oneOf('failover', 'roundrobin', 'fastest'), check });

function groupSetting(value: unknown, place: Place): GroupConfig | undefined {
  const { of, pick = 'failover', check: checked = DEFAULT_CHECK } = group(value, place) ?? {};
  if (of === undefined) return undefined;
  if (of.length === 0) place.child('of').report('is an empty list: a group needs a member');
  return { kind: 'group', of, pick, ...(checked !== 'off' && { check: checked }) };
}

/** Names that have another meaning as a destination. */
const RESERVED: readonly string[] = ['direct', 'reject'];
const NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** Reads the upstreams by name, in their order. */
export const upstreamsSetting: ValueReader<readonly NamedUpstream[]> = (value, place) => {
  if (!(value instanceof Map) || value.size === 0) {
    place.report('must be a group of upstreams by name, such as work: socks5://host:port');
    return undefined;
  }
  return [...(value as Map<unknown, unknown>)].flatMap(([name, entry]) => {
    if (typeof name !== 'string' || !NAME.test(name)) {
      place.report('names of upstreams consist of lower-case letters, digits and -, such as work or tor-2');
      return [];
    }
    const child = place.child(name);
    if (RESERVED.includes(name)) child.report('is a reserved name: choose another');
    const read: UpstreamConfig | undefined =
      entry instanceof Map && entry.has('of') ? groupSetting(entry, child) : upstreamSetting(entry, child);
    return read === undefined ? [] : [{ name, ...read }];
  });
};
