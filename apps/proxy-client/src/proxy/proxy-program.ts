import { isatty } from 'node:tty';
import type { LogDestination } from '#logging';
import { RequestLog, type PreparedRequestLog } from '../activity/request-log.js';
import { TrafficHistory } from '../activity/traffic-history.js';
import type { Denial } from '../admin/api/gate.responses.js';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { SystemdSockets } from '../config/systemd-sockets.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { IdleCollection } from '../node-internals/idle-collection.js';
import { AdminAccess } from '../admin/admin-access.js';
import { AdminListener } from '../admin/admin-listener.js';
import { ProxyView } from '../admin/proxy-view.js';
import type { Asking } from './make-gate.js';
import { Proxy } from './proxy.js';
import type { AskParts } from '../routing/gate/asks.js';
import { notify } from '../routing/gate/notifier.js';
import { addressForOthers, urlOnThisMachine } from '../routing/rules/own-addresses.js';

const STDERR = 2;

/** The dependencies of the program's proxy. */
export interface ProgramParts {
  readonly logger: ProxyLog;
  /** The destination of the log: standard output. */
  readonly log: LogDestination;
  /** The listening sockets that systemd has passed. */
  readonly systemd?: SystemdSockets;
  /** Whether no person is there to answer; otherwise someone is who sees the dashboard, a notification or the terminal. */
  readonly unattended?: boolean | undefined;
  /** Writes a rule to the configuration; see {@link AskParts.writeRule}. */
  readonly writeRule?: AskParts['writeRule'];
}

/** The addresses of the proxy. */
export interface ProxyUrls {
  /** The first listener. */
  readonly proxy: string;
  /** For other machines, if the first listener is bound to every address. */
  readonly network?: string;
  readonly admin?: string;
}

/** The proxy of the program: with its request log and, on its own thread, the admin listener, which reads its state. */
export class ProxyProgram {
  readonly #parts: ProgramParts;
  readonly #proxy: Proxy;
  readonly #requestLog: RequestLog;
  readonly #history: TrafficHistory;
  readonly #idleCollection: IdleCollection;
  readonly #view: ProxyView;
  readonly #adminAccess: AdminAccess;
  #admin: AdminListener | undefined;
  #reloadedAt: Date | undefined;
  /** The readers of the event stream of the dashboard. */
  #readers = 0;
  /** Ends the notifications of questions. */
  readonly #closing = new AbortController();

