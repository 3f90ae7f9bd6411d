import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { formatAddress, parseAddress } from '../codec/address.js';
import { Reply } from '../codec/constants.js';
import type { Socks5Credentials } from '../codec/credentials.js';
import { encodeReply } from '../codec/messages.js';
import { Dialler } from '../dial/dialler.js';
import { type HostAndPort, reachesListener } from '../dial/own-address.js';
import { ServerHandshake, type ServerStep } from '../handshake/server-handshake.js';
import { replyOfError } from './reply-of-error.js';
import { spliceSockets } from './splice-sockets.js';

/** What a client asks for, as the one who authenticated by this name. */
export interface EmbeddedRequest {
  /** As it was asked for. */
  readonly target: HostAndPort;
  readonly username: string | undefined;
}

/** Unless another time is given. */
const HANDSHAKE_MS = 30_000;

export interface EmbeddedSocks5ServerOptions {
  /** Default: 127.0.0.1, any free port. */
  readonly host?: string;
  readonly port?: number;
  /** Whether the user name and password are right; absent: everyone who can reach the port is let in. */
  readonly authenticate?: ((credentials: Socks5Credentials) => boolean) | undefined;
  /** Whether an address of a target may be connected to; the server's own listener never is. */
  readonly admit?: (address: string, request: EmbeddedRequest) => boolean;
  /** How long a handshake may take, and then the connection to its target, in milliseconds. */
  readonly handshakeTimeout?: number;
  /** Names are resolved and addresses tried by it, together with what others ask of it. */
  readonly dialler?: Dialler;
}

/** A small SOCKS5 server (CONNECT only): connections leave from this machine. */
export class EmbeddedSocks5Server {
  readonly #options: EmbeddedSocks5ServerOptions;
  readonly #dialler: Dialler;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #address: HostAndPort = { host: '', port: 0 };

  constructor(options: EmbeddedSocks5ServerOptions = {}) {
    this.#options = options;
    this.#dialler = options.dialler ?? new Dialler();
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#serve(socket);
    });
  }

  /** Where it listens, or last did: a look-up may still ask after the end. */
  get address(): HostAndPort {
    return this.#address;
  }

  /** Starts to listen. */
  async listen(): Promise<void> {
    const { host = '127.0.0.1', port = 0 } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        const bound = this.#server.address() as AddressInfo;
        this.#address = { host: bound.address, port: bound.port };
        resolve();
      });
    });
  }

  /** Stops listening and cuts every connection. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      for (const socket of this.#sockets) {
        socket.destroy();
      }
    });
  }

  #serve(client: Socket): void {
    this.#track(client);
    const { authenticate, handshakeTimeout = HANDSHAKE_MS } = this.#options;
    const handshake = new ServerHandshake({ wantsPassword: authenticate !== undefined });
    let username: string | undefined;
    client.setTimeout(handshakeTimeout, () => client.destroy());
    const leave = (): void => {
      client.end();
    };
    client.once('end', leave);
    const feed = (chunk: Buffer): void => {
      follow(handshake.feed(chunk));
    };
    const follow = (step: ServerStep): void => {
      if (step.write.length > 0) {
        client.write(step.write);
      }
      if (step.kind === 'close') {
        client.off('data', feed).resume().end();
      } else if (step.kind === 'request') {
        client.off('data', feed).off('end', leave).pause();
        const { address, port } = step.target;
        this.#open(client, { target: { host: formatAddress(address), port }, username }, Buffer.from(step.rest));
      } else if (step.kind === 'credentials') {
        ({ username } = step.credentials);
        follow(handshake.admit(authenticate?.(step.credentials) === true));
      }
    };
    client.on('data', feed);
  }

  #open(client: Socket, request: EmbeddedRequest, early: Buffer): void {
    const { admit, handshakeTimeout = HANDSHAKE_MS } = this.#options;
    const { target } = request;
    const abandon = (): void => {
      attempt.cancel();
    };
    const attempt = this.#dialler.dial({
      target,
      admit: (address) =>
        !reachesListener({ host: address, port: target.port }, this.address) && admit?.(address, request) !== false,
      open: (to) => {
        const socket = connect({ ...to, allowHalfOpen: true, noDelay: true });
        this.#track(socket);
        return { socket };
      },
      timeout: handshakeTimeout,
      connected: ({ socket }) => {
        client.setTimeout(0).off('close', abandon);
        const { localAddress = '0.0.0.0', localPort = 0 } = socket;
        client.write(encodeReply(Reply.succeeded, { address: parseAddress(localAddress), port: localPort }));
        if (early.length > 0) {
          socket.write(early);
        }
        spliceSockets(client, socket);
      },
      failed: (error) => {
        client
          .off('close', abandon)
          .resume()
          .end(encodeReply(replyOfError(error)));
      },
    });
    client.setTimeout(0).once('close', abandon);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', ignore).once('close', () => this.#sockets.delete(socket));
  }
}

function ignore(): void {
  // Peers may reset at any time; 'close' follows and does the rest.
}
