import { connect, type Socket } from 'node:net';
import { parseSocks5Target } from '../codec/address.js';
import { type AuthMethod, Method } from '../codec/constants.js';
import type { Socks5Credentials } from '../codec/credentials.js';
import { Socks5Error } from '../codec/socks5-error.js';
import { Socks5Session, type Socks5Timeouts } from './socks5-session.js';
import { SocketTransport } from './transport.js';

export interface ConnectSocks5Options {
  /** The SOCKS5 server. */
  readonly server: { readonly host: string; readonly port: number };
  readonly target: { readonly host: string; readonly port: number };
  readonly credentials?: Socks5Credentials | undefined;
  /** Default: no authentication, and user name and password too when there are credentials. */
  readonly offer?: readonly AuthMethod[];
  readonly oneFlight?: boolean;
  readonly timeouts?: Partial<Socks5Timeouts>;
  readonly signal?: AbortSignal;
  /** Opens the TCP connection; half-open must be allowed. */
  readonly openSocket?: (server: { readonly host: string; readonly port: number }) => Socket;
}

/** An open tunnel. */
export interface Socks5Tunnel {
  /** Paused; its next bytes are the target's, after `rest`. */
  readonly socket: Socket;
  readonly rest: Buffer;
  /** The method the server chose. */
  readonly method: AuthMethod;
}

/** What a client offers: user name and password only when it has them, never alone, since some servers close on that. */
export function defaultOffer(credentials: Socks5Credentials | undefined): readonly AuthMethod[] {
  return credentials === undefined ? [Method.none] : [Method.none, Method.password];
}

const TIMEOUTS: Socks5Timeouts = { connect: 10_000, handshake: 30_000 };

/**
 * Opens a tunnel to `target` through a SOCKS5 server.
 *
 * @throws {@link Socks5Error} with the code, phase and reply code of what failed; the socket is then destroyed
 */
export async function connectSocks5(options: ConnectSocks5Options): Promise<Socks5Tunnel> {
  const { server, credentials, signal } = options;
  const target = parseSocks5Target(options.target.host, options.target.port);
  if (signal?.aborted === true) {
    throw new Socks5Error('SOCKS5.ABORTED', 'The connection attempt was given up.', { phase: 'connect' });
  }
  const open = options.openSocket ?? ((to) => connect({ ...to, allowHalfOpen: true, noDelay: true }));
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      session.cancel();
    };
    const session = new Socks5Session({
      open: () => new SocketTransport(open(server)),
      offer: options.offer ?? defaultOffer(credentials),
      credentials,
      target,
      oneFlight: options.oneFlight ?? false,
      timeouts: { ...TIMEOUTS, ...options.timeouts },
      listener: {
        established(rest) {
          signal?.removeEventListener('abort', cancel);
          resolve({ socket: session.socket, rest, method: session.method ?? Method.none });
          return false;
        },
        failed(error) {
          signal?.removeEventListener('abort', cancel);
          reject(error);
        },
      },
    });
    signal?.addEventListener('abort', cancel);
  });
}
