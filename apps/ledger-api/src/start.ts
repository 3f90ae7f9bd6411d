import type { Logger } from 'pino';
import { createChaincodeHost } from '#chaincode-host';
import { checkDataDirectory } from '#embedded-ledger';
import { readCallers } from '#ledger-callers';
import { ignoredText, isLoopback, type LedgerApiConfig } from '#ledger-config';
import { flushLogOnExit, PROGRAM_LOG, type ProgramLog, watchFileLimit } from '#logging';
import { createLedgerApi } from './app.setup.js';
import { API_PREFIX } from './openapi/openapi-document.js';
import type { Opened } from './server/listeners.js';
import { readIdentity } from './server/tls-identity.js';

/**
 * Starts the API: opens the ledger, listens on http and https, logs the addresses, and stops on SIGTERM, SIGINT and SIGHUP.
 * @throws if the ledger, the certificate or an address is unavailable; nothing is left open then
 */
export async function startLedgerApi(config: LedgerApiConfig): Promise<void> {
  const { server, ledger } = config;
  // Before the trees are opened: each records its origin for good.
  await checkPolicy(config);
  const { app, listeners } = await createLedgerApi(config);
  const log = app.get<ProgramLog>(PROGRAM_LOG);
  const { logger } = log;
  flushLogOnExit(log);
  watchFileLimit(logger);
  const { ignoredVariables } = config;
  if (ignoredVariables.length > 0) logger.warn({ variables: ignoredVariables }, ignoredText(ignoredVariables));
  // Exits with code 0. A second signal has no effect.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT', 'SIGHUP'], { useProcessExit: true });
  // A parent process with an IPC channel that has exited can send no signal any more.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  try {
    const opened = await listeners.open(server, ledger.dataDir, logger);
    warnBeyondLoopback(config, logger);
    announce(opened, config, logger);
  } catch (error) {
    await app.close();
    throw error;
  }
}

/**
 * Validates the files that a start with this configuration reads: certificate and key, callers file, trust policy, data
 * directory. Writes nothing, and may run while a server uses the directory.
 * @throws the error with which the start would fail
 */
export async function checkStart(config: LedgerApiConfig): Promise<void> {
  const { server, callers, ledger } = config;
  if (server.httpsPort !== 0 && server.tls !== undefined) await readIdentity(server.tls);
  if (callers.isOn) await readCallers(callers.file);
  await checkPolicy(config);
  if (ledger.driver !== 'embedded') return;
  checkDataDirectory(ledger);
  const { chaincodes } = ledger;
  if (chaincodes !== undefined) await createChaincodeHost({ ...ledger, chaincodes });
}

/** @throws `LEDGER.MISCONFIGURED` when the trust policy of the witnesses cannot be used */
async function checkPolicy({ witness: { policyFile } }: LedgerApiConfig): Promise<void> {
  if (policyFile === undefined) return;
  // Loaded only if it is configured, for a faster start.
  const { readPolicy } = await import('#signed-tree');
  readPolicy(policyFile);
}

function warnBeyondLoopback({ server: { host }, callers }: LedgerApiConfig, logger: Logger): void {
  if (isLoopback(host)) return;
  if (!callers.isOn) {
    logger.warn({ host }, `Listening on ${host} without authentication: every client can read and write.`);
  } else if (!callers.needsTls) {
    logger.warn({ host }, `Keys are accepted over http on ${host}: make sure that only your TLS proxy can reach it.`);
  }
}

/** Announces the addresses of the API in the log, and to a parent process by a message. */
function announce({ http, https, identity }: Opened, { callers, ledger }: LedgerApiConfig, logger: Logger): void {
  // Keys are accepted there.
  const origin = callers.isOn && callers.needsTls ? (https ?? http) : http;
  const urls = {
    explorer: `${origin}/`,
    http: `${http}/${API_PREFIX}`,
    ...(https === undefined ? {} : { https: `${https}/${API_PREFIX}` }),
    docs: `${origin}/docs`,
  };
  const names: Readonly<Record<string, string>> = { explorer: 'explorer ', docs: 'documentation ' };
  const places = Object.entries(urls).map(([name, url]) => `${names[name] ?? ''}${url}`);
  const certificate =
    identity && `certificate${identity.selfSigned ? ' (self-signed)' : ''} SHA-256 ${identity.fingerprint}`;
  logger.info(
    { ...urls, ...(identity && { fingerprint: identity.fingerprint }), driver: ledger.driver },
    `ledger-api is ready: ${[...places, certificate].filter(Boolean).join(', ')}`,
  );
  process.send?.({ type: 'ready', name: 'ledger-api', urls });
}
