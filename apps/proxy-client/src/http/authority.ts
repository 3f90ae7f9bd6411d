import { isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { malformed } from './field-lines.js';

/** The host and port of a destination. The host is a name or an IP literal, IPv6 without brackets, in the case it was sent in. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** An http URL, split after its authority. */
export interface HttpUrl {
  readonly authority: string;
  /** Path and query; may be empty or begin with `?`. */
  readonly rest: string;
}

/**
 * uri-host and optional port (RFC 3986, section 3.2). Of reg-name only what host names contain: no percent-encoding and no
 * sub-delims, so that no other parser reads the name differently. No userinfo (RFC 9110, section 4.2.4), no zone id.
 */
const AUTHORITY = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z._~-]+))(?::([0-9]{1,5}))?$/;
const NOT_ASCII = /[^\0-\x7f]/;
/** The characters of a name that may be converted: none that a URL parser treats as a delimiter. */
const CONVERTIBLE = /^[\w.~\x80-\u{10ffff}-]+$/u;
const MAX_NAME_BYTES = 255;
const MAX_PORT = 65_535;
/** Port 0 is refused, so it marks an authority that must name its port. */
const PORT_REQUIRED = 0;
const HTTP = 'http://';

/**
 * Parses `host` or `host:port` byte for byte: nothing in it is decoded, completed or converted.
 *
 * @param defaultPort - the port if none is specified; a colon without a port is refused
 * @throws {@link FormatError}
 */
export function parseAuthority(authority: string, defaultPort: number): Target {
  const parts = AUTHORITY.exec(authority);
  if (authority === '') throw malformed('empty host');
  if (parts === null) throw malformed('malformed host or port');
  const [, ipv6, name = '', digits] = parts;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (port < 1 || port > MAX_PORT) throw malformed('port outside 1 to 65535');
  if (name.length > MAX_NAME_BYTES) throw malformed('host name over 255 bytes');
  if (ipv6 === undefined) return { host: name, port };
  if (!isIPv6(ipv6)) throw malformed('malformed IPv6 address');
  return { host: ipv6, port };
}

/**
 * Parses `host:port`, in which the name may contain letters that are not ASCII: those names are converted to A-labels.
 *
 * @throws {@link FormatError}
 */
export function parseTarget(text: string): Target {
  if (!NOT_ASCII.test(text)) return parseAuthority(text, PORT_REQUIRED);
  const colon = text.lastIndexOf(':');
  const name = colon === -1 ? text : text.slice(0, colon);
  // Punycode takes quadratic time, so long names are refused before they are converted.
  const ascii = name.length > MAX_NAME_BYTES ? undefined : toAsciiName(name);
  if (ascii === undefined) throw malformed('malformed host or port');
  return parseAuthority(ascii + text.slice(name.length), PORT_REQUIRED);
}

/** Converts a name to A-labels in lower case (UTS 46); undefined if that is impossible. */
export function toAsciiName(name: string): string | undefined {
  return CONVERTIBLE.test(name) ? domainToASCII(name) || undefined : undefined;
}

/** Formats `host:port`, with an IPv6 address in brackets. */
export function formatAuthority({ host, port }: Target): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Returns the host of a Host header or authority in lower case, without port and brackets; undefined if it is malformed. */
export function hostOf(authority: string): string | undefined {
  const [, ipv6, name] = AUTHORITY.exec(authority) ?? [];
  return (ipv6 ?? name)?.toLowerCase();
}

/**
 * Whether a local page may be served under this Host: IP literals, `localhost` and the configured names. A browser that was
 * led here by DNS rebinding sends the attacker's name.
 *
 * @param allowedHosts - further names, in lower case
 */
export function isTrustedHost(authority: string | undefined, allowedHosts: ReadonlySet<string>): boolean {
  const host = authority === undefined ? undefined : hostOf(authority);
  if (host === undefined) return false;
  return isIP(host) !== 0 || host === 'localhost' || allowedHosts.has(host);
}

/** Splits a request target in absolute-form (RFC 9112, section 3.2.2); undefined if its scheme is not http. */
export function splitHttpUrl(target: string): HttpUrl | undefined {
  if (!target.startsWith(HTTP) && target.slice(0, HTTP.length).toLowerCase() !== HTTP) return undefined;
  const slash = target.indexOf('/', HTTP.length);
  const path = slash === -1 ? target.length : slash;
  const query = target.indexOf('?', HTTP.length);
  const end = query === -1 ? path : Math.min(path, query);
  return { authority: target.slice(HTTP.length, end), rest: target.slice(end) };
}
