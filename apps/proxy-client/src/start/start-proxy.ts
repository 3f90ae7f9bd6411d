import type { Logger } from 'pino';
import { Proxy } from '../app.setup.js';
import type { LoadedConfig } from '../config/load-config.js';
import { createLogger } from '../logging/create-logger.js';
import { announce } from './announce.js';

/**
 * Starts the proxy and says where it is. It ends at SIGTERM, SIGINT, and when the program that started it with a channel
 * for messages has gone; a second signal meanwhile changes nothing.
 *
 * @throws {@link ListenError} when an address cannot be had; nothing is left open then
 */
export async function startProxy({ config, file }: LoadedConfig): Promise<void> {
  const logger = await createLogger(config.logLevel, process.stdout.isTTY);
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'unexpected fault');
    process.exit(1);
  });
  const proxy = new Proxy(config, logger);
  const ignoreSignals = endWhenAsked(proxy, logger);
  try {
    announce(await proxy.listen(), { config, file, logger });
  } catch (error) {
    // Whoever waits for a message keeps the process alive.
    ignoreSignals();
    throw error;
  }
}

/** @returns undoes it */
function endWhenAsked(proxy: Proxy, logger: Logger): () => void {
  let ending = false;
  const end = (reason: string): void => {
    if (ending) return;
    ending = true;
    logger.info({ reason }, 'ending: no new connections, tunnels and requests may finish');
    void proxy.close().then(() => {
      process.exit(0);
    });
  };
  const onDisconnect = (): void => {
    end('the launcher has gone');
  };
  process.on('SIGTERM', end).on('SIGINT', end).on('disconnect', onDisconnect);
  return () => {
    process.off('SIGTERM', end).off('SIGINT', end).off('disconnect', onDisconnect);
  };
}
