import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { formatIpv4 } from '../codec/ipv4.js';
import { formatIpv6, parseIpv6 } from '../codec/ipv6.js';

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

const UNSPECIFIED = new Set(['0.0.0.0', '::']);

/** One spelling for one address: no zone, IPv4-mapped addresses as IPv4. */
function canonical(address: string): string {
  if (!isIPv6(address)) {
    return address;
  }
  const bytes = parseIpv6(address.split('%', 1)[0] ?? '');
  if (bytes === undefined) {
    return address;
  }
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped ? formatIpv4(bytes.subarray(12)) : formatIpv6(bytes);
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

function isOwnInterface(address: string): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => canonical(entry.address) === address),
  );
}

/**
 * Whether a connection to `target` (an address, not a name) would arrive at a listener on `listener`: for listeners on
 * all addresses every address of this machine does, and a connection to 0.0.0.0 or :: goes to the loopback.
 */
export function reachesListener(target: HostAndPort, listener: HostAndPort): boolean {
  if (target.port !== listener.port) {
    return false;
  }
  const to = canonical(target.host);
  const at = canonical(listener.host);
  if (UNSPECIFIED.has(at)) {
    return UNSPECIFIED.has(to) || isLoopback(to) || isOwnInterface(to);
  }
  return to === at || (UNSPECIFIED.has(to) && isLoopback(at));
}
