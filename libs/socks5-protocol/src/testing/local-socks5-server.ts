import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { formatAddress, parseAddress } from '../codec/address.js';
import { encodeReply, Reply } from '../codec/messages.js';
import { type DialError, Dialler, type HostAndPort } from '../dial/dialler.js';
import { ServerHandshake, type ServerStep } from '../handshake/server-handshake.js';

export interface LocalSocks5ServerOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Connects to the targets. */
  readonly dialler?: Dialler;
}

/** A SOCKS5 server for tests (CONNECT without authentication) that connects to its targets from this machine. */
export class LocalSocks5Server {
  readonly #options: LocalSocks5ServerOptions;
  readonly #dialler: Dialler;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: LocalSocks5ServerOptions = {}) {
    this.#options = options;
    this.#dialler = options.dialler ?? new Dialler();
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#serve(socket);
    });
  }

  get address(): HostAndPort {
    const { address, port } = this.#server.address() as AddressInfo;
    return { host: address, port };
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#options.port ?? 0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Stops listening and closes every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(client: Socket): void {
    this.#track(client);
    const handshake = new ServerHandshake(false);
    const end = (): void => {
      client.end();
    };
    const feed = (chunk: Buffer): void => {
      const step: ServerStep = handshake.feed(chunk);
      client.write(step.write);
      if (step.kind === 'close') client.off('data', feed).resume().end();
      if (step.kind !== 'request') return;
      client.off('data', feed).off('end', end).pause();
      const { address, port } = step.target;
      this.#open(client, { host: formatAddress(address), port }, step.rest);
    };
    client.once('end', end).on('data', feed);
  }

  #open(client: Socket, target: HostAndPort, early: Buffer): void {
    const abort = (): void => {
      attempt.abort();
    };
    const attempt = this.#dialler.dial({
      target,
      timeout: 0,
      open: (to) => {
        const socket = connect({ ...to, allowHalfOpen: true, noDelay: true });
        this.#track(socket);
        return { socket };
      },
      connected: ({ socket }) => {
        client.off('close', abort);
        const { localAddress = '0.0.0.0', localPort = 0 } = socket;
        client.write(encodeReply(Reply.succeeded, { address: parseAddress(localAddress), port: localPort }));
        socket.write(early);
        spliceSockets(client, socket);
      },
      failed: (error) => {
        client
          .off('close', abort)
          .resume()
          .end(encodeReply(replyOf(error)));
      },
    });
    client.once('close', abort);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }
}

function replyOf({ code, cause }: DialError): number {
  const isRefused = (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
  if (code === 'DIAL.UNRESOLVED') return Reply.hostUnreachable;
  return isRefused ? Reply.connectionRefused : Reply.generalFailure;
}

/** Pipes two half-open sockets into each other until both directions have ended or one side breaks. */
function spliceSockets(a: Socket, b: Socket): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.on('error', () => {
      reset(to);
    });
    from.once('close', () => {
      // After both ends were seen this has no effect; otherwise the other side must not wait for a closed socket.
      if (!from.readableEnded) to.destroy();
    });
    from.pipe(to);
  }
}

function reset(socket: Socket): void {
  // libuv refuses a reset while it waits to send the end, and the descriptor would stay open.
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
