import { join } from 'node:path';
import type { Logger } from 'pino';
import type { LedgerApiConfig } from '../config/ledger-api.config.js';
import type { ApiListeners } from '../listeners/api-listeners.js';
import { urlHost } from '../openapi/openapi-document.js';
import { keepSelfSigned, readIdentity, type TlsIdentity } from '../tls/tls-identity.js';

/** How often the self-signed certificate is looked at. */
const RENEWAL_CHECK_MS = 12 * 60 * 60 * 1000;

/** Where the API can be reached, without a trailing slash. */
export interface Opened {
  readonly http: string;
  readonly https?: string;
  readonly identity?: TlsIdentity;
}

/** Opens http and, unless it is off, https. */
export async function openListeners(listeners: ApiListeners, config: LedgerApiConfig, logger: Logger): Promise<Opened> {
  const { host, httpPort, httpsPort } = config.listen;
  const identity = httpsPort === 0 ? undefined : await identityOf(config);
  const http = `http://${urlHost(host)}:${await listeners.listenHttp(host, httpPort)}`;
  if (identity === undefined) return { http };
  const https = `https://${urlHost(host)}:${await listeners.listenHttps(host, httpsPort, identity)}`;
  if (identity.selfSigned) keepRenewed(listeners, config, logger, identity);
  return { http, https, identity };
}

async function identityOf({ listen, ledger }: LedgerApiConfig): Promise<TlsIdentity> {
  return listen.tls === undefined ? keepSelfSigned(join(ledger.dataDir, 'tls')) : readIdentity(listen.tls);
}

/** A process that runs for months takes the renewed certificate without a restart. */
function keepRenewed(listeners: ApiListeners, config: LedgerApiConfig, logger: Logger, current: TlsIdentity): void {
  let { fingerprint } = current;
  const renew = async (): Promise<void> => {
    try {
      const identity = await identityOf(config);
      if (identity.fingerprint === fingerprint) return;
      ({ fingerprint } = identity);
      listeners.replaceIdentity(identity);
      logger.info({ fingerprint }, 'The self-signed certificate was renewed.');
    } catch (err) {
      logger.error({ err }, 'The self-signed certificate could not be renewed.');
    }
  };
  setInterval(() => void renew(), RENEWAL_CHECK_MS).unref();
}
