import { createProgramLog, keepLastLines, watchFileLimit, type ProgramLog } from '#logging';
import { Proxy } from '../app.setup.js';
import type { LoadedConfig } from '../config/load-config.js';
import { announce } from './announce.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Starts the proxy and says where it is. It ends at SIGTERM, SIGINT, SIGHUP (its terminal was
 * closed), and when the program that started it with a channel
 * for messages has gone; a second signal meanwhile changes nothing.
 *
 * @throws {@link ListenError} when an address cannot be had; nothing is left open then
 */
export async function startProxy({ config, file }: LoadedConfig): Promise<void> {
  const log = await createProgramLog('proxy-client', config.logLevel);
  keepLastLines(log);
  const { logger, destination } = log;
  watchFileLimit(logger);
  const proxy = new Proxy(config, { logger, log: destination });
  const ignoreSignals = endWhenAsked(proxy, log);
  try {
    announce(await proxy.listen(), { config, file, logger });
  } catch (error) {
    // Whoever waits for a message keeps the process alive.
    ignoreSignals();
    throw error;
  }
}

/** @returns undoes it */
function endWhenAsked(proxy: Proxy, { logger, destination }: ProgramLog): () => void {
  let ending = false;
  const end = (reason: string): void => {
    if (ending) return;
    ending = true;
    logger.info({ reason }, 'ending: no new connections, tunnels and requests may finish');
    void proxy
      .close()
      .then(() => destination.flush())
      .then(() => {
        process.exit(0);
      });
  };
  const onDisconnect = (): void => {
    end('the launcher has gone');
  };
  for (const signal of SIGNALS) process.on(signal, end);
  process.on('disconnect', onDisconnect);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
    process.off('disconnect', onDisconnect);
  };
}
