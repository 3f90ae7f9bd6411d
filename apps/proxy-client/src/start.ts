import { isIP } from 'node:net';
import type { Logger } from 'pino';
import { createProgramLog, keepLastLines, watchFileLimit, type ProgramLog } from '#logging';
import type { LoadedConfig } from './config/load-config.js';
import type { ProxyClientConfig, UpstreamConfig } from './config/proxy-client-config.js';
import { formatAuthority } from './http/authority.js';
import { Proxy, type ProxyUrls } from './proxy.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Starts the proxy and says where it is. It ends at SIGTERM, SIGINT, SIGHUP (its terminal was closed), and when the program
 * that started it with a channel for messages has gone; a second signal meanwhile changes nothing.
 *
 * @throws {@link ListenError} when an address cannot be had; nothing is left open then
 */
export async function startProxy(loaded: LoadedConfig): Promise<void> {
  const { config } = loaded;
  const log = await createProgramLog('proxy-client', config.logLevel);
  keepLastLines(log);
  const { logger, destination } = log;
  watchFileLimit(logger);
  const proxy = new Proxy(config, { logger, log: destination });
  const ignoreSignals = endWhenAsked(proxy, log);
  try {
    announce(await proxy.listen(), loaded, logger);
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

/**
 * Says that the proxy is ready: one line whatever the log level, and a message to the program that started this one, if
 * it listens for messages.
 */
function announce(urls: ProxyUrls, { config, file }: LoadedConfig, logger: Logger): void {
  warnOfOpenListeners(config, logger);
  const [upstream] = config.upstreams;
  const through = upstream === undefined ? {} : { upstream: describeUpstream(upstream) };
  const { proxy, network, admin } = urls;
  const others = network === undefined ? '' : ` and, for other machines, ${network}`;
  const places = `proxy-client is ready on ${proxy}${others}${admin === undefined ? '' : `, admin on ${admin}`}`;
  logger
    .child({}, { level: 'info' })
    .info({ ...urls, ...through, ...(file !== undefined && { config: file }) }, places);
  process.send?.({ type: 'ready', name: 'proxy-client', urls });
}

/** The upstream without its credentials. */
function describeUpstream(upstream: UpstreamConfig): string {
  switch (upstream.kind) {
    case 'socks5':
      return `socks5://${formatAuthority(upstream)}`;
    case 'embedded':
      return 'embedded';
    case 'group':
      return `${upstream.pick} of ${upstream.of.join(', ')}`;
  }
}

function warnOfOpenListeners({ listeners, admin }: ProxyClientConfig, logger: Logger): void {
  for (const { host } of listeners) {
    if (!isLoopback(host)) logger.warn({ host }, 'not a loopback address: whoever reaches this listener can use it');
  }
  if (admin !== undefined && !isLoopback(admin.host)) {
    logger.warn({ host: admin.host }, 'the admin listener is not on a loopback address: others may read it');
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
