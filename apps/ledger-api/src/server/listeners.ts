import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ServerConfig } from '../config/config.js';
import { urlHost } from '../http/host-rules.js';
import { ApiServer, type ApiServerOptions, type RequestHandler } from './api-server.js';
import { keepSelfSigned, readIdentity, type TlsIdentity } from './tls-identity.js';

/** How often the self-signed certificate is looked at. */
const RENEWAL_CHECK_MS = 12 * 60 * 60 * 1000;

/** Where the API can be reached, without a trailing slash. */
export interface Opened {
  readonly http: string;
  readonly https?: string;
  readonly identity?: TlsIdentity;
}

/** The http and https listeners: one handler, the same limits, one drain. */
export class Listeners {
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

  /**
   * Opens http and, unless it is off, https.
   * @param dataDir - where the self-signed certificate is kept
   */
  async open(config: ServerConfig, dataDir: string, logger: Logger): Promise<Opened> {
    if (this.#http === undefined || this.#handler === undefined) throw new TypeError('createHttp comes first');
    const { host, httpPort, httpsPort } = config;
    const directory = join(dataDir, 'tls');
    const identity = httpsPort === 0 ? undefined : await identityOf(config, directory);
    const http = `http://${urlHost(host)}:${await this.#http.listen(host, httpPort)}`;
    if (identity === undefined) return { http };
    this.#https = new ApiServer({ ...this.#options, handler: this.#handler, identity });
    const https = `https://${urlHost(host)}:${await this.#https.listen(host, httpsPort)}`;
    if (identity.selfSigned) this.#keepRenewed(directory, identity, logger);
    return { http, https, identity };
  }

  /** Stops accepting, lets what is in flight finish within the limit, then ends every connection. */
  async drain(): Promise<void> {
    await Promise.all([this.#http?.drain(), this.#https?.drain()]);
  }

  /** A process that runs for months takes the renewed certificate without a restart. */
  #keepRenewed(directory: string, current: TlsIdentity, logger: Logger): void {
    let { fingerprint } = current;
    const renew = async (): Promise<void> => {
      try {
        const identity = await keepSelfSigned(directory);
        if (identity.fingerprint === fingerprint) return;
        ({ fingerprint } = identity);
        this.#https?.replaceIdentity(identity);
        logger.info({ fingerprint }, 'The self-signed certificate was renewed.');
      } catch (err) {
        logger.error({ err }, 'The self-signed certificate could not be renewed.');
      }
    };
    setInterval(() => void renew(), RENEWAL_CHECK_MS).unref();
  }
}

async function identityOf({ tls }: ServerConfig, directory: string): Promise<TlsIdentity> {
  return tls === undefined ? keepSelfSigned(directory) : readIdentity(tls);
}
