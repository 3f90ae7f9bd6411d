import { isIPv4, isIPv6 } from 'node:net';
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
  if (!text.includes(':')) return isIPv4(text) ? ipaddr.IPv4.parse(text) : undefined;
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

const DOT = 0x2e;
const ZERO = 0x30;

/** Returns the four bytes of a valid IPv4 address. */
function octetsOf(ipv4: string): Uint8Array {
  const bytes = new Uint8Array(4);
  let index = 0;
  let octet = 0;
  for (let at = 0; at < ipv4.length; at += 1) {
    const code = ipv4.charCodeAt(at);
    if (code === DOT) {
      bytes[index++] = octet;
      octet = 0;
    } else octet = 10 * octet + code - ZERO;
  }
  bytes[index] = octet;
  return bytes;
}

/**
 * Converts a host to its wire form: IPv4 and IPv6 literals (without brackets) to addresses, everything else to a name, which
 * is not resolved.
 *
 * @throws {@link Socks5Error} `SOCKS5.INVALID_TARGET`
 */
export function parseAddress(host: string): Socks5Address {
  if (isIPv4(host)) return { type: AddressType.ipv4, bytes: octetsOf(host) };
  const ip = parseIp(host);
  return ip === undefined ? parseName(host) : { type: AddressType.ipv6, bytes: Uint8Array.from(ip.toByteArray()) };
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

/**
 * Encodes ATYP, address and port. By index: spreading the bytes of a target costs more than the rest of a handshake's encoding.
 *
 * @param before - the bytes before them in a message
 */
export function encodeTarget(
  { address: { type, bytes }, port }: Socks5Target,
  ...before: readonly number[]
): Uint8Array {
  const start = before.length + (type === AddressType.domain ? 2 : 1);
  const end = start + bytes.length;
  const encoded = new Uint8Array(end + 2);
  encoded.set(before);
  encoded[before.length] = type;
  if (type === AddressType.domain) encoded[start - 1] = bytes.length;
  encoded.set(bytes, start);
  encoded[end] = port >> 8;
  encoded[end + 1] = port & 0xff;
  return encoded;
}

/**
 * Parses ATYP, address and port at `offset`; the port may be 0, as it is in replies. The target is a copy: `bytes` may be
 * overwritten afterwards.
 *
 * @returns undefined while bytes are missing, else the target and the offset after it; `unknownType` for an ATYP that
 *   RFC 1928 does not define
 */
export function decodeTarget(
  bytes: Uint8Array,
  offset: number,
): { readonly target: Socks5Target; readonly end: number } | 'unknownType' | undefined {
  const type = bytes[offset];
  const first = bytes[offset + 1];
  if (type === undefined) return undefined;
  if (type !== AddressType.ipv4 && type !== AddressType.ipv6 && type !== AddressType.domain) return 'unknownType';
  if (first === undefined) return undefined;
  const isName = type === AddressType.domain;
  const start = offset + (isName ? 2 : 1);
  const addressEnd = start + (isName ? first : type === AddressType.ipv4 ? 4 : 16);
  const end = addressEnd + 2;
  if (bytes.length < end) return undefined;
  const port = new DataView(bytes.buffer, bytes.byteOffset).getUint16(addressEnd);
  return { target: { address: { type, bytes: Uint8Array.from(bytes.subarray(start, addressEnd)) }, port }, end };
}
