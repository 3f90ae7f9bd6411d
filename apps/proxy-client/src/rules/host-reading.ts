import { formatIp, parseIp } from '#socks5-protocol';
import { toAsciiName } from '../http/authority.js';

/** An IPv4 address as a number from 0 to 2^32 - 1, an IPv6 address as a bigint from 0 to 2^128 - 1. */
export type IpAddress = number | bigint;

/** A host in canonical form. */
export interface HostReading {
  /** In lower case, as A-labels, without a final dot. */
  readonly name: string;
  /** The addresses that resolvers derive from it without a query; none for other names. */
  readonly addresses: readonly IpAddress[];
}

const LOOPBACK_4 = 0x7f_00_00_01;
const LOOPBACK_6 = 1n;
const LOOPBACK: readonly IpAddress[] = [LOOPBACK_4, LOOPBACK_6];
const NONE: readonly IpAddress[] = [];

const NOT_ASCII = /[^\0-\x7f]/;
const STARTS_WITH_DIGIT = /^\d/;

/**
 * Parses a host as resolvers do: a name by UTS 46, and what `inet_aton` accepts as an address (`0x7f.1`, `2130706433`) as that
 * address, since a rule about addresses would miss it otherwise. An address that embeds an IPv4 one counts as both, 0.0.0.0
 * and :: count also as the loopback address that a connection to them reaches, `localhost` as both loopback addresses
 * (RFC 6761, section 6.3). No name is resolved.
 *
 * @param host - IPv6 without brackets
 */
export function readHost(host: string): HostReading {
  const name = readName(host);
  return { name, addresses: readAddresses(name) };
}

/** Returns a name in the canonical form in which names are compared. */
export function readName(host: string): string {
  const ascii = NOT_ASCII.test(host) ? (toAsciiName(host) ?? host) : host;
  const lower = ascii.toLowerCase();
  return lower.length > 1 && lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

function readAddresses(name: string): readonly IpAddress[] {
  if (name.includes(':')) return withEquivalents(parseAddress(name));
  if (STARTS_WITH_DIGIT.test(name)) return withEquivalents(parseInetAton(name));
  return name === 'localhost' || name.endsWith('.localhost') ? LOOPBACK : NONE;
}

/** Returns an address and the addresses that it embeds or reaches. */
function withEquivalents(address: IpAddress | undefined): readonly IpAddress[] {
  if (address === undefined) return NONE;
  if (address === 0) return [address, LOOPBACK_4];
  if (address === 0n) return [address, LOOPBACK_6];
  const embedded = typeof address === 'bigint' ? embeddedIpv4(address) : undefined;
  return embedded === undefined ? [address] : [address, ...withEquivalents(embedded)];
}

/** The first 96 bits of IPv4-mapped (RFC 4291, section 2.5.5.2) and NAT64 addresses (RFC 6052, section 2.1). */
const WITH_IPV4: readonly bigint[] = [0xffffn, 0x64_ff9b_0000_0000_0000_0000n];

/** Returns the IPv4 address that an IPv6 address embeds, if it does. */
export function embeddedIpv4(address: bigint): number | undefined {
  return WITH_IPV4.includes(address >> 32n) ? Number(address & 0xffff_ffffn) : undefined;
}

const PART = /^(?:0x[0-9a-f]+|0[0-7]*|[1-9][0-9]*)$/;

/** Parses one to four numbers in C's notation, the last of which fills the remaining bytes, as `inet_aton` does. */
function parseInetAton(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length > 4) return undefined;
  let address = 0;
  for (const [index, part] of parts.entries()) {
    const size = index === parts.length - 1 ? 256 ** (5 - parts.length) : 256;
    const value = PART.test(part) ? parseNumber(part) : Infinity;
    if (value >= size) return undefined;
    address = address * size + value;
  }
  return address;
}

function parseNumber(part: string): number {
  if (part.startsWith('0x')) return Number(part);
  return Number.parseInt(part, part.startsWith('0') ? 8 : 10);
}

/** Parses an address in its usual form. */
export function parseAddress(text: string): IpAddress | undefined {
  const ip = parseIp(text);
  if (ip === undefined) return undefined;
  const address = BigInt(`0x${Buffer.from(ip.toByteArray()).toString('hex')}`);
  return ip.kind() === 'ipv4' ? Number(address) : address;
}

/** Formats an address in its usual form. */
export function formatAddress(address: IpAddress): string {
  const digits = typeof address === 'number' ? 8 : 32;
  return formatIp(Buffer.from(address.toString(16).padStart(digits, '0'), 'hex'));
}
