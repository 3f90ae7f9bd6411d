import type { Server } from 'node:http';
import type { SecureContextOptions } from 'node:tls';
import { ApiServer, type ApiServerOptions, type RequestHandler } from './api-server.js';

/** The http listener and the https one beside it: one handler, the same limits, one drain. */
export class ApiListeners {
  readonly #options: ApiServerOptions;
  #handler: RequestHandler | undefined;
  #http: ApiServer | undefined;
  #https: ApiServer | undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  /** Makes the http server around the application's handler, which https then uses too. */
  createHttp(handler: RequestHandler): Server {
    this.#handler = handler;
    this.#http = new ApiServer({ ...this.#options, handler });
    return this.#http.server;
  }

  /** @returns the port that was taken */
  async listenHttp(host: string, port: number): Promise<number> {
    if (this.#http === undefined) throw new TypeError('createHttp comes first');
    return this.#http.listen(host, port);
  }

  /** @returns the port that was taken */
  async listenHttps(host: string, port: number, identity: SecureContextOptions): Promise<number> {
    if (this.#handler === undefined) throw new TypeError('createHttp comes first');
    this.#https = new ApiServer({ ...this.#options, handler: this.#handler, identity });
    return this.#https.listen(host, port);
  }

  /** Takes another certificate for the handshakes to come. */
  replaceIdentity(identity: SecureContextOptions): void {
    this.#https?.replaceIdentity(identity);
  }

  /** Stops accepting, lets what is in flight finish within the limit, then ends every connection. */
  async drain(): Promise<void> {
    await Promise.all([this.#http?.drain(), this.#https?.drain()]);
  }
}
