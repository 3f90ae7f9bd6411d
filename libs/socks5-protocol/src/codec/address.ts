import { AddressType } from './constants.js';
import { formatIpv4, parseIpv4 } from './ipv4.js';
import { formatIpv6, parseIpv6 } from './ipv6.js';
import { Socks5Error } from './socks5-error.js';

/** A host as it goes on the wire: the address bytes, or the bytes of a name without its length. */
export interface Socks5Address {
  readonly type: (typeof AddressType)[keyof typeof AddressType];
  readonly bytes: Uint8Array;
}

/** A host and port, ready to be asked for. */
export interface Socks5Target {
  readonly address: Socks5Address;
  readonly port: number;
}

/** RFC 1928, section 5: a name has one byte of length. */
const MAX_NAME_BYTES = 255;

const encoder = new TextEncoder();
// A control byte could smuggle a second line into some server's log or resolver; `%` starts a zone id, `@` ends userinfo.
// eslint-disable-next-line no-control-regex -- control bytes are what it looks for
const FORBIDDEN = /[\x00-\x20\x7f%@/\\[\]]/;

function invalid(message: string): Socks5Error {
  return new Socks5Error('SOCKS5.INVALID_TARGET', message);
}

function parseName(host: string): Socks5Address {
  if (host === '') {
    throw invalid('The host is empty.');
  }
  if (FORBIDDEN.test(host) || !host.isWellFormed()) {
    throw invalid('The host holds a character that no host name has.');
  }
  if (host.includes(':')) {
    throw invalid('The host looks like an IPv6 address but is none.');
  }
  const bytes = encoder.encode(host);
  if (bytes.length > MAX_NAME_BYTES) {
    throw invalid(`The host name has ${bytes.length} bytes; SOCKS5 carries at most ${MAX_NAME_BYTES}.`);
  }
  return { type: AddressType.domain, bytes };
}

/**
 * The wire form of a host: IPv4 and IPv6 literals (without brackets) as addresses, everything else as a name, which is
 * not resolved here.
 *
 * @throws {@link Socks5Error} `SOCKS5.INVALID_TARGET`
 */
export function parseAddress(host: string): Socks5Address {
  const ipv4 = parseIpv4(host);
  if (ipv4 !== undefined) {
    return { type: AddressType.ipv4, bytes: ipv4 };
  }
  const ipv6 = host.includes(':') ? parseIpv6(host) : undefined;
  if (ipv6 !== undefined) {
    return { type: AddressType.ipv6, bytes: ipv6 };
  }
  return parseName(host);
}

/**
 * The wire form of a host and port (1 to 65535).
 *
 * @throws {@link Socks5Error} `SOCKS5.INVALID_TARGET`
 */
export function parseSocks5Target(host: string, port: number): Socks5Target {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw invalid('The port is not a number from 1 to 65535.');
  }
  return { address: parseAddress(host), port };
}

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** The host as text: IPv6 without brackets. */
export function formatAddress({ type, bytes }: Socks5Address): string {
  switch (type) {
    case AddressType.ipv4:
      return formatIpv4(bytes);
    case AddressType.ipv6:
      return formatIpv6(bytes);
    case AddressType.domain:
      return decoder.decode(bytes);
  }
}

/** How many bytes {@link writeTarget} takes. */
export function targetLength({ address }: Socks5Target): number {
  return 1 + (address.type === AddressType.domain ? 1 : 0) + address.bytes.length + 2;
}

/** Writes ATYP, address and port at `offset` and returns the offset behind them. */
export function writeTarget(out: Uint8Array, offset: number, { address, port }: Socks5Target): number {
  let at = offset;
  out[at++] = address.type;
  if (address.type === AddressType.domain) {
    out[at++] = address.bytes.length;
  }
  out.set(address.bytes, at);
  at += address.bytes.length;
  out[at++] = port >> 8;
  out[at++] = port & 0xff;
  return at;
}

function isAddressType(type: number): type is Socks5Address['type'] {
  return type === AddressType.ipv4 || type === AddressType.ipv6 || type === AddressType.domain;
}

/** How long the address behind ATYP is, its own length byte included. */
function addressLength(type: Socks5Address['type'], firstByte: number): number {
  switch (type) {
    case AddressType.ipv4:
      return 4;
    case AddressType.ipv6:
      return 16;
    case AddressType.domain:
      return 1 + firstByte;
  }
}

/** What {@link targetEnd} says of an ATYP that RFC 1928 does not have. */
export const UNKNOWN_TYPE = -1;

/**
 * Where ATYP, address and port at `offset` end.
 *
 * @returns undefined while bytes are missing, or {@link UNKNOWN_TYPE}
 */
export function targetEnd(bytes: Uint8Array, offset: number): number | undefined {
  const type = bytes[offset];
  if (type === undefined) {
    return undefined;
  }
  if (!isAddressType(type)) {
    return UNKNOWN_TYPE;
  }
  const first = bytes[offset + 1];
  const end = offset + 3 + addressLength(type, first ?? 0);
  return first === undefined || bytes.length < end ? undefined : end;
}

/**
 * Reads ATYP, address and port at `offset`; the port may be 0, as it is in replies. The target is a copy: `bytes` may be
 * overwritten afterwards.
 *
 * @returns undefined while bytes are missing, else the target and the offset behind it; `unknownType` for an ATYP that
 *   RFC 1928 does not have
 */
export function readTarget(
  bytes: Uint8Array,
  offset: number,
): { readonly target: Socks5Target; readonly end: number } | 'unknownType' | undefined {
  const end = targetEnd(bytes, offset);
  if (end === undefined) {
    return undefined;
  }
  const type = bytes[offset];
  if (type === undefined || !isAddressType(type)) {
    return 'unknownType';
  }
  const start = offset + (type === AddressType.domain ? 2 : 1);
  const port = new DataView(bytes.buffer, bytes.byteOffset).getUint16(end - 2);
  return { target: { address: { type, bytes: new Uint8Array(bytes.subarray(start, end - 2)) }, port }, end };
}
