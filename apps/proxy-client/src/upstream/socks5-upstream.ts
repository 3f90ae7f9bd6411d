import type { ProxyStats } from '#metrics';
import { parseSocks5Target, Socks5Error, type Socks5Session, type Socks5Target } from '#socks5-protocol';
import type { Target } from '../http/authority.js';
import { ConnectAttempt, type AttemptContext } from './connect-attempt.js';
import { failureOfSocksError } from './failure-of-socks-error.js';
import { HandshakeMemory } from './handshake-memory.js';
import { type CancelToken, ConnectCancelled, type ConnectOutcome, type Upstream } from './upstream.js';
import { UpstreamCheck } from './upstream-check.js';
import type { UpstreamHealth } from './upstream-health.js';
import { UpstreamLink, type UpstreamLinkOptions } from './upstream-link.js';
import { WarmConnections } from './warm-connections.js';

/** How long a probe may take: a server that loses what comes in one flight never answers it. */
const PROBE_MS = 2000;

export interface Socks5UpstreamOptions extends UpstreamLinkOptions {
  /** The server's, which several upstreams with credentials of their own may share. */
  readonly health: UpstreamHealth;
  /** The server must take the credentials: they are more than a password. */
  readonly insists?: boolean;
  readonly stats: ProxyStats;
}

/** A SOCKS5 server, with what has been learned of it. */
export class Socks5Upstream implements Upstream {
  readonly name: string;
  readonly key: string;
  readonly #context: AttemptContext;
  #probing: Socks5Session | undefined;
  #closed = false;

  constructor({ config, health, insists = false, timeouts, stats, pool, lookup }: Socks5UpstreamOptions) {
    const { host, port, credentials } = config;
    this.name = health.name;
    this.key = JSON.stringify([host, port, credentials?.username ?? null]);
    const link = new UpstreamLink({ config, timeouts, pool, lookup });
    const memory = new HandshakeMemory(config.handshake, credentials, insists);
    const warm = config.warm > 0 ? new WarmConnections(link, memory, config.warm) : undefined;
    this.#context = {
      upstream: this,
      health,
      link,
      memory,
      warm,
      stats,
      onCarefulSuccess: (target) => {
        this.#probe(target);
      },
    };
    warm?.fill();
  }

  get health(): UpstreamHealth {
    return this.#context.health;
  }

  /** Whether the handshake goes in one flight by now. */
  get oneFlight(): boolean {
    return this.#context.memory.oneFlight;
  }

  /** How many connections are greeted ahead by now. */
  get warm(): number {
    return this.#context.warm?.size ?? 0;
  }

  begin(target: Target, outcome: ConnectOutcome, cancel?: CancelToken): void {
    if (cancel?.cancelled === true) {
      fail(outcome, new ConnectCancelled());
      return;
    }
    try {
      const wanted = parseSocks5Target(target.host, target.port);
      new ConnectAttempt(this.#context, wanted, outcome, cancel).start();
    } catch (error) {
      fail(outcome, error instanceof Socks5Error ? failureOfSocksError(error, false) : (error as Error));
    }
  }

  /** A check of the server, with a target of a connection to it; it is not begun. */
  check(target: Target | undefined, over: () => void): UpstreamCheck {
    return new UpstreamCheck(this.#context, target && parseSocks5Target(target.host, target.port), over);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#context.warm?.close();
    this.#probing?.cancel();
    return Promise.resolve();
  }

  /** Finds out, on a connection of its own that nobody counts, whether the upstream takes everything in one flight. */
  #probe(target: Socks5Target): void {
    const { link, memory } = this.#context;
    if (this.#closed || !memory.beginProbe()) {
      return;
    }
    const { offer } = memory.plan();
    const { session, source } = link.begin({
      plan: { offer, oneFlight: true },
      target,
      limits: { handshake: PROBE_MS },
      listener: {
        established: () => {
          this.#probing = undefined;
          memory.probed(true);
          source.socket.destroy();
          return false;
        },
        failed: () => {
          this.#probing = undefined;
          memory.probed(false);
        },
      },
    });
    this.#probing = session;
  }
}

/** Later: whoever begins has something to do first. */
function fail(outcome: ConnectOutcome, error: Error): void {
  queueMicrotask(() => {
    outcome.failed(error);
  });
}
