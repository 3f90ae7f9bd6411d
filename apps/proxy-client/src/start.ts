import { closeSync, constants, openSync } from 'node:fs';
import type { Logger } from 'pino';
import { createProgramLog, flushLogOnExit, watchFileLimit, type ProgramLog } from '#logging';
import { isOpenToAll } from './config/listener-setting.js';
import type { LoadedConfig } from './config/load-config.js';
import type { ProxyClientConfig, UpstreamConfig } from './config/proxy-client-config.js';
import { formatAuthority } from './http/authority.js';
import { Proxy, type ProxyUrls } from './proxy.js';
import { Reloader } from './reload.js';

const ENDING = ['SIGTERM', 'SIGINT'] as const;

/** How a running proxy comes to another configuration. */
export interface ReloadOptions {
  /**
   * Reads the configuration anew, with the same options and environment, beside all else that goes on.
   *
   * @throws {@link ConfigError}
   */
  readonly load: () => Promise<LoadedConfig>;
  /** Whether to reload by itself when a file of it changes. */
  readonly watch: boolean;
}

/**
 * Starts the proxy and says where it is. It ends at SIGTERM and SIGINT, when its terminal was closed, and when the program
 * that started it with a channel for messages has gone; a second signal meanwhile changes nothing. SIGHUP reloads.
 *
 * @throws {@link ListenError} when an address cannot be had; nothing is left open then
 */
export async function startProxy(loaded: LoadedConfig, { load, watch }: ReloadOptions): Promise<void> {
  const { config, files } = loaded;
  const log = await createProgramLog('proxy-client', config.logLevel);
  flushLogOnExit(log);
  const { logger, destination } = log;
  watchFileLimit(logger);
  const proxy = new Proxy(config, { logger, log: destination });
  let told: string | undefined;
  const tellLink = (): void => {
    const link = proxy.dashboardLink;
    if (link === told) return;
    told = link;
    // A log may go elsewhere and stay; what stands on a terminal is for whoever sits there.
    if (link !== undefined && process.stderr.isTTY) process.stderr.write(`dashboard, with its token: ${link}\n`);
  };
  const started = Promise.withResolvers<unknown>();
  const reloader = new Reloader({
    load,
    started: started.promise,
    change: async (next) => {
      const urls = await proxy.reload(next.config);
      logger.level = next.config.logLevel;
      warnOfOpenListeners(next.config, logger);
      tellLink();
      return urls;
    },
    reopenLogs: async () => proxy.reopenLogs(),
    files,
    logger,
  });
  // Before the last lines of standard output are written, where these may go too.
  process.prependListener('exit', () => {
    proxy.flushNow();
  });
  const ignoreSignals = followSignals(proxy, reloader, log);
  try {
    announce(await proxy.listen(), loaded, logger);
    tellLink();
    started.resolve(undefined);
  } catch (error) {
    // Whoever waits for a message keeps the process alive.
    ignoreSignals();
    throw error;
  }
  if (watch) reloader.watch();
}

/** @returns undoes it */
function followSignals(proxy: Proxy, reloader: Reloader, { logger, destination }: ProgramLog): () => void {
  const hadTerminal = hasTerminal();
  // Windows sends the signal for that only.
  const isClosed = (): boolean => process.platform === 'win32' || (hadTerminal && !hasTerminal());
  let ending = false;
  const end = (reason: string): void => {
    if (ending) return;
    ending = true;
    logger.info({ reason }, 'ending: no new connections, tunnels and requests may finish');
    reloader.stop();
    void proxy
      .close()
      .then(() => destination.flush())
      .then(() => {
        process.exit(0);
      });
  };
  const onHangup = (): void => {
    if (ending) return;
    if (isClosed()) end('the terminal was closed');
    else void reloader.reload('SIGHUP');
  };
  const onDisconnect = (): void => {
    end('the launcher has gone');
  };
  for (const signal of ENDING) process.on(signal, end);
  process.on('SIGHUP', onHangup);
  process.on('disconnect', onDisconnect);
  return () => {
    for (const signal of ENDING) process.off(signal, end);
    process.off('SIGHUP', onHangup);
    process.off('disconnect', onDisconnect);
  };
}

/**
 * Whether a terminal belongs to this process: it is no more when the terminal was closed, and then SIGHUP has another meaning.
 */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
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

function warnOfOpenListeners({ listeners }: ProxyClientConfig, logger: Logger): void {
  for (const listener of listeners) {
    const { host } = listener;
    if (isOpenToAll(listener) && listener.open !== true) {
      logger.warn({ host }, 'not a loopback address: whoever reaches this listener can use it');
    }
  }
}
