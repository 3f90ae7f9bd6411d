import { formatIp, parseIp } from '#socks5-protocol';
import { toAsciiName } from '../../http/authority.js';

/** An IPv6 address as a number from 0 to 2^128 - 1; IPv4 addresses follow, from {@link FIRST_IPV4}. */
export type IpAddress = bigint;

/** 0.0.0.0: a network of IPv6 addresses contains no IPv4 address. */
export const FIRST_IPV4 = 1n << 128n;

/** A host in canonical form. */
export interface HostReading {
  /** In lower case, as A-labels, without a final dot. */
  readonly name: string;
  /** The addresses that resolvers derive from it without a query; none for other names. */
  readonly addresses: readonly IpAddress[];
}

const LOOPBACK_4 = FIRST_IPV4 + 0x7f_00_00_01n;
const LOOPBACK_6 = 1n;
const LOOPBACK: readonly IpAddress[] = [LOOPBACK_4, LOOPBACK_6];
const NONE: readonly IpAddress[] = [];

/**
 * The names that resolvers or the hosts files of systems map to the loopback addresses: `localhost` and names below it (RFC 6761, section
 * 6.3; systemd-resolved), and those of Red Hat, Debian, SUSE and Solaris. PAC scripts contain it, so it uses no recent syntax.
 */
export const LOOPBACK_NAME =
  /(?:^|\.)localhost(?:\.localdomain)?$|^(?:localhost[46](?:\.localdomain[46]?)?|ipv?6-(?:localhost|loopback)|loopback)$/;

const NOT_ASCII = /[^\0-\x7f]/;
const STARTS_WITH_DIGIT = /^\d/;

/**
 * Parses a host as resolvers do: a name by UTS 46, and what `inet_aton` accepts as an address (`0x7f.1`, `2130706433`) as that
 * address, since a rule about addresses would miss it otherwise. An address that embeds an IPv4 one counts as both, 0.0.0.0
 * and :: count also as the loopback address that a connection to them reaches, a {@link LOOPBACK_NAME} as both loopback addresses.
 * No name is resolved.
 *
 * @param host - IPv6 without brackets
 */
export function readHost(host: string): HostReading {
  const name = readName(host);
  return { name, addresses: readAddresses(withoutFinalDots(name)) };
}

