import { type Socks5Target, targetLength, writeTarget } from './address.js';
import { AddressType, Command, SOCKS_VERSION } from './constants.js';

/**
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

/** VER, code, RSV, ATYP, address, port: the shape that request and reply share. */
function encodeWithTarget(code: number, target: Socks5Target): Uint8Array {
  const out = new Uint8Array(3 + targetLength(target));
  out[0] = SOCKS_VERSION;
  out[1] = code;
  writeTarget(out, 3, target);
  return out;
}

/**
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
 * Greeting with one method, credentials if there are any, and request, in one write.
 *
 * @param credentials - a message of {@link encodeCredentials}
 */
export function encodeFlight(method: number, credentials: Uint8Array | undefined, target: Socks5Target): Uint8Array {
  const requestAt = 3 + (credentials?.length ?? 0);
  const out = new Uint8Array(requestAt + 3 + targetLength(target));
  out[0] = SOCKS_VERSION;
  out[1] = 1;
  out[2] = method;
  if (credentials !== undefined) {
    out.set(credentials, 3);
  }
  out[requestAt] = SOCKS_VERSION;
  out[requestAt + 1] = Command.connect;
  writeTarget(out, requestAt + 3, target);
  return out;
}

/** Several messages for one write. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
