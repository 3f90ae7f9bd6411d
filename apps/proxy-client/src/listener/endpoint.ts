import { createServer, Server, type AddressInfo, type ListenOptions, type Socket } from 'node:net';
import { formatAuthority } from '../http/authority.js';
import { SOCKET_OPTIONS } from '../relay/byte-source.js';
import type { BoundAddress } from '../routing/rules/own-addresses.js';

/** The limit of connections that the kernel queues until they are accepted; net.core.somaxconn limits it too. */
const BACKLOG = 4096;

/** Receives an accepted connection, which is paused. */
export type Accept = (socket: Socket, endpoint: Endpoint) => void;

/** A socket that accepts connections for a listener. */
export class Endpoint {
  readonly #server: Server;
  #address: AddressInfo | string = '';

  constructor(accept: Accept) {
    this.#server = createServer({ ...SOCKET_OPTIONS, pauseOnConnect: true }, (socket) => {
      accept(socket, this);
    });
  }

  /** For logs: `host:port`, or `unix:PATH`. */
  get name(): string {
    const { bound } = this;
    return bound === undefined ? `unix:${this.path ?? ''}` : formatAuthority({ host: bound.address, port: bound.port });
  }

  /** The address and port; undefined for a Unix socket. */
  get bound(): BoundAddress | undefined {
    return typeof this.#address === 'string' ? undefined : this.#address;
  }

  /** The path of a Unix socket. */
  get path(): string | undefined {
    return typeof this.#address === 'string' ? this.#address : undefined;
  }

  /**
   * Starts to listen; rejects with the system's error.
   *
   * @param options - `fd`, or a server: a socket that listens already
   */
  async listen(options: ListenOptions | { readonly fd: number } | Server): Promise<void> {
    const server = this.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      const isListening = (): void => {
        server.off('error', reject);
        resolve();
      };
      if (options instanceof Server) server.listen(options, isListening);
      else server.listen({ ...options, backlog: BACKLOG } as ListenOptions, isListening);
    });
    this.#address = server.address() ?? '';
  }

  /** Stops accepting. */
  close(): void {
    this.#server.close();
  }
}