/** Returns a name in the canonical form in which names are compared. */
export function readName(host: string): string {
  const ascii = NOT_ASCII.test(host) ? (toAsciiName(host) ?? host) : host;
  const lower = ascii.toLowerCase();
  return lower.length > 1 && lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** Returns a name as a resolver may read it that ignores any number of final dots. */
export function withoutFinalDots(name: string): string {
  let { length } = name;
  while (length > 1 && name[length - 1] === '.') length -= 1;
  return name.slice(0, length);
}

function readAddresses(name: string): readonly IpAddress[] {
  if (name.includes(':')) return withEquivalents(parseAddress(name));
  if (STARTS_WITH_DIGIT.test(name)) return withEquivalents(parseInetAton(name));
  return LOOPBACK_NAME.test(name) ? LOOPBACK : NONE;
}

/** Returns an address and the addresses that it embeds or reaches. */
function withEquivalents(address: IpAddress | undefined): readonly IpAddress[] {
  if (address === undefined) return NONE;
  if (address === FIRST_IPV4) return [address, LOOPBACK_4];
  if (address === 0n) return [address, LOOPBACK_6];
  return address >= FIRST_IPV4 ? [address] : [address, ...reachedIpv4(address).flatMap(withEquivalents)];
}

const LOW_32 = 0xffff_ffffn;
const TEREDO = 0x2001_0000n;
const SIX_TO_FOUR = 0x2002n;
const LOCAL_NAT64 = 0x64_ff9b_0001n;
/** The first 96 bits of IPv4-translated addresses, `::ffff:0:a.b.c.d` (RFC 2765, section 2.1). */
const TRANSLATED = 0xffff_0000n;
/** The upper half of an ISATAP interface identifier, with and without the universal bit (RFC 5214, section 6.1). */
const ISATAP: readonly bigint[] = [0x5efen, 0x200_5efen];

/**
 * Returns the IPv4 addresses that a connection to an IPv6 address may reach: mapped (RFC 4291), compatible (`::a.b.c.d`),
 * translated (RFC 2765), NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056), Teredo (RFC 4380; server, and client inverted) and ISATAP (RFC 5214).
 */
function reachedIpv4(address: IpAddress): readonly IpAddress[] {
  const low = address & LOW_32;
  const found: bigint[] = [];
  if (embeddedIpv4(address) !== undefined || (address > 1n && address === low)) found.push(low);
  if (address >> 32n === TRANSLATED) found.push(low);
  if (address >> 80n === LOCAL_NAT64) found.push(low, ...afterNat64Prefix(address));
  if (address >> 112n === SIX_TO_FOUR) found.push((address >> 80n) & LOW_32);
  if (address >> 96n === TEREDO) found.push((address >> 64n) & LOW_32, low ^ LOW_32);
  if (ISATAP.includes((address >> 32n) & LOW_32)) found.push(low);
  return found.map((each) => FIRST_IPV4 + each);
}

/** Returns what follows a prefix of 48, 56 or 64 bits, around the byte from bit 64 on, which must be 0 (RFC 6052, section 2.2). */
function afterNat64Prefix(address: IpAddress): readonly bigint[] {
  const withoutByte = ((address >> 64n) << 56n) | (address & 0xff_ffff_ffff_ffffn);
  return [40n, 32n, 24n].map((shift) => (withoutByte >> shift) & LOW_32);
}

/**
 * Returns whether an IPv4 address has a part with a leading zero, which some programs read as octal and others as decimal. Rules
 * could match another address than an upstream connects to.
 */
export function isAmbiguousAddress(host: string): boolean {
  return /^[\dx.a-f]+$/i.test(host) && /(?:^|\.)0\d/.test(host) && /^\d/.test(host);
}

/** The first 96 bits of IPv4-mapped (RFC 4291, section 2.5.5.2) and NAT64 addresses (RFC 6052, section 2.1). */
const WITH_IPV4: readonly bigint[] = [0xffffn, 0x64_ff9b_0000_0000_0000_0000n];

/** Returns the IPv4 address that an IPv6 address embeds, if it does. */
export function embeddedIpv4(address: IpAddress): IpAddress | undefined {
  return WITH_IPV4.includes(address >> 32n) ? FIRST_IPV4 + (address & 0xffff_ffffn) : undefined;
}

const PART = /^(?:0x[0-9a-f]+|0[0-7]*|[1-9][0-9]*)$/;

/** Parses one to four numbers in C's notation, the last of which fills the remaining bytes, as `inet_aton` does. */
function parseInetAton(text: string): IpAddress | undefined {
  const parts = text.split('.');
  if (parts.length > 4) return undefined;
  let address = 0;
  for (const [index, part] of parts.entries()) {
    const size = index === parts.length - 1 ? 256 ** (5 - parts.length) : 256;
    const value = PART.test(part) ? parseNumber(part) : Infinity;
    if (value >= size) return undefined;
    address = address * size + value;
  }
  return FIRST_IPV4 + BigInt(address);
}

function parseNumber(part: string): number {
  if (part.startsWith('0x')) return Number(part);
  return Number.parseInt(part, part.startsWith('0') ? 8 : 10);
}

/** Parses an address in its usual form. */
function parseAddress(text: string): IpAddress | undefined {
  const ip = parseIp(text);
  if (ip === undefined) return undefined;
  const address = BigInt(`0x${Buffer.from(ip.toByteArray()).toString('hex')}`);
  return ip.kind() === 'ipv4' ? FIRST_IPV4 + address : address;
}

/** Formats an address in its usual form. */
export function formatAddress(address: IpAddress): string {
  const [value, digits] = address >= FIRST_IPV4 ? [address - FIRST_IPV4, 8] : [address, 32];
  return formatIp(Buffer.from(value.toString(16).padStart(digits, '0'), 'hex'));
}

/** A range of addresses of one family, both ends included. */
export interface AddressRange {
  readonly first: IpAddress;
  readonly last: IpAddress;
}

/** Every address starts with a digit or contains a colon, which distinguishes it from nearly all names. */
const MAY_BE_ADDRESS = /^\d|:/;

/**
 * Parses `10.0.0.0/8`, `2001:db8::/32`, or a single address. Networks of addresses that embed IPv4 ones become networks of the
 * IPv4 addresses, but for the network of all such addresses.
 *
 * @returns undefined if it is not a network
 */
export function readNetwork(text: string): AddressRange | undefined {
  if (!MAY_BE_ADDRESS.test(text)) return undefined;
  const [, given = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(given);
  if (address === undefined) return undefined;
  const bits = address >= FIRST_IPV4 ? 32 : 128;
  const prefix = Number(length ?? bits);
  if (prefix > bits) return undefined;
  // All addresses that embed one (64:ff9b::/96, as in lists of special networks) are not all IPv4 addresses.
  const start = (prefix > 96 ? embeddedIpv4(address) : undefined) ?? address;
  const others = (1n << BigInt(bits - prefix)) - 1n;
  return { first: start & ~others, last: start | others };
}

/** Returns whether it is a network or an address. */
export function isNetwork(text: string): boolean {
  return readNetwork(text) !== undefined;
}

/**
 * A set of networks with fast look-ups: one in 10,000 networks takes a fraction of a microsecond. It is created when the
 * configuration is read, and shared.
 */
export class Networks implements Iterable<string> {
  readonly #texts: string[] = [];
  /** Sorted and disjoint, for binary search. */
  #ranges: AddressRange[] = [];

  /** @param networks - each `address/length` or an address; other texts are ignored */
  constructor(networks: Iterable<string> = []) {
    for (const text of networks) this.add(text);
    this.sort();
  }

  /**
   * Adds a network; {@link sort} must be called after the last.
   *
   * @returns whether it is a network
   */
  add(text: string): boolean {
    const range = readNetwork(text);
    if (range === undefined) return false;
    this.#texts.push(text);
    this.#ranges.push(range);
    return true;
  }

  /** Sorts and merges the added networks: 60 ms for 100,000 unsorted ones. */
  sort(): void {
    const added = this.#ranges.sort((a, b) => (a.first < b.first ? -1 : Number(a.first > b.first)));
    this.#ranges = [];
    for (const range of added) {
      const previous = this.#ranges.at(-1);
      if (previous === undefined || range.first > previous.last) this.#ranges.push(range);
      else if (range.last > previous.last) this.#ranges.splice(-1, 1, { first: previous.first, last: range.last });
    }
  }

  get size(): number {
    return this.#texts.length;
  }

  /** The texts as they were added. */
  [Symbol.iterator](): Iterator<string> {
    return this.#texts.values();
  }

  has(address: IpAddress): boolean {
    let from = 0;
    let to = this.#ranges.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#ranges[middle]?.first ?? address) <= address) from = middle + 1;
      else to = middle;
    }
    const last = this.#ranges[from - 1]?.last;
    return last !== undefined && address <= last;
  }

  /** Returns whether an address as text, of a socket for example, is in one of the networks. */
  hasText(address: string): boolean {
    return readHost(address).addresses.some((each) => this.has(each));
  }
}
