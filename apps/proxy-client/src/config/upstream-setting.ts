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

/** RFC 1929 section 2 gives the length of each one byte. */
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

/** What says where the server is, and who we are there: in a URL, or as keys. */
const IN_URL = ['host', 'port', 'username', 'password'];

/** userinfo up to the last @, then host and port; as curl reads it. Variables may stand for each part. */
const URL_FORM =
  /^socks5h?:\/\/(?:(?<username>[^:@/]*):(?<password>.*)@)?(?<host>\[[^\]@/]+\]|[^:@/[\]]+):(?<port>\d{1,9}|\$\{\w+\})\/?$/i;
const ONE_VARIABLE = /^\$\{\w+\}$/;

/**
 * Reads the upstream: `embedded`, `socks5://user:password@host:port` (`socks5h://` means the same: names always go to
 * the upstream as names), or a group of keys in which host and port must be there, or `url` in their place.
 */
export const upstreamSetting: ValueReader<Socks5UpstreamConfig | { readonly kind: 'embedded' }> = (value, place) => {
  if (value === 'embedded') return { kind: 'embedded' };
  if (typeof value === 'string') {
    // What stands in the place of all of it may be either.
    const isVariable = ONE_VARIABLE.test(value) && place.references !== undefined;
    const given = isVariable ? place.references.expand(value, place) : value;
    if (given === undefined) return undefined;
    return isVariable ? upstreamSetting(given, place.verbatim()) : fromUrl(value, place, new Map());
  }
  return value instanceof Map && value.has('url') ? fromUrlKey(value, place) : fromGroup(value, place);
};

function fromUrlKey(fields: ReadonlyMap<unknown, unknown>, place: Place): Socks5UpstreamConfig | undefined {
  const { url, ...others } = Object.fromEntries(fields) as Record<string, unknown>;
  for (const key of IN_URL) if (key in others) place.child('url').complain(`cannot stand beside ${key}`);
  if (typeof url === 'string') return fromUrl(url, place, new Map(Object.entries(others)));
  place.child('url').complain('must be socks5://host:port or socks5://username:password@host:port');
  return undefined;
}

/** Complains without the URL: it may hold a password. */
function fromUrl(value: string, place: Place, others: Map<string, unknown>): Socks5UpstreamConfig | undefined {
  if (ONE_VARIABLE.test(value) && place.references !== undefined) {
    const url = place.references.expand(value, place);
    return url === undefined ? undefined : fromUrl(url, place.verbatim(), others);
  }
  const parts = URL_FORM.exec(value)?.groups;
  if (parts === undefined) {
    place.complain('must be embedded or socks5://host:port or socks5://username:password@host:port');
    return undefined;
  }
  try {
    const fields = partsOfUrl(parts, place);
    return fields && fromGroup(new Map([...fields, ...others]), place.verbatim());
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    place.complain('username and password must be percent-encoded where they hold a % sign (%25)');
    return undefined;
  }
}

/**
 * The parts of a URL, each with its variables: what stands in those is taken as it is, so that a password may hold any
 * character.
 */
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
  complainOfMissing(value as ReadonlyMap<unknown, unknown>, place);
  const { host, port, username, password, ...others } = fields;
  if (others.isolate !== undefined && username !== undefined) {
    place.child('isolate').complain('gives each user other credentials: leave username and password out');
  }
  if (host === undefined || port === undefined) return undefined;
  const credentials = username !== undefined && password !== undefined && { credentials: { username, password } };
  return { kind: 'socks5', host, port, ...credentials, handshake: 'auto', warm: 0, ...others };
}

function complainOfMissing(fields: ReadonlyMap<unknown, unknown>, place: Place): void {
  for (const required of ['host', 'port']) if (!fields.has(required)) place.child(required).complain('is missing');
  if (fields.has('username') === fields.has('password')) return;
  const missing = fields.has('username') ? 'password' : 'username';
  place.child(missing).complain('is missing: username and password go together');
}

/** Reads `host:port`, which must have a port. */
export const target: ValueReader<Target> = (value, place) => {
  const given = text(300)(value, place);
  if (given === undefined) return undefined;
  try {
    return parseTarget(given);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    place.complain('must be host:port, such as db.example:5432');
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
    place.child('every').complain(`must be at least ${SHORTEST_CHECK}ms; check: off looks after nothing`);
  }
  return { ...DEFAULT_CHECK, ...read };
};

const group = object({ of: listOf(text(64)), pick: oneOf('failover', 'roundrobin', 'fastest'), check });

function groupSetting(value: unknown, place: Place): GroupConfig | undefined {
  const { of, pick = 'failover', check: checked = DEFAULT_CHECK } = group(value, place) ?? {};
  if (of === undefined) return undefined;
  if (of.length === 0) place.child('of').complain('is an empty list: a group needs a member');
  return { kind: 'group', of, pick, ...(checked !== 'off' && { check: checked }) };
}

/** Names that mean something else where an upstream is named. */
const RESERVED: readonly string[] = ['direct', 'reject'];
const NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** Reads the upstreams by their names, in their order. */
export const upstreamsSetting: ValueReader<readonly NamedUpstream[]> = (value, place) => {
  if (!(value instanceof Map) || value.size === 0) {
    place.complain('must be a group of upstreams by name, such as work: socks5://host:port');
    return undefined;
  }
  return [...(value as Map<unknown, unknown>)].flatMap(([name, entry]) => {
    if (typeof name !== 'string' || !NAME.test(name)) {
      place.complain('names of upstreams are small letters, digits and -, such as work or tor-2');
      return [];
    }
    const child = place.child(name);
    if (RESERVED.includes(name)) child.complain('is a name that has a meaning of its own: take another');
    const read: UpstreamConfig | undefined =
      entry instanceof Map && entry.has('of') ? groupSetting(entry, child) : upstreamSetting(entry, child);
    return read === undefined ? [] : [{ name, ...read }];
  });
};
