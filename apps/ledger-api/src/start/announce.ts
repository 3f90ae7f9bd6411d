import type { Logger } from 'pino';
import type { LedgerApiConfig } from '../config/ledger-api.config.js';
import { API_PREFIX } from '../openapi/openapi-document.js';
import type { Opened } from './open-listeners.js';

const LOOPBACK = /^(127\.|::1$|localhost$)/;

/** Says where the API is: to people in the log, to a parent process by a message. */
export function announce({ http, https, identity }: Opened, config: LedgerApiConfig, logger: Logger): void {
  const { host } = config.listen;
  if (!LOOPBACK.test(host)) {
    logger.warn(
      { host },
      `Listening on ${host}: whoever reaches it can read and write, there is no authentication yet.`,
    );
  }
  const urls = {
    http: `${http}/${API_PREFIX}`,
    ...(https === undefined ? {} : { https: `${https}/${API_PREFIX}` }),
    docs: `${http}/docs`,
  };
  const places = Object.entries(urls).map(([name, url]) => (name === 'docs' ? `documentation ${url}` : url));
  const certificate =
    identity && `certificate${identity.selfSigned ? ' (self-signed)' : ''} SHA-256 ${identity.fingerprint}`;
  logger.info(
    { ...urls, ...(identity && { fingerprint: identity.fingerprint }), driver: config.ledger.driver },
    `ledger-api is ready: ${[...places, certificate].filter(Boolean).join(', ')}`,
  );
  process.send?.({ type: 'ready', name: 'ledger-api', urls });
}
