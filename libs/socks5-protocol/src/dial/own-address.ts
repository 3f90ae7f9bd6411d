import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { formatIpv4 } from '../codec/ipv4.js';
import { formatIpv6, parseIpv6 } from '../codec/ipv6.js';

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** The first 12 bytes of IPv6 addresses that hold an IPv4 one in the last 4, in hex. */
const WITH_IPV4: ReadonlySet<string> = new Set(['00000000000000000000ffff', '0064ff9b0000000000000000']);
const UNSPECIFIED = new Set(['0.0.0.0', '::']);
/** How long the addresses of the machine are taken for known. */
const INTERFACES_MS = 1000;

/**
 * The IPv4 address that an IPv6 one stands for: mapped (`::ffff:127.0.0.1`; RFC 4291, section 2.5.5.2) or of NAT64
 * (`64:ff9b::7f00:1`; RFC 6052, section 2.1).
 *
 * @param ipv6 - its 16 bytes
 * @returns 4 bytes, or undefined where it stands for itself
 */
export function innerIpv4(ipv6: Uint8Array): Uint8Array | undefined {
  return WITH_IPV4.has(hex(ipv6.subarray(0, 12))) ? ipv6.subarray(12) : undefined;
}

/**
 * One spelling for one address: no zone, IPv6 as RFC 5952 writes it, and the IPv4 address that an IPv6 address stands for
 * (mapped, or of NAT64) instead of that. What is no address stays as it is.
 */
export function canonicalAddress(address: string): string {
  const [plain = ''] = address.split('%', 1);
  const bytes = isIPv6(plain) ? parseIpv6(plain) : undefined;
  if (bytes === undefined) {
    return address;
  }
  const inner = innerIpv4(bytes);
  return inner === undefined ? formatIpv6(bytes) : formatIpv4(inner);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

let interfaces: { readonly addresses: ReadonlySet<string>; readonly until: number } | undefined;

function isOwnInterface(address: string): boolean {
  const now = performance.now();
  if (interfaces === undefined || now > interfaces.until) {
    const entries = Object.values(networkInterfaces()).flatMap((each = []) => each);
    const addresses = new Set(entries.map((entry) => canonicalAddress(entry.address)));
    interfaces = { addresses, until: now + INTERFACES_MS };
  }
  return interfaces.addresses.has(address);
}

/** Whether an address leads back to the machine of whoever connects to it. */
export function isLoopback(address: string): boolean {
  const canonical = canonicalAddress(address);
  return canonical === '::1' || (isIP(canonical) === 4 && canonical.startsWith('127.'));
}

/** What a machine has for itself and for those next to it; and where clouds tell each machine its secrets. */
const LOCAL = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  // Holds 169.254.169.254.
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
] as const) {
  LOCAL.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  // The unspecified address, the loopback, and IPv4 addresses in a form that is not used any more.
  ['::', 96],
  ['fe80::', 10],
  ['ff00::', 8],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
] as const) {
  LOCAL.addSubnet(network, prefix, 'ipv6');
}

/**
 * Whether an address, in whatever spelling, is one of those that a machine should not connect to for others: loopback,
 * link-local with the metadata services of clouds, "this network" (0.0.0.0/8), unspecified, multicast, and every address of the
 * machine itself. What is no address counts as one.
 */
export function isLocalAddress(address: string): boolean {
  const canonical = canonicalAddress(address);
  const family = isIP(canonical);
  return family === 0 || LOCAL.check(canonical, family === 4 ? 'ipv4' : 'ipv6') || isOwnInterface(canonical);
}

/**
 * Whether a connection to `target` (an address, not a name) would arrive at a listener on `listener`: for listeners on
 * all addresses every address of this machine does, and a connection to 0.0.0.0 or :: goes to the loopback.
 */
export function reachesListener(target: HostAndPort, listener: HostAndPort): boolean {
  if (target.port !== listener.port) {
    return false;
  }
  const to = canonicalAddress(target.host);
  const at = canonicalAddress(listener.host);
  if (UNSPECIFIED.has(at)) {
    return UNSPECIFIED.has(to) || isLoopback(to) || isOwnInterface(to);
  }
  return to === at || (UNSPECIFIED.has(to) && isLoopback(at));
}
