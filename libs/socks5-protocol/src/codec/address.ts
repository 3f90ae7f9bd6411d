import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Socks5Error } from './socks5-error.js';

/** The address types of RFC 1928, section 5. */
export const AddressType = { ipv4: 0x01, domain: 0x03, ipv6: 0x04 } as const;

/** A host in its wire form: the address bytes, or the bytes of a name without its length. */
export interface Socks5Address {
  readonly type: (typeof AddressType)[keyof typeof AddressType];
  readonly bytes: Uint8Array;
}

/** A host and port in wire form, ready to be requested. */
export interface Socks5Target {
  readonly address: Socks5Address;
  readonly port: number;
}

/** RFC 1928, section 5: the length of a name is one byte. */
const MAX_NAME_BYTES = 255;

const encoder = new TextEncoder();
// A control byte could add a second line to a server's log or resolver input; `%` starts a zone id, `@` ends userinfo.
// eslint-disable-next-line no-control-regex -- control bytes are what it rejects
const FORBIDDEN = /[\x00-\x20\x7f%@/\\[\]]/;

function invalid(message: string): Socks5Error {
  return new Socks5Error('SOCKS5.INVALID_TARGET', message);
}

function parseName(host: string): Socks5Address {
  if (host === '') throw invalid('The host is empty.');
  if (FORBIDDEN.test(host) || !host.isWellFormed()) {
    throw invalid('The host contains a character that is not allowed in a host name.');
  }
  if (host.includes(':')) throw invalid('The host contains a colon but is not an IPv6 address.');
  const bytes = encoder.encode(host);
  if (bytes.length > MAX_NAME_BYTES) {
    throw invalid(`The host name has ${bytes.length} bytes; SOCKS5 supports at most ${MAX_NAME_BYTES}.`);
  }
  return { type: AddressType.domain, bytes };
}

/**
 * Parses an IP address: IPv4 as four decimal numbers without leading zeros, IPv6 without brackets and zone. Other forms of
 * IPv4, such as `127.1`, are names, since programs disagree on what they mean.
 *
 * @returns undefined if it is not an address
 */
export function parseIp(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const tail = text.lastIndexOf(':') + 1;
  const hasDottedTail = text.includes('.', tail);
  // It is converted to hex, because ipaddr.js rejects or misreads some forms of it.
  return ipaddr.IPv6.parse(hasDottedTail ? text.slice(0, tail) + hexOf(text.slice(tail)) : text);
}

function hexOf(ipv4: string): string {
  const hex = Buffer.from(ipaddr.IPv4.parse(ipv4).octets).toString('hex');
  return `${hex.slice(0, 4)}:${hex.slice(4)}`;
}

/**
 * Converts a host to its wire form: IPv4 and IPv6 literals (without brackets) to addresses, everything else to a name, which
 * is not resolved.
 *
 * @throws {@link Socks5Error} `SOCKS5.INVALID_TARGET`
 */
export function parseAddress(host: string): Socks5Address {
  const ip = parseIp(host);
  if (ip === undefined) return parseName(host);
  const type = ip.kind() === 'ipv4' ? AddressType.ipv4 : AddressType.ipv6;
  return { type, bytes: Uint8Array.from(ip.toByteArray()) };
}

/**
 * Converts a host and port (1 to 65535) to their wire form.
 *
 * @throws {@link Socks5Error} `SOCKS5.INVALID_TARGET`
 */
export function parseSocks5Target(host: string, port: number): Socks5Target {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalid('The port is not a number from 1 to 65535.');
  return { address: parseAddress(host), port };
}

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** Formats a host as text: IPv6 as RFC 5952 recommends, without brackets. */
export function formatAddress({ type, bytes }: Socks5Address): string {
  return type === AddressType.domain ? decoder.decode(bytes) : formatIp(bytes);
}

/** Formats the 4 or 16 bytes of an IP address; IPv4-mapped addresses end in dotted decimals (RFC 5952, section 5). */
export function formatIp(bytes: Uint8Array): string {
  const ip = ipaddr.fromByteArray([...bytes]);
  if (!(ip instanceof ipaddr.IPv6)) return ip.toString();
  return ip.isIPv4MappedAddress() ? `::ffff:${ip.toIPv4Address().toString()}` : ip.toRFC5952String();
}

/** Encodes ATYP, address and port. */
export function encodeTarget({ address: { type, bytes }, port }: Socks5Target): Uint8Array {
  const length = type === AddressType.domain ? [bytes.length] : [];
  return Uint8Array.of(type, ...length, ...bytes, port >> 8, port & 0xff);
}

/**
 * Parses ATYP, address and port at `offset`; the port may be 0, as it is in replies. The target is a copy: `bytes` may be
 * overwritten afterwards.
 *
 * @returns undefined while bytes are missing, else the target and the offset after it; `unknownType` for an ATYP that
 *   RFC 1928 does not define
 */
export function readTarget(
  bytes: Uint8Array,
  offset: number,
): { readonly target: Socks5Target; readonly end: number } | 'unknownType' | undefined {
  const [type, first] = bytes.subarray(offset, offset + 2);
  if (type === undefined) return undefined;
  if (type !== AddressType.ipv4 && type !== AddressType.ipv6 && type !== AddressType.domain) return 'unknownType';
  if (first === undefined) return undefined;
  const isName = type === AddressType.domain;
  const start = offset + (isName ? 2 : 1);
  const addressEnd = start + (isName ? first : type === AddressType.ipv4 ? 4 : 16);
  const end = addressEnd + 2;
  if (bytes.length < end) return undefined;
  const port = new DataView(bytes.buffer, bytes.byteOffset).getUint16(addressEnd);
  return { target: { address: { type, bytes: new Uint8Array(bytes.subarray(start, addressEnd)) }, port }, end };
}
