import { closeSync, constants, openSync } from 'node:fs';
import type { Logger } from 'pino';
import { createProgramLog, flushLogOnExit, watchFileLimit, type ProgramLog } from '#logging';
import { isOpenToAll } from './config/listener-setting.js';
import type { LoadedConfig } from './config/load-config.js';
import type { ProxyClientConfig } from './config/proxy-client-config.js';
import { describeUpstream } from './config/upstream-setting.js';
import { Proxy, type ProxyUrls } from './proxy.js';
import { Reloader, type ReloaderOptions } from './reload.js';

const ENDING = ['SIGTERM', 'SIGINT'] as const;

/** How a running proxy is reconfigured. */
export interface ReloadOptions extends Pick<ReloaderOptions, 'load'> {
  /** Whether to reload when a file of the configuration changes. */
  readonly watch: boolean;
}

/**
 * Starts the proxy and announces its addresses. It shuts down on SIGTERM and SIGINT, when its terminal is closed, and when its IPC channel
 * is disconnected because the launcher has exited; further signals are ignored. SIGHUP reloads.
 *
 * @throws {@link ListenError} when it cannot listen; everything is closed then
 */
export async function startProxy(loaded: LoadedConfig, { load, watch }: ReloadOptions): Promise<void> {
  const { config, files } = loaded;
  const log = await createProgramLog('proxy-client', config.logLevel);
  flushLogOnExit(log);
  const { logger, destination } = log;
  watchFileLimit(logger);
  const proxy = new Proxy(config, { logger, log: destination });
  let shownLink: string | undefined;
  const showLink = (): void => {
    const link = proxy.dashboardLink;
    if (link === shownLink) return;
    shownLink = link;
    // The link contains the token, so it is written to a terminal only, never to the log.
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
      showLink();
      return urls;
    },
    reopenLogs: async () => proxy.reopenLogs(),
    files,
    logger,
  });
  // First: the request log may also go to standard output, which is flushed last.
  process.prependListener('exit', () => {
    proxy.flushNow();
  });
  const ignoreSignals = followSignals(proxy, reloader, log);
  try {
    announce(await proxy.listen(), loaded, logger);
    showLink();
    started.resolve(undefined);
  } catch (error) {
    // A listener for `disconnect` keeps the process alive.
    ignoreSignals();
    throw error;
  }
  if (watch) reloader.watch();
}

/** @returns a function that removes the handlers */
function followSignals(proxy: Proxy, reloader: Reloader, { logger, destination }: ProgramLog): () => void {
  const hadTerminal = hasTerminal();
  // Windows sends SIGHUP only when the terminal is closed.
  const isClosed = (): boolean => process.platform === 'win32' || (hadTerminal && !hasTerminal());
  let ending = false;
  const end = (reason: string): void => {
    if (ending) return;
    ending = true;
    logger.info({ reason }, 'shutting down: no new connections, tunnels and requests may finish');
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
    end('the launcher has exited');
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

/** Returns whether this process has a controlling terminal. After the terminal was closed, SIGHUP does not mean to reload. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}

/** Announces that the proxy is ready: by one log line at every log level, and by an IPC message to the launcher. */
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

function warnOfOpenListeners({ listeners }: ProxyClientConfig, logger: Logger): void {
  for (const listener of listeners) {
    const { host } = listener;
    if (isOpenToAll(listener) && listener.open !== true) {
      logger.warn({ host }, 'not a loopback address: everyone who can reach this listener can use it');
    }
  }
}
