import { isIP } from 'node:net';

/** Splits `host`, `host:port`, `[::1]` or `[::1]:8080`; undefined when it is none of them. */
const FORM = /^(?:\[(?<ipv6>[0-9a-fA-F:.]+)\]|(?<host>[^:[\]@/?#\s]+))(?::(?<port>\d{1,5}))?$/;

/** The host of a Host header or authority in lower case, without port and brackets. */
export function hostOf(authority: string): string | undefined {
  const groups = FORM.exec(authority)?.groups;
  return (groups?.['ipv6'] ?? groups?.['host'])?.toLowerCase();
}

/**
 * Whether a local page may be served under this Host: IP literals, `localhost` and the names that the configuration
 * allows. A browser that was led here by DNS rebinding sends the attacker's name.
 *
 * @param allowedHosts - further names, in lower case
 */
export function isTrustedHost(authority: string | undefined, allowedHosts: ReadonlySet<string>): boolean {
  const host = authority === undefined ? undefined : hostOf(authority);
  if (host === undefined) return false;
  return isIP(host) !== 0 || host === 'localhost' || allowedHosts.has(host);
}
