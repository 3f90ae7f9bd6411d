import type { ConfigLocation } from './config-faults.js';
import { readServer, type ServerConfig } from './server-setting.js';
import { asNumber } from './value-reader.js';

/** The settings that a URL contains, or single keys; and how the URL encodes them. */
const IN_URL = {
  protocol: protocolOf,
  host: String,
  port: String,
  username: decodeURIComponent,
  password: decodeURIComponent,
};

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

/** Reads a group of keys with `url`. */
export function readUrlKey(
  group: ReadonlyMap<unknown, unknown>,
  location: ConfigLocation,
): ServerConfig | EmbeddedUpstreamConfig | undefined {
  for (const key of Object.keys(IN_URL))
    if (group.has(key)) location.child('url').report(`cannot be combined with ${key}`);
  const others = new Map(group);
  const url = group.get('url');
  others.delete('url');
  if (typeof url === 'string') return readUrl(url, location, others);
  location.child('url').report(URL_PROBLEM);
  return undefined;
}

/**
 * Reads a URL, or `embedded` if there are no other keys. Faults do not contain the URL, which may contain a password.
 *
 * @param others - the keys next to the URL
 * @param isLiteral - whether it contains no variables
 */
export function readUrl(
  value: string,
  location: ConfigLocation,
  others = NO_KEYS,
  isLiteral = false,
): ServerConfig | EmbeddedUpstreamConfig | undefined {
  const verbatim = location.verbatim();
  const written = isLiteral ? verbatim : location;
  const { references } = written;
  if (references !== undefined && ONE_VARIABLE.test(value)) {
    const given = references.expand(value, location.report);
    return given === undefined ? undefined : readUrl(given, location, others, true);
  }
  if (value === 'embedded' && others === NO_KEYS) return { kind: 'embedded' };
  const fields = partsOfUrl(value, written);
  if (fields === undefined) return undefined;
  // The variables of the URL are expanded already; the other keys may have some, and files.
  const child = (key: string): ConfigLocation => (fields.has(key) ? verbatim : location).child(key);
  return readServer(new Map<unknown, unknown>([...fields, ...others]), { ...location, child });
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
