import type { ProxyStats } from '#metrics';
import type { Socks5Error, Socks5SessionListener, Socks5Target } from '#socks5-protocol';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { failureOfSocksError } from './failure-of-socks-error.js';
import type { HandshakeMemory, HandshakePlan } from './handshake-memory.js';
import type { CancelToken, Cancellable, ConnectOutcome, Upstream } from './upstream.js';
import type { UpstreamHealth } from './upstream-health.js';
import type { LinkedSession, UpstreamLink } from './upstream-link.js';
import type { WarmConnections } from './warm-connections.js';

/** What the attempts of one upstream share. */
export interface AttemptContext {
  readonly upstream: Upstream;
  readonly health: UpstreamHealth;
  readonly link: UpstreamLink;
  readonly memory: HandshakeMemory;
  readonly warm: WarmConnections | undefined;
  readonly stats: ProxyStats;
  /** A tunnel to this target was opened step by step. */
  readonly onCarefulSuccess: (target: Socks5Target) => void;
}

/**
 * One client's wish for a connection: at most one connection at a time, at most three in turn: one greeted ahead, one as
 * learned, and a careful one when what was learned may be to blame.
 */
export class ConnectAttempt implements Socks5SessionListener, Cancellable {
  readonly #context: AttemptContext;
  readonly #target: Socks5Target;
  readonly #outcome: ConnectOutcome;
  readonly #cancel: CancelToken | undefined;
  #linked: LinkedSession | undefined;
  /** Undefined while a connection that was greeted ahead is tried. */
  #plan: HandshakePlan | undefined;
  #retryOf: Socks5Error | undefined;

  constructor(context: AttemptContext, target: Socks5Target, outcome: ConnectOutcome, cancel: CancelToken | undefined) {
    this.#context = context;
    this.#target = target;
    this.#outcome = outcome;
    this.#cancel = cancel;
  }

  start(): void {
    this.#cancel?.onCancel(this);
    this.#linked = this.#context.warm?.take(this);
    if (this.#linked === undefined) {
      this.#begin(this.#context.memory.plan());
    } else {
      this.letIn();
      this.#linked.session.request(this.#target);
    }
  }

  cancel(): void {
    this.#linked?.session.cancel();
  }

  expire(): void {
    this.#linked?.session.expire();
  }

  letIn(): void {
    this.#context.health.letIn();
    this.#outcome.letIn?.();
  }

  established(rest: Buffer): boolean {
    this.#cancel?.onCancel(undefined);
    const { upstream, memory, health, stats, onCarefulSuccess } = this.#context;
    const linked = this.#linked;
    if (linked === undefined) {
      return false;
    }
    const { socket } = linked.source;
    const { bytesRead, bytesWritten } = socket;
    linked.source.meter = stats.trackUpstream(socket, { bytesRead: bytesRead - rest.length, bytesWritten });
    const { method } = linked.session;
    if (method !== undefined) {
      memory.succeeded(method);
    }
    if (this.#plan?.oneFlight === false) {
      onCarefulSuccess(this.#target);
    }
    if (rest.length > 0) {
      linked.source.putBack(rest);
    }
    health.count(true);
    this.#outcome.connected(linked.source, upstream);
    return linked.source.reader !== linked.session;
  }

  failed(error: Socks5Error): void {
    const { memory, link, health } = this.#context;
    if (error.code === 'SOCKS5.UNREACHABLE') {
      link.failed();
    }
    const next = this.#nextPlan(error);
    if (next !== undefined) {
      this.#begin(next);
      return;
    }
    if (this.#retryOf?.code === 'SOCKS5.CLOSED' && error.code === 'SOCKS5.CLOSED') {
      memory.exonerate();
    }
    this.#cancel?.onCancel(undefined);
    const failure = failureOfSocksError(error, memory.learned);
    if (failure instanceof ProxyFailure) {
      health.count(false);
      if (error.phase !== 'request') health.refused(failure.category);
      // Other ends of a request say nothing of now: it was let in a while ago.
      else if (error.code === 'SOCKS5.REPLY') health.letIn();
    }
    this.#outcome.failed(failure);
  }

  /** How to try again, when the failure may come from what was kept or learned instead of from the target. */
  #nextPlan(error: Socks5Error): HandshakePlan | undefined {
    const { memory } = this.#context;
    if (this.#plan === undefined) {
      // A connection greeted ahead may just have waited too long; nothing of the client's has been sent yet.
      return error.code === 'SOCKS5.CLOSED' ? memory.plan() : undefined;
    }
    if (this.#retryOf === undefined && memory.failed(this.#plan, error)) {
      this.#retryOf = error;
      return memory.carefulPlan();
    }
    return undefined;
  }

  #begin(plan: HandshakePlan): void {
    this.#plan = plan;
    this.#linked = this.#context.link.begin({ plan, target: this.#target, listener: this });
  }
}
