import { createHmac, randomBytes } from 'node:crypto';
import type { ProxyStats } from '../stats/proxy-stats.js';
import {
  contain,
  type DefectOwner,
  parseSocks5Target,
  startTimer,
  type Socks5Credentials,
  Socks5Error,
  type Socks5SessionListener,
  type Socks5Target,
} from '#socks5-protocol';
import type { Socks5UpstreamConfig } from '../config/proxy-client-config.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority } from '../http/authority.js';
import { failureOfSocksError } from './failure-of-socks-error.js';
import { HandshakeMemory, type HandshakePlan } from './handshake-memory.js';
import { type CheckedServer, type CheckOptions, checkServer } from './health-checks.js';
import { carrierKey, type LinkedServer, meterUpstream, PathError } from './server-path.js';
import type { Attempt, ConnectOutcome, ConnectQuery, Upstream } from './upstream.js';
import type { UpstreamHealth } from './upstream-health.js';
import { UpstreamLink } from './upstream-link.js';

/** The timeout of a probe: a server that loses bytes sent in one flight never answers it. */
const PROBE_MS = 2000;
let instances = 0;

/** The user name of clients that are not authenticated. */
const ANONYMOUS = '';

export interface Socks5UpstreamOptions extends LinkedServer {
  readonly config: Socks5UpstreamConfig;
  readonly health: UpstreamHealth;
  readonly stats: ProxyStats;
}

type SocksServer = LinkedServer & Pick<Socks5UpstreamOptions, 'config'>;

/** The use of a SOCKS5 server with one pair of credentials, and what was learned with them. */
interface Account extends CheckedServer {
  readonly upstream: Upstream;
  /** The server's part of the pool key. */
  readonly key: string;
  readonly warm: WarmConnections | undefined;
  readonly stats: ProxyStats;
}

/**
 * A SOCKS5 server, with its learned state.
 *
 * With `isolate: user` the server receives different credentials for each user, derived from the user's name and a secret of
 * the process: Tor uses separate circuits for them (its IsolateSOCKSAuth), and learns neither the names nor which user came
 * back after a restart. Connections, pooled and warm ones too, and learned state are not shared between users.
 */
export class Socks5Upstream implements Upstream {
  readonly name: string;
  readonly health: UpstreamHealth;
  readonly #options: Socks5UpstreamOptions;
  readonly #secret = randomBytes(32);
  /** Part of the pool key: servers with other settings, such as another password, do not share connections. */
  readonly #number: number;
  /** One for each user if users are isolated from one another, otherwise one for all. */
  readonly #accounts = new Map<string, Account>();

  constructor(options: Socks5UpstreamOptions) {
    instances += 1;
    this.#number = instances;
    this.name = options.health.name;
    this.health = options.health;
    this.#options = options;
    if (options.config.isolate === undefined) this.#accountOf(ANONYMOUS);
  }

  /** Whether handshakes go in one flight. */
  get oneFlight(): boolean {
    return this.#accountOf(ANONYMOUS).memory.oneFlight;
  }

  /** The number of warm connections that are ready. */
  get warm(): number {
    return this.#accountOf(ANONYMOUS).warm?.size ?? 0;
  }

  /** The previous hop. */
  get carrier(): Upstream | undefined {
    return this.#options.carrier;
  }

  get isDown(): boolean {
    return this.health.state === 'down' || this.#options.carrier?.isDown === true;
  }

  keyFor({ client }: ConnectQuery, origin: string): string {
    return `${this.#accountOf(client.user).key}${carrierKey(this.#options, client)} ${origin}`;
  }

