import type { Logger } from 'pino';
import {
  createProgramLog,
  ENDING_SIGNALS,
  flushLogOnExit,
  ignoreOtherSignals,
  onHangup,
  watchFileLimit,
  type ProgramLog,
} from '#logging';
import { certificateWarning } from '../config/certificate-setting.js';
import { ConfigError } from '../config/config-faults.js';
import { isOpenToAll } from '../config/listener-setting.js';
import type { LoadedConfig } from '../config/load-config.js';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import { marksOf, type FileMarks } from '../config/references.js';
import type { SystemdSockets } from '../config/systemd-sockets.js';
import { describeUpstream } from '../config/upstream-setting.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { ListenError } from '../listener/listen-error.js';
import { ProxyProgram, type ProxyUrls } from '../proxy/proxy-program.js';
import { writeRule } from './write-rule.js';

const IGNORED = 'these environment variables are no variables of proxy-client, and have no effect';

/** How the program runs, in addition to its configuration. */
export interface StartOptions extends Pick<ReloaderOptions, 'load'> {
  /** Whether to reload when a file of the configuration changes. */
  readonly watch: boolean;
  /** The listening sockets that systemd has passed. */
  readonly systemd: SystemdSockets;
  /** Whether no person is there to answer requests that ask. */
  readonly unattended?: boolean | undefined;
}

/**
 * Starts the proxy and announces its addresses. It shuts down at a signal of {@link ENDING_SIGNALS}, when its terminal is closed, and when its IPC channel
 * is disconnected because the launcher has exited; further signals are ignored. SIGHUP reloads.
 *
 * @throws {@link ListenError} when it cannot listen; everything is closed then
 */
