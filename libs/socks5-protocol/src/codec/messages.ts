import { AddressType, encodeTarget, type Socks5Target } from './address.js';
import { Socks5Error } from './socks5-error.js';

/** Numbers of RFC 1928 and RFC 1929. */
export const SOCKS_VERSION = 0x05;

/** The version of the user name and password sub-negotiation (RFC 1929, section 2). */
export const AUTH_VERSION = 0x01;

export const Method = { none: 0x00, password: 0x02, noneAcceptable: 0xff } as const;

/** An authentication method that this library supports. */
export type AuthMethod = typeof Method.none | typeof Method.password;

/** The command CONNECT; BIND and UDP ASSOCIATE are not supported. */
export const CONNECT = 0x01;

/** The reply codes of RFC 1928, section 6; servers may send others. */
export const Reply = {
  succeeded: 0x00,
  generalFailure: 0x01,
  notAllowed: 0x02,
  networkUnreachable: 0x03,
  hostUnreachable: 0x04,
  connectionRefused: 0x05,
  ttlExpired: 0x06,
  commandNotSupported: 0x07,
  addressNotSupported: 0x08,
} as const;

/** User name and password of RFC 1929. */
export interface Socks5Credentials {
  readonly username: string;
  readonly password: string;
}

/** Encodes the first message of a client: VER, NMETHODS, METHODS (RFC 1928, section 3). */
export function encodeGreeting(methods: readonly number[]): Uint8Array {
  return Uint8Array.of(SOCKS_VERSION, methods.length, ...methods);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/**
 * Encodes a user name and password: VER, ULEN, UNAME, PLEN, PASSWD (RFC 1929, section 2).
 *
 * @throws {@link Socks5Error} `SOCKS5.INVALID_CREDENTIALS`
 */
export function encodeCredentials({ username, password }: Socks5Credentials): Uint8Array {
  const user = encodeField('user name', username);
  const secret = encodeField('password', password);
  return Uint8Array.of(AUTH_VERSION, user.length, ...user, secret.length, ...secret);
}

function encodeField(name: string, text: string): Uint8Array {
  const bytes = encoder.encode(text);
  if (bytes.length < 1 || bytes.length > 255) {
    throw new Socks5Error(
      'SOCKS5.INVALID_CREDENTIALS',
      `The SOCKS5 ${name} has ${bytes.length} bytes; it must have 1 to 255.`,
    );
  }
  return bytes;
}

/** Parses one message of {@link encodeCredentials} at the start of `bytes`; returns undefined while bytes are missing. */
export function readCredentials(
  bytes: Uint8Array,
): { readonly credentials: Socks5Credentials; readonly end: number } | undefined {
  const userEnd = 2 + (bytes[1] ?? 0);
  const end = userEnd + 1 + (bytes[userEnd] ?? 0);
  if (bytes[userEnd] === undefined || bytes.length < end) return undefined;
  return {
    credentials: {
      username: decoder.decode(bytes.subarray(2, userEnd)),
      password: decoder.decode(bytes.subarray(userEnd + 1, end)),
    },
    end,
  };
}

/** Encodes a CONNECT request: VER, CMD, RSV, ATYP, DST.ADDR, DST.PORT (RFC 1928, section 4). */
export function encodeConnectRequest(target: Socks5Target): Uint8Array {
  return encodeTarget(target, SOCKS_VERSION, CONNECT, 0);
}

const UNBOUND: Socks5Target = { address: { type: AddressType.ipv4, bytes: new Uint8Array(4) }, port: 0 };

/** Encodes a reply: VER, REP, RSV, ATYP, BND.ADDR, BND.PORT (RFC 1928, section 6). */
export function encodeReply(code: number, bound: Socks5Target = UNBOUND): Uint8Array {
  return encodeTarget(bound, SOCKS_VERSION, code, 0);
}
