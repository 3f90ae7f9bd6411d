import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer, type Server as NetServer } from 'node:net';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import type { ServerConfig } from '#ledger-config';
import { urlHost } from '../http/host-rules.js';
import { ApiServer } from './api-server.js';
import { CertificateWatch } from './certificate-watch.js';
import { checkSelfSigned, ensureSelfSigned, readIdentity, selfSignedIn, type TlsIdentity } from './tls-identity.js';

/** The interval in milliseconds at which the self-signed certificate is checked. */
const RENEWAL_CHECK_MS = 12 * 60 * 60 * 1000;

/** The addresses of the API, without a trailing slash. */
export interface Opened {
  readonly http: string;
  readonly https?: string;
  readonly identity?: TlsIdentity;
}

/** The http and https listeners: one handler, the same limits, one drain. */
export class Listeners {
  readonly #http: ApiServer;
  #https: ApiServer | undefined;
  #certificate: CertificateWatch | undefined;

  /** Creates the http server around the application's handler, which https then uses too. */
  constructor(private readonly handler: RequestListener) {
    this.#http = new ApiServer(handler);
  }

  /** The http server. */
  get server(): Server {
    return this.#http.server;
  }

  /**
   * Opens http and, unless it is off, https.
   * @param dataDir - contains the self-signed certificate
   */
  async open({ host, httpPort, httpsPort, tls }: ServerConfig, dataDir: string, logger: Logger): Promise<Opened> {
    const directory = selfSignedIn(dataDir);
    const usesSelfSigned = httpsPort !== 0 && tls === undefined;
    const warning = usesSelfSigned ? await checkSelfSigned(directory) : undefined;
    if (warning !== undefined) logger.warn({ directory }, warning);
    const identity =
      httpsPort === 0 ? undefined : await (tls === undefined ? ensureSelfSigned(directory) : readIdentity(tls));
    const http = `http://${urlHost(host)}:${await this.#http.listen(host, httpPort)}`;
    if (identity === undefined) return { http };
    const server = new ApiServer(this.handler, undefined, identity);
    this.#https = server;
    const https = `https://${urlHost(host)}:${await server.listen(host, httpsPort)}`;
    const use = (renewed: TlsIdentity): void => {
      server.replaceIdentity(renewed);
    };
    if (tls === undefined) keepRenewed(directory, identity, use, logger);
    else this.#certificate = new CertificateWatch({ files: tls, current: identity, use, logger });
    return { http, https, identity };
  }

  /**
   * Reads the configured certificate again.
   * @returns the error because of which the previous one stays in use
   */
  async reloadCertificate(): Promise<string | undefined> {
    return this.#certificate?.reload();
  }

  /** Stops accepting, lets in-flight requests finish within the limit, then closes every connection. */
  async close(): Promise<void> {
    this.#certificate?.stop();
    await Promise.all([this.#http.drain(), this.#https?.drain()]);
  }
}

/**
 * Checks that the addresses can be listened on, before a start makes files: each is bound and
 * released. Another program may still take a port before the listeners open.
 * @throws the error with which {@link Listeners.open} would fail
 */
export async function requireFreeAddresses({ host, httpPort, httpsPort }: ServerConfig): Promise<void> {
  const servers: NetServer[] = [];
  try {
    for (const port of httpsPort === 0 ? [httpPort] : [httpPort, httpsPort]) {
      const server = createServer().listen({ host, port });
      await once(server, 'listening');
      servers.push(server);
    }
  } finally {
    await Promise.all(servers.map((server) => promisify(server.close.bind(server))()));
  }
}

/** A process that runs for months uses the renewed certificate without a restart. */
function keepRenewed(
  directory: string,
  current: TlsIdentity,
  use: (identity: TlsIdentity) => void,
  logger: Logger,
): void {
  let { fingerprint } = current;
  const renew = async (): Promise<void> => {
    try {
      const identity = await ensureSelfSigned(directory);
      if (identity.fingerprint === fingerprint) return;
      ({ fingerprint } = identity);
      use(identity);
      logger.info({ fingerprint }, 'The self-signed certificate was renewed.');
    } catch (err) {
      logger.error({ err }, 'The self-signed certificate could not be renewed.');
    }
  };
  setInterval(() => void renew(), RENEWAL_CHECK_MS).unref();
}
