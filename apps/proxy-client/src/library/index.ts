import type { FinishedRequests } from '../activity/proxy-services.js';
import { requestFields } from '../activity/request-line.js';
import { ConfigError } from '../config/config-faults.js';
import { readConfigObject } from '../config/config-object.js';
import { type ProxyLog, SILENT } from '../failure/failure-reporter.js';
import type { Asking } from '../proxy/make-gate.js';
import { Proxy } from '../proxy/proxy.js';
import { checkHooks } from './check-hooks.js';
import { askForUpstreams, withoutObject } from './choose-upstream.js';
import type { ProxyConfig, ProxyHooks, ProxyStatistics, RunningProxy, Upstream } from './types.js';

export type * from './types.js';

/** What faults in a configuration name instead of a file. */
const SOURCE = 'createProxy';

/**
 * Starts a proxy in this process. Several proxies are independent of one another. The proxy uses nothing of the process: no signals, no
 * exit, no environment, no output.
 *
 * @param config - the keys of the configuration file; text is literal, and the default of `listen.port` is any free port
 * @throws an error with the code `PROXY.CONFIG` and a line for each fault, or `PROXY.LISTEN`; it contains no secrets
 */
export async function createProxy(config: ProxyConfig, hooks: ProxyHooks = {}): Promise<RunningProxy> {
  checkHooks(hooks, SOURCE);
  const read = await readConfigObject(config, SOURCE);
  const { chooseUpstream, onAsk, onEnd } = hooks;
  const logger = contained(hooks.logger ?? SILENT);
  const proxy: Proxy = new Proxy(read, {
    logger,
    requestLog: onEnd === undefined ? IGNORED : reportTo(onEnd, logger),
    asking: onAsk && askCaller(onAsk, logger),
    chooseRoute: chooseUpstream && askForUpstreams(chooseUpstream, () => proxy.upstreams),
  });
  await proxy.listen();
  return new LibraryProxy(proxy);
}

/**
 * Starts a local HTTP proxy without a password that uses an upstream with one, for programs that cannot authenticate there.
 *
 * @param upstream - such as `socks5://user:password@host:1080`; also as a URL object
 * @throws an error with the code `PROXY.CONFIG`, which does not contain the password
 */
export async function anonymize(upstream: Upstream | URL): Promise<RunningProxy> {
  // The default of `upstream` would not be what the caller meant.
  if ((upstream as unknown) === undefined)
    throw new ConfigError([{ source: 'anonymize', problem: 'is missing: upstream' }]);
  return createProxy({ upstream: withoutObject(upstream) });
}

class LibraryProxy implements RunningProxy {
  readonly #proxy: Proxy;
  /** Reloads happen one after the other. */
  #reloading: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(proxy: Proxy) {
    this.#proxy = proxy;
  }

  get url(): string {
    const { url, config } = this.#proxy;
    return config.listeners[0]?.mode === 'socks5' ? url.replace('http:', 'socks5:') : url;
  }

  stats(): ProxyStatistics {
    return this.#proxy.monitoring.stats();
  }

  async reload(config: ProxyConfig): Promise<void> {
    const reload = this.#reloading.then(async () => {
      const read = await readConfigObject(config, SOURCE);
      if (this.#isClosed) throw new TypeError('The proxy is closed.');
      this.#proxy.use(await this.#proxy.prepare(read));
    });
    this.#reloading = reload.catch(() => undefined);
    await reload;
  }

  async close({ drain = false }: { readonly drain?: boolean } = {}): Promise<void> {
    this.#isClosed = true;
    await this.#reloading;
    const closed = this.#proxy.close();
    if (!drain) this.#proxy.abort();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const IGNORED: FinishedRequests = { ended: ignore };

function ignore(): void {
  // The caller has not asked for it.
}

/** The name of the callback, for the log. */
const ON_ASK = 'onAsk';

/** Returns what asks the callback whether a target is allowed. */
function askCaller(onAsk: NonNullable<ProxyHooks['onAsk']>, logger: ProxyLog): Asking {
  return {
    isAttended: () => true,
    asked: ({ target, client, user, rule }, answer) => {
      const question = { target, client: client ?? undefined, user: user ?? undefined, rule: rule ?? undefined };
      const asked = async (): Promise<void> => {
        const given = await onAsk(question);
        if (given === undefined) return;
        const problem = answer(typeof given === 'string' ? { answer: given } : { ...given }, ON_ASK);
        if (problem !== undefined) throw new TypeError(problem);
      };
      asked().catch((err: unknown) => {
        logger.error({ err, target }, 'the callback onAsk has failed');
      });
    },
  };
}

function reportTo(onEnd: NonNullable<ProxyHooks['onEnd']>, logger: ProxyLog): FinishedRequests {
  return {
    ended(request, end) {
      // It is called while the proxy changes the state of a connection.
      callContained(onEnd.bind(undefined, requestFields(request, end, false)), (err) => {
        logger.error({ err }, 'the callback onEnd has failed');
      });
    },
  };
}

/** Calls a function of the caller, which may be asynchronous. What it throws must not end the program that embeds the proxy. */
function callContained(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = call();
    if (typeof result === 'object' && result !== null) Promise.resolve(result).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Returns a logger whose errors are dropped: they cannot be reported anywhere else. */
function contained(logger: ProxyLog): ProxyLog {
  const method =
    (level: keyof ProxyLog) =>
    (fields: object, message: string): void => {
      // A method of the caller may be asynchronous, whatever its type says.
      callContained(logger[level].bind(logger, fields, message), ignore);
    };
  return { debug: method('debug'), info: method('info'), warn: method('warn'), error: method('error') };
}
