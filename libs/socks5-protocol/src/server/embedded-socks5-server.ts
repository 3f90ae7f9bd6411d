import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { formatAddress, parseAddress, type Socks5Target } from '../codec/address.js';
import { Reply } from '../codec/constants.js';
import type { Socks5Credentials } from '../codec/credentials.js';
import { encodeReply } from '../codec/messages.js';
import { ServerHandshake, type ServerStep } from '../handshake/server-handshake.js';
import { dialTarget, replyOfError } from './dial-target.js';
import { type HostAndPort, reachesListener } from './own-address.js';
import { spliceSockets } from './splice-sockets.js';

export interface EmbeddedSocks5ServerOptions {
  /** Default: 127.0.0.1, any free port. */
  readonly host?: string;
  readonly port?: number;
  /** Lets only these in; absent: everyone who can reach the port. */
  readonly credentials?: Socks5Credentials | undefined;
  /** Listeners that no connection may lead to, beside the server's own: asked for each target. */
  readonly refused?: () => readonly HostAndPort[];
  /** How long a handshake may take and a target may be silent before it has accepted, in milliseconds. */
  readonly handshakeTimeout?: number;
}

/** A small SOCKS5 server (CONNECT only): connections leave from this machine. */
export class EmbeddedSocks5Server {
  readonly #options: EmbeddedSocks5ServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #address: HostAndPort = { host: '', port: 0 };

  constructor(options: EmbeddedSocks5ServerOptions = {}) {
    this.#options = options;
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
    const { credentials, handshakeTimeout = 30_000 } = this.#options;
    const handshake = new ServerHandshake({ wantsPassword: credentials !== undefined });
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
        this.#open(client, step.target, step.rest);
      } else if (step.kind === 'credentials') {
        const { username, password } = step.credentials;
        follow(handshake.admit(username === credentials?.username && password === credentials.password));
      }
    };
    client.on('data', feed);
  }

  #open(client: Socket, { address, port }: Socks5Target, rest: Uint8Array): void {
    const early = Buffer.from(rest);
    const target = dialTarget({ host: formatAddress(address), port }, (to) => this.#isRefused(to));
    this.#track(target);
    const abandon = (): void => {
      target.destroy();
    };
    client.once('close', abandon);
    const fail = (error: Error): void => {
      client.resume().end(encodeReply(replyOfError(error)));
    };
    target.once('error', fail);
    target.once('connect', () => {
      client.setTimeout(0).off('close', abandon);
      target.off('error', fail);
      const { localAddress = '0.0.0.0', localPort = 0 } = target;
      client.write(encodeReply(Reply.succeeded, { address: parseAddress(localAddress), port: localPort }));
      if (early.length > 0) {
        target.write(early);
      }
      spliceSockets(client, target);
    });
  }

  #isRefused(to: HostAndPort): boolean {
    return [this.address, ...(this.#options.refused?.() ?? [])].some((listener) => reachesListener(to, listener));
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', ignore).once('close', () => this.#sockets.delete(socket));
  }
}

function ignore(): void {
  // Peers may reset at any time; 'close' follows and does the rest.
}
