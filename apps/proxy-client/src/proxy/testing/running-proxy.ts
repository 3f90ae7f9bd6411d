import { connect, type Socket } from 'node:net';
import { ProxyStats } from '../../stats/proxy-stats.js';
import type { RequestEnd } from '../../activity/request-line.js';
import { Proxy } from '../proxy.js';
import { loadConfig } from '../../config/load-config.js';
import type { ListenerConfig, ProxyClientConfig, UpstreamConfig } from '../../config/proxy-client-config.js';
import type { ProxyLog } from '../../failure/failure-reporter.js';
import { SECTION_MEMORY, SectionMemory } from '../../http/section-memory.js';
import { PasswordChecks } from '../../users/password-checks.js';
import type { SweepWith, Swept } from '../../relay/sweeper.js';

/** How often a held time is looked at while it passes, in the mean. */
const LOOKS = 20;

/** What differs from the defaults. */
export interface ProxySettings {
  /** The embedded one, if none is named. */
  readonly upstream?: UpstreamConfig;
  /** One on a free port of 127.0.0.1 that speaks HTTP, but for what is named. */
  readonly listener?: Partial<ListenerConfig>;
  readonly timeouts?: Partial<ProxyClientConfig['timeouts']>;
  readonly limits?: Partial<ProxyClientConfig['limits']>;
  readonly pool?: Partial<ProxyClientConfig['pool']>;
  readonly via?: boolean;
  readonly logLevel?: 'debug' | 'info';
  readonly rules?: ProxyClientConfig['rules'];
  /** The budget for sections and held bytes. */
  readonly sectionMemory?: number;
  /**
   * Whether time passes for its limits only by {@link RunningProxy.pass}: on a busy machine no other limit than the one meant
   * ends then, however short it is. (Those of connecting, of handshakes and of draining have their own timers.)
   */
  readonly holdsTime?: boolean;
}

/** A line of the log: its fields, level and message. */
export interface LogLine extends Record<string, unknown> {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
}

/** The proxy in this process, on a free port, with an inspectable log. */
export class RunningProxy implements AsyncDisposable {
  readonly stats = new ProxyStats();
  readonly sections: SectionMemory;
  readonly passwordChecks = new PasswordChecks();
  readonly log: LogLine[] = [];
  /** The outcomes of the finished requests, in their order. */
  readonly ends: RequestEnd[] = [];
  readonly #proxy: Proxy;
  #swept: readonly Swept[] = [];
  #now = Math.ceil(performance.now());
  url = '';

  private constructor(settings: ProxySettings) {
    const { upstream = { kind: 'embedded' }, timeouts, limits, pool, via = false, logLevel = 'debug' } = settings;
    const environment = { PROXY_ADMIN_PORT: 'off' };
    const { config: defaults } = loadConfig({ options: {}, environment, directory: '/nowhere' });
    const config: ProxyClientConfig = {
      ...defaults,
      logLevel,
      listeners: [{ mode: 'http', host: '127.0.0.1', port: 0, allowedHosts: [], ...settings.listener }],
      upstreams: [{ name: 'upstream', ...upstream }],
      timeouts: { ...defaults.timeouts, drain: 1000, ...timeouts },
      limits: { ...defaults.limits, ...limits },
      pool: { ...defaults.pool, ...pool },
      via,
      rules: settings.rules ?? [],
    };
    const note =
      (level: LogLine['level']) =>
      (fields: object, message: string): void => {
        this.log.push({ level, ...fields, message });
      };
    const logger: ProxyLog = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
    const hold: SweepWith = (_limits, swept) => {
      this.#swept = swept;
      return () => undefined;
    };
    const requestLog = { ended: (_request: unknown, end: RequestEnd) => this.ends.push(end) };
    const sweepWith = settings.holdsTime ? hold : undefined;
    this.sections = new SectionMemory(settings.sectionMemory ?? SECTION_MEMORY);
    this.#proxy = new Proxy(config, {
      logger,
      requestLog,
      stats: this.stats,
      sweepWith,
      sections: this.sections,
      passwordChecks: this.passwordChecks,
    });
  }

  static async start(settings: ProxySettings = {}): Promise<RunningProxy> {
    const running = new RunningProxy(settings);
    await running.#proxy.listen();
    running.url = running.#proxy.url;
    return running;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** How many connections of clients are open. */
  get open(): number {
    return this.#proxy.open;
  }

  /** Requests that succeeded and failed so far. */
  get counted(): readonly [number, number] {
    const { successfulRequests, failedRequests } = this.stats.snapshot();
    return [successfulRequests, failedRequests];
  }

  /** Resolves when what had come in has been dealt with: further bytes on a connection that was open come later. */
  async idle(): Promise<void> {
    const { status } = await fetch(`${this.url}/stats`);
    if (status !== 200) throw new Error(`/stats answered ${status}`);
  }

  /** Lets so much time pass for the limits of a proxy that holds it, from what is the case at the beginning. */
  async pass(milliseconds: number): Promise<void> {
    for (let look = 0; look <= LOOKS; look += 1) {
      for (const each of this.#swept) each.sweep(this.#now + (milliseconds * look) / LOOKS);
      // Lets the events of the sweep happen.
      await new Promise(setImmediate);
    }
    this.#now += milliseconds;
  }

  /** A half-open connection to it. */
  connect(): Socket {
    return connect({ host: '127.0.0.1', port: this.port, allowHalfOpen: true });
  }

  /** Ends it as SIGTERM does. */
  async close(): Promise<void> {
    await this.#proxy.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proxy.abort();
    await this.#proxy.close();
  }
}
