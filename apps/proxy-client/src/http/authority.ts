import { isIPv6 } from 'node:net';
import { malformed } from './format-error.js';

/** Where a request wants to go: a name or an IP literal (IPv6 without brackets). */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * uri-host and optional port (RFC 3986, section 3.2). Of reg-name only what host names have: no percent-encoding, no
 * sub-delims, so that nobody on the way can read the name differently. No userinfo (RFC 9110, section 4.2.4), no zone id.
 */
const AUTHORITY = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z._~-]+))(?::([0-9]{1,5}))?$/;
const MAX_NAME_BYTES = 255;
const MAX_PORT = 65_535;

/**
 * Reads an authority byte for byte: nothing in it is decoded, completed or turned into another form.
 *
 * @param defaultPort - the port when none is named; a colon without a port is refused
 * @throws {@link FormatError}
 */
export function parseAuthority(authority: string, defaultPort: number): Target {
  const parts = AUTHORITY.exec(authority);
  if (parts === null) throw malformed(authority === '' ? 'empty host' : 'malformed host or port');
  const [, ipv6, name = '', digits] = parts;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (port < 1 || port > MAX_PORT) throw malformed('port outside 1 to 65535');
  return { host: (ipv6 === undefined ? checkedName(name) : checkedAddress(ipv6)).toLowerCase(), port };
}

function checkedName(name: string): string {
  if (name.length > MAX_NAME_BYTES) throw malformed('host name over 255 bytes');
  return name;
}

function checkedAddress(ipv6: string): string {
  if (!isIPv6(ipv6)) throw malformed('malformed IPv6 address');
  return ipv6;
}

/** `host:port`, an IPv6 address in brackets. */
export function formatAuthority({ host, port }: Target): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
