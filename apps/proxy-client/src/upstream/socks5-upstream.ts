import type { ProxyStats } from '#metrics';
import { parseSocks5Target, Socks5Error, type Socks5SessionListener, type Socks5Target } from '#socks5-protocol';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority, type Target } from '../http/authority.js';
import type { RouteQuery } from '../rules/rule.js';
import { failureOfSocksError } from './failure-of-socks-error.js';
import { HandshakeMemory, type HandshakePlan } from './handshake-memory.js';
import { type CheckListener, UpstreamCheck } from './health-checks.js';
import {
  type CancelToken,
  type Cancellable,
  ConnectCancelled,
  type ConnectOutcome,
  failLater,
  type Upstream,
} from './upstream.js';
import type { UpstreamHealth } from './upstream-health.js';
import { type LinkedSession, UpstreamLink, type UpstreamLinkOptions } from './upstream-link.js';
import { WarmConnections } from './warm-connections.js';

/** The timeout of a probe: a server that loses bytes sent in one flight never answers it. */
const PROBE_MS = 2000;

export interface Socks5UpstreamOptions extends UpstreamLinkOptions {
  /** The server's health, which several upstreams with different credentials may share. */
  readonly health: UpstreamHealth;
  /** The server must accept the credentials, since they are more than a password. */
  readonly requiresCredentials?: boolean;
  readonly stats: ProxyStats;
}

/** A SOCKS5 server, with its learned state. */
export class Socks5Upstream implements Upstream {
  readonly name: string;
  readonly #key: string;
  readonly #context: AttemptContext;

  constructor(options: Socks5UpstreamOptions) {
    const { config, health, requiresCredentials, stats } = options;
    const { host, port, credentials } = config;
    this.name = health.name;
    this.#key = JSON.stringify([host, port, credentials?.username ?? null]);
    const link = new UpstreamLink(options);
    const memory = new HandshakeMemory(config.handshake, credentials, requiresCredentials);
    const warm = config.warm > 0 ? new WarmConnections(link, memory, config.warm) : undefined;
    this.#context = { upstream: this, health, link, memory, warm, stats };
    warm?.fill();
  }

  get health(): UpstreamHealth {
    return this.#context.health;
  }

  /** Whether handshakes go in one flight. */
  get oneFlight(): boolean {
    return this.#context.memory.oneFlight;
  }

  /** The number of warm connections that are ready. */
  get warm(): number {
    return this.#context.warm?.size ?? 0;
  }

  keyFor(): string {
    return this.#key;
  }