export async function startProxy(
  loaded: LoadedConfig,
  { load, watch, systemd, unattended }: StartOptions,
): Promise<void> {
  const { config, files, ignoredVariables: ignored } = loaded;
  const log = await createProgramLog('proxy-client', config.logLevel);
  flushLogOnExit(log);
  const { logger, destination } = log;
  watchFileLimit(logger);
  if (ignored.length > 0) logger.warn({ variables: ignored }, IGNORED);
  const proxy: ProxyProgram = new ProxyProgram(config, {
    ...{ logger, log: destination, systemd, unattended },
    writeRule: (target, rule) => {
      const problem = writeRule({ file: loaded.file, to: proxy.defaultUpstream, writable: [] }, target, rule);
      if (problem === undefined) void reloader.reload('a person has allowed a target for good');
      return problem;
    },
  });
  let shownLink: string | undefined;
  const showLink = (): void => {
    const link = proxy.dashboardLink;
    if (link === shownLink) return;
    shownLink = link;
    // The link contains the token, so it is written to a terminal only, never to the log.
    if (link !== undefined && process.stderr.isTTY) process.stderr.write(`dashboard, with its token: ${link}\n`);
  };
  const started = Promise.withResolvers<unknown>();
  const reloader: Reloader = new Reloader({
    load,
    started: started.promise,
    change: async (next) => {
      const urls = await proxy.reload(next.config);
      logger.level = next.config.logLevel;
      describeListeners(next.config, logger);
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
function followSignals(proxy: ProxyProgram, reloader: Reloader, { logger, destination }: ProgramLog): () => void {
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
  ignoreOtherSignals();
  const ignoreHangup = onHangup({
    reload: () => {
      if (!ending) void reloader.reload('SIGHUP');
    },
    close: () => {
      end('the terminal was closed');
    },
  });
  const onDisconnect = (): void => {
    end('the launcher has exited');
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, end);
  process.on('disconnect', onDisconnect);
  return () => {
    for (const signal of ENDING_SIGNALS) process.off(signal, end);
    ignoreHangup();
    process.off('disconnect', onDisconnect);
  };
}

/** Announces that the proxy is ready: by one log line at every log level, and by an IPC message to the launcher. */
function announce(urls: ProxyUrls, { config, file }: LoadedConfig, logger: Logger): void {
  describeListeners(config, logger);
  const [upstream] = config.upstreams;
  const through = upstream === undefined ? {} : { upstream: describeUpstream(upstream) };
  const { proxy, network, admin } = urls;
  const others = network === undefined ? '' : ` and, for other machines, ${network}`;
  const addresses = `proxy-client is ready on ${proxy}${others}${admin === undefined ? '' : `, admin on ${admin}`}`;
  logger
    .child({}, { level: 'info' })
    .info({ ...urls, ...through, ...(file !== undefined && { config: file }) }, addresses);
  process.send?.({ type: 'ready', name: 'proxy-client', urls });
}

/** Logs which listeners are open to everyone, and the certificates: browsers accept one by the hash of its public key. */
function describeListeners({ listeners }: ProxyClientConfig, logger: Logger): void {
  for (const listener of listeners) {
    const { host, tls, setBy } = listener;
    if (isOpenToAll(listener) && listener.open !== true) {
      logger.warn({ host }, 'not a loopback address: everyone who can reach this listener can use it');
    }
    if (tls === undefined) continue;
    const { spki, validUntil } = tls;
    const warning = certificateWarning(tls);
    const details = { listener: setBy, spki, validUntil };
    if (warning === undefined) logger.info(details, 'clients may use TLS on a listener');
    else logger.warn(details, `the certificate of a listener ${warning}`);
  }
}

const POLL_INTERVAL_MS = 1000;

export interface ReloaderOptions {
  /**
   * Loads the configuration with the options and environment of the start, without blocking the event loop.
   *
   * @throws {@link ConfigError}
   */
  readonly load: () => Promise<LoadedConfig>;
  /**
   * Applies a configuration, completely or not at all.
   *
   * @throws {@link ListenError}
   */
  readonly change: (loaded: LoadedConfig) => Promise<ProxyUrls>;
  /** Reopens log files, which may have been renamed; also called when a reload fails. */
  readonly reopenLogs: () => Promise<void>;
  /** The files of the present configuration, with their state before they were read. */
  readonly files: FileMarks;
  /** Resolves when the proxy has started; no reload begins before. */
  readonly started: Promise<unknown>;
  readonly logger: ProxyLog;
}

/** Reloads the configuration from its files, on request or when one of them changes. After an error the proxy keeps the present one. */
export class Reloader {
  readonly #options: ReloaderOptions;
  #files: FileMarks;
  #reloading: Promise<unknown>;
  /** The reload that has not begun. */
  #waiting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#files = options.files;
    this.#reloading = options.started;
  }

  /** Reloads after the start and after a reload in progress. Requests in the meantime share one reload. */
  async reload(reason: string): Promise<void> {
    this.#waiting ??= this.#reloading.then(async () => {
      this.#waiting = undefined;
      await this.#reload(reason);
    });
    this.#reloading = this.#waiting;
    await this.#waiting;
  }

  /**
   * Reloads whenever a file has changed. The files are polled, because editors replace files and Kubernetes replaces folders, which
   * a watch of the previous file or folder does not report.
   */
  watch(): void {
    this.#timer = setTimeout(() => {
      void this.#poll().then(() => {
        this.watch();
      });
    }, POLL_INTERVAL_MS).unref();
  }

  /** Stops; a configuration that is being loaded is not applied. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    const now = await marksOf(this.#files.keys());
    const changed = [...this.#files].find(([file, seen]) => now.get(file) !== seen);
    if (changed !== undefined) await this.reload(`${changed[0]} has changed`);
  }

  async #reload(reason: string): Promise<void> {
    const { load, change, reopenLogs, logger } = this.#options;
    try {
      const loaded = await load();
      if (this.#isStopped) return;
      this.#files = loaded.files;
      const urls = await change(loaded);
      logger.info({ reason, ...urls }, 'configuration reloaded');
    } catch (error) {
      if (!(error instanceof ConfigError) && !(error instanceof ListenError)) throw error;
      // Also if a file cannot be opened: the error lists the files to poll.
      if (error instanceof ConfigError && error.files.size > 0) this.#files = error.files;
      const faults = error.message.split('\n');
      logger.error({ reason, faults }, 'configuration not reloaded: the previous one stays in force');
      await reopenLogs();
    }
  }
}
