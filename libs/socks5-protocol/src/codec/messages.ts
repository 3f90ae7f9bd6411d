import { type Socks5Target, targetLength, writeTarget } from './address.js';
import { AddressType, AUTH_VERSION, Command, SOCKS_VERSION } from './constants.js';
import { Socks5Error } from './socks5-error.js';

/** User name and password of RFC 1929. */
export interface Socks5Credentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Encodes the first message of a client.
 *
 * ```text
 * +-----+----------+----------+
 * | VER | NMETHODS | METHODS  |     RFC 1928, section 3
 * |  1  |    1     | 1 to 255 |
 * +-----+----------+----------+
 * ```
 */
export function encodeGreeting(methods: readonly number[]): Uint8Array {
  return Uint8Array.of(SOCKS_VERSION, methods.length, ...methods);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/**
 * Encodes a user name and password.
 *
 * ```text
 * +-----+------+----------+------+----------+
 * | VER | ULEN |  UNAME   | PLEN |  PASSWD  |     RFC 1929, section 2
 * |  1  |  1   | 1 to 255 |  1   | 1 to 255 |
 * +-----+------+----------+------+----------+
 * ```
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
  if (bytes[userEnd] === undefined || bytes.length < end) {
    return undefined;
  }
  return {
    credentials: {
      username: decoder.decode(bytes.subarray(2, userEnd)),
      password: decoder.decode(bytes.subarray(userEnd + 1, end)),
    },
    end,
  };
}

/** Encodes VER, code, RSV, ATYP, address and port, the shape that request and reply share. */
function encodeWithTarget(code: number, target: Socks5Target): Uint8Array {
  const out = new Uint8Array(3 + targetLength(target));
  out[0] = SOCKS_VERSION;
  out[1] = code;
  writeTarget(out, 3, target);
  return out;
}

/**
 * Encodes a CONNECT request.
 *
 * ```text
 * +-----+-----+-------+------+----------+----------+
 * | VER | CMD |  RSV  | ATYP | DST.ADDR | DST.PORT |     RFC 1928, section 4
 * |  1  |  1  | X'00' |  1   | variable |    2     |
 * +-----+-----+-------+------+----------+----------+
 * ```
 */
export function encodeConnectRequest(target: Socks5Target): Uint8Array {
  return encodeWithTarget(Command.connect, target);
}

const UNBOUND: Socks5Target = { address: { type: AddressType.ipv4, bytes: new Uint8Array(4) }, port: 0 };

/**
 * Encodes a reply.
 *
 * ```text
 * +-----+-----+-------+------+----------+----------+
 * | VER | REP |  RSV  | ATYP | BND.ADDR | BND.PORT |     RFC 1928, section 6
 * |  1  |  1  | X'00' |  1   | variable |    2     |
 * +-----+-----+-------+------+----------+----------+
 * ```
 */
export function encodeReply(code: number, bound: Socks5Target = UNBOUND): Uint8Array {
  return encodeWithTarget(code, bound);
}

/**
 * Encodes a greeting with one method, the credentials if there are any, and a request as one message.
 *
 * @param credentials - a message of {@link encodeCredentials}
 */
export function encodeFlight(method: number, credentials: Uint8Array | undefined, target: Socks5Target): Uint8Array {
  return Buffer.concat([encodeGreeting([method]), ...(credentials ? [credentials] : []), encodeConnectRequest(target)]);
}
