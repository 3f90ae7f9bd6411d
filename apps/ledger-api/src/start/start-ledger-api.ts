import { keepLastLines, watchFileLimit } from '#logging';
import { createLedgerApi } from '../app.setup.js';
import type { LedgerApiConfig } from '../config/ledger-api.config.js';
import { announce } from './announce.js';
import { openListeners } from './open-listeners.js';
import { releaseStartupMemory } from './release-startup-memory.js';

/**
 * Starts the API: opens the ledger, listens on http and https, says where, and ends on SIGTERM, SIGINT and SIGHUP.
 * @throws when the ledger, the certificate or an address cannot be had; nothing is left open then
 */
export async function startLedgerApi(config: LedgerApiConfig): Promise<void> {
  const { app, listeners, log } = await createLedgerApi(config);
  const { logger } = log;
  keepLastLines(log);
  watchFileLimit(logger);
  // Ends with code 0; a second signal meanwhile changes nothing.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT', 'SIGHUP'], { useProcessExit: true });
  // A program that started it with a channel for messages, and has gone, can send no signal any more.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  try {
    const opened = await openListeners(listeners, config, logger);
    releaseStartupMemory();
    announce(opened, config, logger);
  } catch (error) {
    await app.close();
    throw error;
  }
}
