import { AUTH_VERSION } from './constants.js';
import { Socks5Error } from './socks5-error.js';

/** User name and password of RFC 1929. */
export interface Socks5Credentials {
  readonly username: string;
  readonly password: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

function field(name: string, text: string): Uint8Array {
  const bytes = encoder.encode(text);
  if (bytes.length < 1 || bytes.length > 255) {
    throw new Socks5Error(
      'SOCKS5.INVALID_CREDENTIALS',
      `The SOCKS5 ${name} has ${bytes.length} bytes; it must have 1 to 255.`,
    );
  }
  return bytes;
}

/**
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
  const user = field('user name', username);
  const secret = field('password', password);
  return Uint8Array.of(AUTH_VERSION, user.length, ...user, secret.length, ...secret);
}

/** Reads one message of {@link encodeCredentials} from the start of `bytes`; undefined while bytes are missing. */
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