  begin({ target }: RouteQuery, outcome: ConnectOutcome, cancel?: CancelToken): void {
    if (cancel?.cancelled === true) {
      failLater(outcome, new ConnectCancelled());
      return;
    }
    try {
      const wireTarget = parseSocks5Target(target.host, target.port);
      new ConnectAttempt(this.#context, target, wireTarget, outcome, cancel).start();
    } catch (error) {
      failLater(outcome, error instanceof Socks5Error ? failureOfSocksError(error, false) : (error as Error));
    }
  }

  /** Creates a check of the server, and of a connection to `target` if there is one; the check is not started. */
  check(target: Target | undefined, listener: CheckListener): UpstreamCheck {
    return new UpstreamCheck(this.#context, target && parseSocks5Target(target.host, target.port), listener);
  }

  async close(): Promise<void> {
    this.#context.warm?.close();
    return Promise.resolve();
  }
}

/** What the attempts of one upstream share. */
interface AttemptContext {
  readonly upstream: Upstream;
  readonly health: UpstreamHealth;
  readonly link: UpstreamLink;
  readonly memory: HandshakeMemory;
  readonly warm: WarmConnections | undefined;
  readonly stats: ProxyStats;
}

/**
 * One client's attempt to connect: at most one connection at a time, and at most three in sequence: a warm one, one as
 * learned, and one step by step if what was learned may have caused the failure.
 */
class ConnectAttempt implements Socks5SessionListener, Cancellable {
  readonly #context: AttemptContext;
  readonly #target: Target;
  readonly #wireTarget: Socks5Target;
  readonly #outcome: ConnectOutcome;
  readonly #cancel: CancelToken | undefined;
  #link: LinkedSession | undefined;
  /** Undefined while a warm connection is used. */
  #plan: HandshakePlan | undefined;
  /** The plan and error of the connection that is being retried. */
  #retryOf: { readonly plan: HandshakePlan; readonly error: Socks5Error } | undefined;
  #isExpired = false;

  constructor(
    context: AttemptContext,
    target: Target,
    wireTarget: Socks5Target,
    outcome: ConnectOutcome,
    cancel: CancelToken | undefined,
  ) {
    this.#context = context;
    this.#target = target;
    this.#wireTarget = wireTarget;
    this.#outcome = outcome;
    this.#cancel = cancel;
  }

  start(): void {
    this.#cancel?.onCancel(this);
    this.#link = this.#context.warm?.take(this);
    if (this.#link === undefined) {
      this.#begin(this.#context.memory.plan());
    } else {
      this.authenticated();
      this.#link.request(this.#wireTarget);
    }
  }

  cancel(): void {
    this.#link?.cancel();
  }

  expire(): void {
    this.#isExpired = true;
    this.#link?.expire();
  }

  /** @internal */
  authenticated(): void {
    this.#context.health.markUp();
    this.#outcome.authenticated?.();
  }

  /** @internal */
  established(rest: Buffer): boolean {
    this.#cancel?.onCancel(undefined);
    const { upstream, memory, health, stats } = this.#context;
    const { source, method } = this.#link ?? {};
    if (source === undefined || method === undefined) {
      return false;
    }
    const { socket } = source;
    const { bytesRead, bytesWritten } = socket;
    source.meter = stats.trackUpstream(socket, { bytesRead: bytesRead - rest.length, bytesWritten });
    memory.succeeded(method, this.#plan);
    if (this.#retryOf !== undefined) memory.retrySucceeded(this.#retryOf.error);
    health.replied();
    health.count(true);
    const { reader } = source;
    if (rest.length > 0) source.putBack(rest);
    this.#outcome.connected(source, upstream);
    return source.reader !== reader;
  }

  /** @internal */
  failed(error: Socks5Error): void {
    const { memory, health } = this.#context;
    const next = this.#planRetry(error);
    if (next !== undefined) {
      this.#begin(next);
      return;
    }
    if (this.#retryOf !== undefined) memory.retryFailed(this.#retryOf.plan, this.#retryOf.error, error);
    this.#cancel?.onCancel(undefined);
    const failure = failureOfSocksError(error, memory.hasSucceeded);
    if (failure instanceof ProxyFailure) {
      health.count(false);
      health.requestFailed(error, failure.category, formatAuthority(this.#target));
    }
    this.#outcome.failed(failure);
  }

  /** Returns how to try again, if the failure may be due to the warm connection or to what was learned. */
  #planRetry(error: Socks5Error): HandshakePlan | undefined {
    const { memory } = this.#context;
    if (this.#plan === undefined) {
      // The server may have closed a warm connection because it was idle; nothing of the client was sent yet.
      return error.code === 'SOCKS5.CLOSED' ? memory.plan() : undefined;
    }
    const mayRetry = this.#retryOf === undefined && memory.failed(this.#plan, error);
    if (!mayRetry || this.#isExpired) return undefined;
    this.#retryOf = { plan: this.#plan, error };
    return memory.carefulPlan();
  }

  #begin(plan: HandshakePlan): void {
    const { link } = this.#context;
    const { handshake } = link.timeouts;
    const timeouts = plan.isProbe && { handshake: handshake === 0 ? PROBE_MS : Math.min(handshake, PROBE_MS) };
    this.#plan = plan;
    this.#link = link.begin({ plan, target: this.#wireTarget, listener: this, ...(timeouts && { timeouts }) });
  }
}
