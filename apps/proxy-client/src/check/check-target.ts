import { parseSocks5Target, Socks5Error } from '#socks5-protocol';

/** Where the check asks the upstream to connect to; IPv6 without brackets. */
export interface CheckTarget {
  readonly host: string;
  readonly port: number;
}

/** Reads `HOST:PORT`, `[::1]:443`; undefined when it is none or SOCKS5 cannot carry it. */
export function parseCheckTarget(text: string): CheckTarget | undefined {
  const [, ipv6, name, digits] = /^(?:\[([^[\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = ipv6 ?? name;
  if (host === undefined) return undefined;
  const target = { host, port: Number(digits) };
  try {
    parseSocks5Target(target.host, target.port);
    return target;
  } catch (error) {
    if (error instanceof Socks5Error) return undefined;
    throw error;
  }
}
