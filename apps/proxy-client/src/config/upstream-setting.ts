import { formatAuthority, parseTarget, type Target } from '../http/authority.js';
import { FormatError } from '../http/field-lines.js';
import type { Place } from './config-faults.js';
import {
  asNumber,
  duration,
  hasKey,
  host as hostName,
  listOf,
  object,
  oneOf,
  type Read,
  secret,
  text,
  type ValueReader,
  wholeNumber,
} from './value-reader.js';

/** RFC 1929, section 2: each length is one byte. */
const MAX_CREDENTIAL = 255;
/** The settings that a URL contains, or single keys; and how the URL encodes them. */
const IN_URL = { host: String, port: String, username: decodeURIComponent, password: decodeURIComponent };

const serverKeys = {
  host: hostName,
  port: wholeNumber(1, 65_535),
  username: text(MAX_CREDENTIAL),
  password: secret(MAX_CREDENTIAL),
  handshake: oneOf('auto', 'stepwise', 'oneflight'),
  /** The number of connections that are opened and authenticated ahead. */
  warm: wholeNumber(0, 1000),
  /** `user`: separate connections and credentials for each user, for which Tor builds separate circuits. */
  isolate: oneOf('user'),
};
const server = object(serverKeys, 'host', 'port');

export interface Socks5UpstreamConfig extends Omit<Read<typeof serverKeys>, 'username' | 'password'> {
  readonly kind: 'socks5';
  readonly host: string;
  readonly port: number;
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly handshake: 'auto' | 'stepwise' | 'oneflight';
  readonly warm: number;
}

/** Direct connections, under the name of an upstream. */
export interface EmbeddedUpstreamConfig {
  readonly kind: 'embedded';
}

/** userinfo up to the last @, then host and port, as curl parses it. Each part may be a variable. */
const URL_FORM =
  /^socks5h?:\/\/(?:(?<username>[^:@/]*):(?<password>.*)@)?(?<host>\[[^\]@/]+\]|[^:@/[\]]+):(?<port>\d{1,9}|\$\{\w+\})\/?$/i;
const ONE_VARIABLE = /^\$\{\w+\}$/;

/**
 * Reads an upstream: `embedded`, `socks5://user:password@host:port` (`socks5h://` is equivalent: the upstream always resolves
 * names), or a group of keys with host and port, or with `url`.
 */
export const upstreamSetting: ValueReader<Socks5UpstreamConfig | EmbeddedUpstreamConfig> = (value, place) => {
  if (typeof value === 'string') return fromText(value, place);
  return hasKey(value, 'url') ? fromUrlKey(value, place) : fromGroup(value, place);
};

function fromUrlKey(group: ReadonlyMap<unknown, unknown>, place: Place): ReturnType<typeof upstreamSetting> {
  for (const key of Object.keys(IN_URL))
    if (group.has(key)) place.child('url').report(`cannot be combined with ${key}`);
  const others = new Map(group);
  const url = group.get('url');
  others.delete('url');
  if (typeof url === 'string') return fromText(url, place, others);
  place.child('url').report('must be socks5://host:port or socks5://username:password@host:port');
  return undefined;
}

/**
 * Reads a URL, or `embedded` if there are no other keys. Faults do not contain the URL, which may contain a password.
 *
 * @param others - the keys next to the URL
 */
function fromText(
  value: string,
  place: Place,
  others?: ReadonlyMap<unknown, unknown>,
): ReturnType<typeof upstreamSetting> {
  if (ONE_VARIABLE.test(value) && place.references !== undefined) {
    const given = place.references.expand(value, place.report);
    return given === undefined ? undefined : fromText(given, place.verbatim(), others);
  }
  if (value === 'embedded' && others === undefined) return { kind: 'embedded' };
  const fields = partsOfUrl(value, place);
  return fields && fromGroup(new Map<unknown, unknown>([...fields, ...(others ?? [])]), place.verbatim());
}

