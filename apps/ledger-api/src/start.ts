import type { Logger } from 'pino';
import { PROGRAM_LOG, flushLogOnExit, watchFileLimit, type ProgramLog } from '#logging';
import { createLedgerApi } from './app.setup.js';
import {
  callersConfig,
  isLoopback,
  ledgerConfig,
  serverConfig,
  type CallersConfig,
  type LedgerConfig,
  type ServerConfig,
} from './config/config.js';
import { API_PREFIX } from './openapi/openapi-document.js';
import type { Opened } from './server/listeners.js';

/**
 * Starts the API: opens the ledger, listens on http and https, says where, and ends on SIGTERM, SIGINT and SIGHUP.
 * @throws when the ledger, the certificate or an address cannot be had; nothing is left open then
 */
export async function startLedgerApi(): Promise<void> {
  const { app, listeners } = await createLedgerApi();
  const log = app.get<ProgramLog>(PROGRAM_LOG);
  const { logger } = log;
  flushLogOnExit(log);
  watchFileLimit(logger);
  // Ends with code 0; a second signal meanwhile changes nothing.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT', 'SIGHUP'], { useProcessExit: true });
  // A program that started it with a channel for messages, and has gone, can send no signal any more.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  try {
    const [server, ledger] = [app.get<ServerConfig>(serverConfig.KEY), app.get<LedgerConfig>(ledgerConfig.KEY)];
    const opened = await listeners.open(server, ledger.dataDir, logger);
    const callers = app.get<CallersConfig>(callersConfig.KEY);
    warnBeyondLoopback(server, callers, logger);
    announce(opened, { driver: ledger.driver, needsTls: callers.isOn && callers.needsTls }, logger);
  } catch (error) {
    await app.close();
    throw error;
  }
}

function warnBeyondLoopback({ host }: ServerConfig, { isOn, needsTls }: CallersConfig, logger: Logger): void {
  if (isLoopback(host)) return;
  if (!isOn) {
    logger.warn({ host }, `Listening on ${host} without authentication: whoever reaches it can read and write.`);
  } else if (!needsTls) {
    logger.warn(
      { host },
      `Keys are taken over http on ${host}: make sure that only what speaks https in front reaches it.`,
    );
  }
}

/** Says where the API is: to people in the log, to a parent process by a message. */
function announce(
  { http, https, identity }: Opened,
  { driver, needsTls }: Pick<LedgerConfig, 'driver'> & Pick<CallersConfig, 'needsTls'>,
  logger: Logger,
): void {
  // Where a key is taken.
  const forPeople = needsTls ? (https ?? http) : http;
  const urls = {
    explorer: `${forPeople}/`,
    http: `${http}/${API_PREFIX}`,
    ...(https === undefined ? {} : { https: `${https}/${API_PREFIX}` }),
    docs: `${forPeople}/docs`,
  };
  const names: Readonly<Record<string, string>> = { explorer: 'explorer ', docs: 'documentation ' };
  const places = Object.entries(urls).map(([name, url]) => `${names[name] ?? ''}${url}`);
  const certificate =
    identity && `certificate${identity.selfSigned ? ' (self-signed)' : ''} SHA-256 ${identity.fingerprint}`;
  logger.info(
    { ...urls, ...(identity && { fingerprint: identity.fingerprint }), driver },
    `ledger-api is ready: ${[...places, certificate].filter(Boolean).join(', ')}`,
  );
  process.send?.({ type: 'ready', name: 'ledger-api', urls });
}