  begin(query: ConnectQuery, outcome: ConnectOutcome): Attempt {
    return new ConnectAttempt(this.#accountOf(query.client.user), query, outcome);
  }

  /**
   * Checks the server, with the credentials of clients that are not authenticated; see {@link checkServer}.
   *
   * @returns the milliseconds until the server has accepted the authentication
   * @throws {@link Socks5Error}
   */
  async check(options: CheckOptions): Promise<number> {
    return checkServer(this.#accountOf(ANONYMOUS), options);
  }

  /** Closes the warm connections. */
  close(): void {
    for (const { warm } of this.#accounts.values()) warm?.close();
  }

  #accountOf(user = ANONYMOUS): Account {
    const { config, health, stats } = this.#options;
    const isIsolated = config.isolate !== undefined;
    const name = isIsolated ? user : ANONYMOUS;
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const credentials = isIsolated ? this.#credentialsOf(user) : config.credentials;
    const server = { ...this.#options, config: { ...config, ...(credentials && { credentials }) } };
    const memory = new HandshakeMemory(config.handshake, credentials, isIsolated);
    const key = JSON.stringify([this.#number, credentials?.username ?? null]);
    const warm = config.warm > 0 ? new WarmConnections(server, memory) : undefined;
    const account = { upstream: this, key, server, memory, health, stats, warm };
    this.#accounts.set(name, account);
    return account;
  }

  #credentialsOf(user: string): Socks5Credentials {
    const digest = (purpose: string): string =>
      createHmac('sha256', this.#secret)
        .update(JSON.stringify([purpose, user]))
        .digest('base64url');
    return { username: digest('username'), password: digest('password') };
  }
}

/**
 * One client's attempt to connect: at most one connection at a time, and at most three in sequence: a warm one, one as
 * learned, and one step by step if what was learned may have caused the failure.
 */
class ConnectAttempt implements Socks5SessionListener, Attempt, DefectOwner {
  readonly #context: Account;
  readonly #query: ConnectQuery;
  readonly #outcome: ConnectOutcome;
  #wireTarget: Socks5Target | undefined;
  #link: UpstreamLink | undefined;
  /** Undefined while a warm connection is used. */
  #plan: HandshakePlan | undefined;
  /** The plan and error of the connection that is being retried. */
  #retryOf: { readonly plan: HandshakePlan; readonly error: Socks5Error } | undefined;
  #isCancelled = false;
  #isExpired = false;

  /** Starts to connect. */
  constructor(context: Account, query: ConnectQuery, outcome: ConnectOutcome) {
    const { target } = query;
    this.#context = context;
    this.#query = query;
    this.#outcome = outcome;
    try {
      this.#wireTarget = parseSocks5Target(target.host, target.port);
    } catch (error) {
      if (!(error instanceof Socks5Error)) throw error;
      queueMicrotask(() => {
        if (!this.#isCancelled) outcome.failed(failureOfSocksError(error, false), context.upstream);
      });
      return;
    }
    this.#link = context.warm?.take(this);
    if (this.#link === undefined) this.#begin(context.memory.plan());
    else {
      this.authenticated();
      this.#link.request(this.#wireTarget);
    }
  }

  abort(): void {
    this.#isCancelled = true;
    this.#link?.abort();
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
    const { upstream, memory, health, stats } = this.#context;
    const { source, method } = this.#link ?? {};
    if (source === undefined || method === undefined) return false;
    if (rest.length > 0) source.putBack(rest);
    if (this.#query.isHop !== true) meterUpstream(stats, source);
    memory.succeeded(method, this.#plan);
    if (this.#retryOf !== undefined) memory.retrySucceeded(this.#retryOf.error);
    health.replied();
    health.count(true);
    const { reader } = source;
    this.#outcome.connected(source, upstream);
    return source.reader !== reader;
  }

  /** @internal */
  failed(error: Socks5Error): void {
    contain(this, () => {
      this.#linkFailed(error);
    });
  }

  onDefect(error: unknown): void {
    this.#outcome.failed(new ProxyFailure('internal', {}, error), this.#context.upstream);
  }

  #linkFailed(error: Socks5Error): void {
    const { upstream, memory, health, server } = this.#context;
    const next = this.#planRetry(error);
    if (next !== undefined) {
      this.#begin(next);
      return;
    }
    if (this.#retryOf !== undefined) memory.retryFailed(this.#retryOf.plan, this.#retryOf.error, error);
    if (error.code === 'SOCKS5.ABORTED') return;
    const failure = failureOfSocksError(error, memory.hasSucceeded);
    health.count(false);
    const through = error.cause instanceof PathError ? error.cause.carried?.upstream : undefined;
    if (through !== undefined) {
      this.#outcome.failed(failure, through);
      return;
    }
    health.requestFailed(failure, formatAuthority(this.#query.target));
    const isChained = server.carrier !== undefined || this.#query.isHop === true;
    this.#outcome.failed(isChained ? failure.atHop(upstream.name) : failure, upstream);
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
    const { server } = this.#context;
    const { handshake } = server.timeouts;
    const timeouts = plan.isProbe && { handshake: handshake === 0 ? PROBE_MS : Math.min(handshake, PROBE_MS) };
    this.#plan = plan;
    const { client } = this.#query;
    this.#link = new UpstreamLink(server, { plan, client, target: this.#wireTarget, listener: this, timeouts });
  }
}

/** The pause after a failure, which doubles with each further one. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** A connection that is authenticated ahead; its events go to the request that takes it. */
class WarmConnection implements Socks5SessionListener {
  /** The request that has taken it. */
  request: Socks5SessionListener | undefined;
  readonly link: UpstreamLink;
  readonly #owner: WarmConnections;

  constructor(owner: WarmConnections, server: SocksServer, memory: HandshakeMemory) {
    this.#owner = owner;
    this.link = new UpstreamLink(server, { plan: memory.carefulPlan(), client: {}, listener: this });
  }

  ready(): void {
    this.#owner.ready(this);
  }

  established(rest: Buffer): boolean | undefined {
    return this.request?.established(rest);
  }

  failed(error: Socks5Error): void {
    if (this.request === undefined) this.#owner.onClosed(this, error);
    else this.request.failed(error);
  }
}

/**
 * Connections to the upstream that are opened and authenticated ahead, so that a tunnel waits only for its own request. A
 * connection that the server closes while it is idle (every server does at some time) is replaced.
 */
class WarmConnections implements DefectOwner {
  readonly #server: SocksServer;
  readonly #memory: HandshakeMemory;
  #ready: WarmConnection[] = [];
  readonly #opening = new Set<WarmConnection>();
  #pause = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Opens the connections. */
  constructor(server: SocksServer, memory: HandshakeMemory) {
    this.#server = server;
    this.#memory = memory;
    this.#fill();
  }

  /** The number of connections that are ready. */
  get size(): number {
    return this.#ready.length;
  }

  /** Takes the latest connection for a request, which receives its events; returns undefined if none is ready. */
  take(request: Socks5SessionListener): UpstreamLink | undefined {
    const warm = this.#ready.pop();
    if (warm === undefined) return undefined;
    warm.request = request;
    this.#fill();
    return warm.link;
  }

  /** Closes all of them. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { link } of [...this.#ready, ...this.#opening]) link.abort();
  }

  /** @internal */
  ready(warm: WarmConnection): void {
    this.#pause = 0;
    this.#opening.delete(warm);
    this.#ready.push(warm);
    const { method, source } = warm.link;
    // It waits for its request outside of all sweeps.
    source?.trim();
    if (method !== undefined) this.#memory.succeeded(method);
  }

  /** @internal */
  onClosed(warm: WarmConnection, error: Socks5Error): void {
    if (error.code === 'SOCKS5.DEFECT') this.#server.reportDefect(error.cause);
    this.#ready = this.#ready.filter((each) => each !== warm);
    this.#opening.delete(warm);
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#pause = Math.min(Math.max(2 * this.#pause, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    this.#timer = startTimer(this, this.#pause, () => {
      this.#timer = undefined;
      this.#fill();
    });
  }

  onDefect(error: unknown): void {
    this.#server.reportDefect(error);
  }

  /** Opens the missing connections. */
  #fill(): void {
    while (!this.#isClosed && this.#timer === undefined && this.size + this.#opening.size < this.#server.config.warm) {
      this.#opening.add(new WarmConnection(this, this.#server, this.#memory));
    }
  }
}
