import { isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { formatAddress as formatBytes, innerIpv4 as innerBytes, parseAddress } from '#socks5-protocol';

/** An IPv4 address as a number from 0 to 2^32 - 1, an IPv6 address as a bigint from 0 to 2^128 - 1. */
export type IpAddress = number | bigint;

/** What a host is, however it was spelled. */
export interface HostReading {
  /** In lower case, as A-labels, without a dot at its end. */
  readonly name: string;
  /** The addresses that resolvers take it for without asking anybody; none for other names. */
  readonly addresses: readonly IpAddress[];
}

const LOOPBACK_4 = 0x7f_00_00_01;
const LOOPBACK_6 = 1n;
const LOOPBACK: readonly IpAddress[] = [LOOPBACK_4, LOOPBACK_6];
const NONE: readonly IpAddress[] = [];

const NOT_ASCII = /[^\0-\x7f]/;
/** What may stand in a name beside what is not ASCII: nothing that a parser of URLs would take for something else. */
const NAME = /^[\w.~\x80-\u{10ffff}-]+$/u;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Reads a host as resolvers do: a name after UTS 46, and what `inet_aton` reads as an address as that address (`0x7f.1`,
 * `2130706433`), since a rule about addresses would miss it otherwise. An address that stands for an IPv4 one counts as both,
 * 0.0.0.0 and :: also as the loopback that a connection to them reaches, `localhost` as both loopbacks (RFC 6761, section
 * 6.3). Nothing is looked up.
 *
 * @param host - IPv6 without brackets
 */
export function readHost(host: string): HostReading {
  const name = readName(host);
  return { name, addresses: readAddresses(name) };
}

/** A name in the one spelling that names are compared in. */
export function readName(host: string): string {
  const ascii = NOT_ASCII.test(host) && NAME.test(host) ? domainToASCII(host) || host : host;
  const lower = ascii.toLowerCase();
  return lower.length > 1 && lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

function readAddresses(name: string): readonly IpAddress[] {
  const first = name.charCodeAt(0);
  if (first >= ZERO && first <= NINE && !name.includes(':')) return readings(parseInetAton(name));
  if (name.includes(':')) return isIPv6(name) && !name.includes('%') ? readings(parseIpv6(name)) : NONE;
  return name === 'localhost' || name.endsWith('.localhost') ? LOOPBACK : NONE;
}

/** All that an address counts as. */
function readings(address: IpAddress | undefined): readonly IpAddress[] {
  if (address === undefined) return NONE;
  if (address === 0) return [address, LOOPBACK_4];
  if (address === 0n) return [address, LOOPBACK_6];
  const inner = typeof address === 'bigint' ? innerIpv4(address) : undefined;
  return inner === undefined ? [address] : [address, ...readings(inner)];
}

/** The IPv4 address that an IPv6 one stands for, if it stands for one. */
export function innerIpv4(address: bigint): number | undefined {
  return innerBytes(bytesOf(address)) && Number(address & 0xffff_ffffn);
}

const PART = /^(?:0x[0-9a-f]+|0[0-7]*|[1-9][0-9]*)$/;

/** One to four numbers in C's notation, of which the last fills the bytes that are left, as `inet_aton` takes them. */
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

/** An IPv6 address that is known to be one. */
export function parseIpv6(text: string): bigint {
  return BigInt(`0x${Buffer.from(parseAddress(text).bytes).toString('hex')}`);
}

/** An address as it is usually written. */
export function formatAddress(address: IpAddress): string {
  if (typeof address === 'number') return [24, 16, 8, 0].map((bits) => (address >>> bits) & 0xff).join('.');
  return formatBytes({ type: 0x04, bytes: bytesOf(address) });
}

function bytesOf(address: bigint): Uint8Array {
  return Buffer.from(address.toString(16).padStart(32, '0'), 'hex');
}