/** Expands the variables of a URL's parts. Their values are literal, so that a password may contain any character. */
function partsOfUrl(url: string, { references, report }: Place): Map<string, unknown> | undefined {
  const parts = URL_FORM.exec(url)?.groups;
  if (parts === undefined) {
    report('must be embedded or socks5://host:port or socks5://username:password@host:port');
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

function fromGroup(value: unknown, place: Place): Socks5UpstreamConfig | undefined {
  const fields = server(value, place);
  if (hasKey(value, 'username') !== hasKey(value, 'password')) {
    const missing = hasKey(value, 'username') ? 'password' : 'username';
    place.child(missing).report('is missing: username and password are required together');
  }
  if (fields === undefined) return undefined;
  const { username, password, ...others } = fields;
  if (others.isolate !== undefined && username !== undefined) {
    place.child('isolate').report('uses different credentials for each user: omit username and password');
  }
  const credentials = username !== undefined && password !== undefined && { credentials: { username, password } };
  return { kind: 'socks5', ...credentials, handshake: 'auto', warm: 0, ...others };
}

/** Parses `HOST:PORT` or `[::1]:443`; returns undefined if it is malformed. */
export function readTarget(given: string): Target | undefined {
  try {
    return parseTarget(given);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** Reads `host:port`; the port is required. */
export const target: ValueReader<Target> = (value, place) => {
  const given = text(300)(value, place);
  const read = given === undefined ? undefined : readTarget(given);
  if (given !== undefined && read === undefined) place.report('must be host:port, such as db.example:5432');
  return read;
};

/** The health checks of a group; milliseconds. */
export interface CheckConfig {
  readonly every: number;
  /** Also connects to this target; without one a check ends after the authentication. */
  readonly target?: Target;
}

const SHORTEST_CHECK = 100;
const DEFAULT_CHECK: CheckConfig = { every: 10_000 };
const checkGroup = object({ every: duration, target });

const check: ValueReader<CheckConfig | 'off'> = (value, place) => {
  if (value === 'off' || value === false) return 'off';
  const read = checkGroup(value, place);
  if (read?.every !== undefined && read.every < SHORTEST_CHECK) {
    place.child('every').report(`must be at least ${SHORTEST_CHECK}ms; check: off disables checks`);
  }
  return read && { ...DEFAULT_CHECK, ...read };
};

const group = object(
  {
    of: listOf(text(64), 'a group needs a member'),
    pick: oneOf('failover', 'roundrobin', 'fastest'),
    check,
  },
  'of',
);

/** Upstreams that replace one another. */
export interface GroupConfig {
  readonly kind: 'group';
  /** Names of upstreams that are not groups, or `direct`; each once. */
  readonly of: readonly string[];
  readonly pick: 'failover' | 'roundrobin' | 'fastest';
  /** Absent: off. */
  readonly check?: CheckConfig;
}

function groupSetting(value: unknown, place: Place): GroupConfig | undefined {
  const read = group(value, place);
  if (read === undefined) return undefined;
  const { of, pick = 'failover', check: checked = DEFAULT_CHECK } = read;
  return { kind: 'group', of, pick, ...(checked !== 'off' && { check: checked }) };
}

export type UpstreamConfig = Socks5UpstreamConfig | EmbeddedUpstreamConfig | GroupConfig;

/** Describes an upstream without its credentials. */
export function describeUpstream(upstream: UpstreamConfig): string {
  if (upstream.kind === 'group') return `${upstream.pick} of ${upstream.of.join(', ')}`;
  return upstream.kind === 'embedded' ? 'embedded' : `socks5://${formatAuthority(upstream)}`;
}

/** An upstream with its name; that of the key `upstream` is `upstream`. */
export type NamedUpstream = UpstreamConfig & { readonly name: string };

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
    const read = hasKey(entry, 'of') ? groupSetting(entry, child) : upstreamSetting(entry, child);
    return read === undefined ? [] : [{ name, ...read }];
  });
};
