import type { UpstreamTest } from '../admin/api/upstreams.responses.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { DirectUpstream } from './direct-upstream.js';
import { CheckError } from './health-checks.js';
import type { HttpUpstream } from './http-upstream.js';
import type { Socks5Upstream } from './socks5-upstream.js';
import type { UpstreamHealth } from './upstream-health.js';

/** How long the state of a server is accepted as current by {@link UpstreamTests.areReady}. */
const FRESH_MS = 1000;

/** An upstream with its state. */
interface TestedServer {
  readonly health: UpstreamHealth;
  readonly upstream: Socks5Upstream | HttpUpstream | DirectUpstream;
}

/** Tests of upstreams on request: by a person, or to find out whether the proxy is ready. They count as health checks. */
export class UpstreamTests {
  readonly #servers: ReadonlyMap<string, TestedServer>;
  #checkingAll: Promise<unknown> | undefined;
  /** The tests in progress, by the names of their upstreams. */
  readonly #running = new Map<string, Promise<UpstreamTest>>();

  /** @param servers - by their names */
  constructor(servers: ReadonlyMap<string, TestedServer>) {
    this.#servers = servers;
  }

  /** Measures the latency of an upstream; requests during a test share its result. */
  async test(name: string): Promise<UpstreamTest> {
    const running = this.#running.get(name) ?? this.#test(name).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  /**
   * Returns whether a server is up. The servers are checked unless one was found up a short time ago, so that the answer is
   * also correct for an idle proxy.
   */
  async areReady(): Promise<boolean> {
    if (!this.#isOneUp(true)) {
      this.#checkingAll ??= this.#checkAll().finally(() => {
        this.#checkingAll = undefined;
      });
      await this.#checkingAll;
    }
    return this.#isOneUp(false);
  }

  #isOneUp(mustBeFresh: boolean): boolean {
    return [...this.#servers.values()].some(({ health, upstream }) => {
      const isFresh = upstream instanceof DirectUpstream || health.age < FRESH_MS;
      return health.state === 'up' && (isFresh || !mustBeFresh);
    });
  }

  async #test(name: string): Promise<UpstreamTest> {
    const upstream = this.#servers.get(name)?.upstream;
    const test = { upstream: name, ms: null, category: null, hint: null };
    if (upstream === undefined || upstream instanceof DirectUpstream) return { ...test, result: 'skipped' };
    try {
      const milliseconds = await upstream.check({});
      return { ...test, result: 'ok', ms: Math.round(milliseconds * 10) / 10 };
    } catch (error) {
      if (!(error instanceof CheckError)) throw error;
      const { failure, upstream: failed } = error;
      const hop = failed === upstream ? '' : ` (hop ${failed.name})`;
      const { category, text } = failure ?? new ProxyFailure('internal');
      return { ...test, result: 'failed', category, hint: `${text}${hop}` };
    }
  }

  /** Checks all servers, until one is found up. */
  async #checkAll(): Promise<void> {
    const checks = [...this.#servers.values()].map(async ({ upstream }) =>
      upstream instanceof DirectUpstream ? undefined : upstream.check({}),
    );
    await Promise.any(checks).catch(() => undefined);
  }
}
