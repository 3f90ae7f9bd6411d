import type { FinishedRequests } from '../activity/proxy-services.js';
import { requestFields } from '../activity/request-line.js';
import { ConfigError } from '../config/config-faults.js';
import { readConfigObject } from '../config/config-object.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { Proxy } from '../proxy/proxy.js';
import { checkHooks } from './check-hooks.js';
import { askForUpstreams } from './choose-upstream.js';
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
  const { chooseUpstream, onEnd, logger = SILENT } = hooks;
  const proxy: Proxy = new Proxy(read, {
    logger,
    requestLog: onEnd === undefined ? IGNORED : reportTo(onEnd, logger),
    chooseRoute: chooseUpstream && askForUpstreams(chooseUpstream, () => proxy.upstreams),
  });
  await proxy.listen();
  return new LibraryProxy(proxy);
}

/**
 * Starts a local HTTP proxy without a password that uses an upstream with one, for programs that cannot authenticate there.
 *
 * @param upstream - such as `socks5://user:password@host:1080`
 * @throws an error with the code `PROXY.CONFIG`, which does not contain the password
 */
export async function anonymize(upstream: Upstream): Promise<RunningProxy> {
  // The default of `upstream` would not be what the caller meant.
  if ((upstream as unknown) === undefined)
    throw new ConfigError([{ source: 'anonymize', problem: 'is missing: upstream' }]);
  return createProxy({ upstream });
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
    if (!drain) this.#proxy.cut();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const SILENT: ProxyLog = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const IGNORED: FinishedRequests = { ended: ignore };

function ignore(): void {
  // The caller has not asked for it.
}

function reportTo(onEnd: NonNullable<ProxyHooks['onEnd']>, logger: ProxyLog): FinishedRequests {
  return {
    ended(request, end) {
      try {
        onEnd(requestFields(request, end, false));
      } catch (err) {
        // It is called while the proxy changes the state of a connection.
        logger.error({ err }, 'the callback onEnd has failed');
      }
    },
  };
}