  constructor(config: ProxyClientConfig, parts: ProgramParts) {
    const { logger, log, systemd } = parts;
    this.#parts = parts;
    this.#requestLog = new RequestLog({ stdout: log, logger });
    this.#proxy = new Proxy(config, { logger, requestLog: this.#requestLog, systemd, asking: this.#asking() });
    this.#history = new TrafficHistory(this.#proxy.stats);
    this.#idleCollection = new IdleCollection(this.#proxy.stats, logger);
    this.#view = new ProxyView({
      ...{ logger, log, proxy: this.#proxy, history: this.#history, requestLog: this.#requestLog },
      reloadedAt: () => this.#reloadedAt,
      watched: (readers) => {
        this.#readers = readers;
      },
    });
    this.#adminAccess = new AdminAccess(logger);
  }

  /**
   * Opens the listeners, which serve connections at once.
   *
   * @throws {@link ListenError}, or {@link ConfigError} if the request log cannot be written; everything is closed then
   */
  async listen(): Promise<ProxyUrls> {
    const { config } = this.#proxy;
    // First, so that its thread loads while the rest starts.
    const admin = this.#makeAdmin(config);
    try {
      this.#requestLog.use(await this.#requestLog.prepare(config.requestLog));
      await this.#proxy.listen();
      this.#history.start();
      this.#idleCollection.start();
      await admin?.listen();
      this.#useAdmin(admin);
      this.#adminAccess.apply(admin, config);
    } catch (error) {
      admin?.close();
      await this.close();
      throw error;
    }
    return this.#urls();
  }

  /**
   * Applies another configuration, completely or not at all; see {@link Proxy.use}.
   *
   * @throws {@link ListenError}, or {@link ConfigError} if the request log cannot be written; nothing has changed then
   */
  async reload(config: ProxyClientConfig): Promise<ProxyUrls> {
    const prepared = await this.#proxy.prepare(config);
    let admin = this.#admin;
    let requestLog: PreparedRequestLog | undefined;
    try {
      requestLog = await this.#requestLog.prepare(config.requestLog);
      if (admin?.isFor(config.admin) !== true) {
        admin = this.#makeAdmin(config);
        await admin?.listen();
      }
    } catch (error) {
      this.#proxy.discard(prepared);
      void requestLog?.file?.close();
      throw this.#proxy.explainListenError(error);
    }
    this.#proxy.use(prepared);
    this.#useAdmin(admin);
    this.#requestLog.use(requestLog);
    this.#adminAccess.apply(admin, config);
    this.#reloadedAt = new Date();
    return this.#urls();
  }

  /** The link to the dashboard with the generated token, if there is one. It must not be logged. */
  get dashboardLink(): string | undefined {
    const { admin } = this.#urls();
    const token = this.#adminAccess.generatedTokenOf(this.#proxy.config);
    return admin !== undefined && token !== undefined ? `${admin}/#t=${token}` : undefined;
  }

  /** The targets that the rules refused, the newest first. */
  get denials(): readonly Denial[] {
    return this.#view.denials().denials;
  }

  /** The name of the first upstream. */
  get defaultUpstream(): string {
    return this.#proxy.config.upstreams[0]?.name ?? '';
  }

  /** Reopens the file of the request log, which may have been renamed. */
  async reopenLogs(): Promise<void> {
    await this.#requestLog.reopen();
  }

  /** Writes the rest of the request log synchronously, before the program exits. */
  flushNow(): void {
    this.#requestLog.flushNow();
  }

  /** Lets tunnels and requests finish for up to `timeouts.drain`, then closes everything. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#admin?.drain(), this.#proxy.close()]);
    this.#history.stop();
    this.#idleCollection.stop();
    // First: another program may get the port as soon as it is free.
    this.#adminAccess.removeTemporaryFiles();
    this.#admin?.close();
    await this.#requestLog.close();
  }

  /** Protects the admin listener from requests through the proxy, and closes the previous one. */
  #useAdmin(admin: AdminListener | undefined): void {
    const previous = this.#admin;
    this.#admin = admin;
    const bound = admin?.bound;
    this.#proxy.setOtherAddresses(bound === undefined ? [] : [bound]);
    if (admin !== previous) previous?.close();
  }

  #makeAdmin(config: ProxyClientConfig): AdminListener | undefined {
    const { admin } = config;
    const access = this.#adminAccess.rulesOf(config);
    return admin && new AdminListener({ admin, access, view: this.#view, logger: this.#parts.logger });
  }

  #urls(): ProxyUrls {
    const { url: proxy, endpoints } = this.#proxy;
    const bound = endpoints[0]?.[0]?.bound;
    const network = bound && addressForOthers(bound.address);
    const scheme = proxy.startsWith('https:') ? 'https' : 'http';
    const admin = this.#admin?.bound;
    return {
      proxy,
      ...(bound && network !== undefined && { network: urlOnThisMachine(network, bound.port, scheme) }),
      ...(admin !== undefined && { admin: urlOnThisMachine(admin.address, admin.port) }),
    };
  }

  #asking(): Asking {
    const { unattended = false, writeRule, logger } = this.#parts;
    return {
      writeRule,
      isAttended: () => {
        const isNotified = this.#proxy.config.ask.notify !== undefined;
        return !unattended && (this.#readers > 0 || isNotified || isatty(STDERR));
      },
      asked: (question, answer) => {
        const { notify: config, timeout } = this.#proxy.config.ask;
        if (config === undefined) return;
        const by = config.url === undefined ? 'gate.ask.notify.command' : 'gate.ask.notify.url';
        notify(config, question, AbortSignal.any([AbortSignal.timeout(timeout), this.#closing.signal]))
          .then((text) => {
            const problem = text === undefined ? undefined : answer(JSON.parse(text) as Record<string, unknown>, by);
            if (problem !== undefined) throw new Error(problem);
          })
          .catch((err: unknown) => {
            if (!this.#closing.signal.aborted) logger.warn({ err, ask: question.id }, `${by} has failed`);
          });
      },
    };
  }
}
