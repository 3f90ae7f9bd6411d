import { connect, type Socket } from 'node:net';
import { parseSocks5Target } from '../codec/address.js';
import { type AuthMethod, encodeCredentials, Method, type Socks5Credentials } from '../codec/messages.js';
import { Socks5Error } from '../codec/socks5-error.js';
import { defaultOffer } from '../handshake/client-handshake.js';
import { type SessionSource, type SocketReader, Socks5Session } from '../session/socks5-session.js';

export interface ConnectSocks5Options {
  /** The SOCKS5 server. */
  readonly server: { readonly host: string; readonly port: number };
  readonly target: { readonly host: string; readonly port: number };
  readonly credentials?: Socks5Credentials | undefined;
  /** Default: no authentication, and user name and password too if there are credentials. */
  readonly offer?: readonly AuthMethod[];
  readonly oneFlight?: boolean;
  /** Milliseconds for the handshake; default: 30 s. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** An open tunnel. */
export interface Socks5Tunnel {
  /** Paused; its next bytes are the target's, after `rest`. */
  readonly socket: Socket;
  readonly rest: Buffer;
  /** The method that the server chose. */
  readonly method: AuthMethod;
}

/**
 * Opens a tunnel to `target` through a SOCKS5 server.
 *
 * @throws {@link Socks5Error} with the code, phase and reply code of what failed; the socket is then destroyed
 */
export async function connectSocks5(options: ConnectSocks5Options): Promise<Socks5Tunnel> {
  const { credentials } = options;
  const target = parseSocks5Target(options.target.host, options.target.port);
  if (credentials !== undefined) encodeCredentials(credentials);
  const socket = await open(options.server);
  return new Promise((resolve, reject) => {
    const session = new Socks5Session({
      source: new SocketSource(socket),
      offer: options.offer ?? defaultOffer(credentials),
      credentials,
      target,
      oneFlight: options.oneFlight ?? false,
      timeout: options.timeout ?? 30_000,
      listener: {
        established(rest) {
          resolve({ socket, rest, method: session.method ?? Method.none });
          return false;
        },
        failed: reject,
      },
    });
    options.signal?.addEventListener('abort', () => {
      session.abort();
    });
  });
}

async function open({ host, port }: ConnectSocks5Options['server']): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    socket.once('connect', () => {
      socket.off('error', fail);
      resolve(socket);
    });
    const fail = (cause: Error): void => {
      reject(
        new Socks5Error('SOCKS5.UNREACHABLE', 'The SOCKS5 server cannot be reached.', { phase: 'connect', cause }),
      );
    };
    socket.once('error', fail);
  });
}

/** A source over an ordinary socket. It releases the socket when its reader returns `false`. */
export class SocketSource implements SessionSource {
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  start(reader: SocketReader): void {
    const { socket } = this;
    const onEnd = (): void => {
      reader.onEnd?.();
    };
    const onClose = (): void => {
      reader.onClose?.();
    };
    const onData = (chunk: Buffer): void => {
      if (!reader.read(chunk)) {
        socket.pause();
        socket.off('data', onData).off('end', onEnd).off('close', onClose).off('error', ignore);
      }
    };
    socket.on('data', onData).on('end', onEnd).on('close', onClose).on('error', ignore);
  }
}

function ignore(): void {
  // 'close' follows.
}
