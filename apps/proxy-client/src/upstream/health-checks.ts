import type { AuthMethod, Socks5Error, Socks5Target } from '#socks5-protocol';
import type { Timeouts } from '../config/proxy-client-config.js';
import type { Target } from '../http/authority.js';
import { failureOfSocksError } from './failure-of-socks-error.js';
import type { HandshakeMemory } from './handshake-memory.js';
import { type Cancellable, ConnectCancelled } from './upstream.js';
import type { UpstreamHealth } from './upstream-health.js';
import type { LinkedSession, LinkListener, UpstreamLink } from './upstream-link.js';

/** Receives the steps of a check; `passed` or `failed` is the last call, unless the check is cancelled. */
export interface CheckListener {
  /** The TCP connection is open. */
  connected?(): void;
  authenticated?(method: AuthMethod): void;
  passed(): void;
  failed(error: Socks5Error): void;
  /** Instead of the timeouts of health checks. */
  readonly timeouts?: Partial<Timeouts>;
}

/** The timeout of TCP, and then of greeting and authentication. */
const SERVER_TIMEOUT_MS = 3000;
/** The timeout of a connection to a target. */
const TARGET_TIMEOUT_MS = 10_000;

/**
 * A check of one server on a separate connection, which is not counted: whether it accepts the authentication and, with a
 * target, whether it connects there. The result is recorded in the server's health.
 */
export class UpstreamCheck implements LinkListener, Cancellable {
  readonly #context: { readonly link: UpstreamLink; readonly memory: HandshakeMemory; readonly health: UpstreamHealth };
  readonly #target: Socks5Target | undefined;
  readonly #listener: CheckListener;
  #link: LinkedSession | undefined;
  #startedAt = 0;
  #milliseconds = 0;
  #isFinished = false;

  constructor(
    context: { readonly link: UpstreamLink; readonly memory: HandshakeMemory; readonly health: UpstreamHealth },
    target: Socks5Target | undefined,
    listener: CheckListener,
  ) {
    this.#context = context;
    this.#target = target;
    this.#listener = listener;
  }

  begin(): void {
    const { link, memory } = this.#context;
    const handshake = this.#target === undefined ? SERVER_TIMEOUT_MS : TARGET_TIMEOUT_MS;
    this.#startedAt = performance.now();
    this.#link = link.begin({
      plan: memory.carefulPlan(),
      timeouts: this.#listener.timeouts ?? { connect: SERVER_TIMEOUT_MS, handshake },
      listener: this,
    });
  }

  cancel(): void {
    this.#link?.cancel();
  }

  expire(): void {
    this.#link?.expire();
  }

  /** @internal */
  connected(): void {
    this.#listener.connected?.();
  }

  /** @internal */
  ready(): void {
    const method = this.#link?.method;
    this.#milliseconds = performance.now() - this.#startedAt;
    if (method !== undefined) {
      this.#context.memory.succeeded(method);
      this.#listener.authenticated?.(method);
    }
    if (this.#target === undefined) this.#pass();
    else this.#link?.request(this.#target);
  }

  /** @internal */
  established(): boolean {
    this.#context.health.replied();
    this.#pass();
    return false;
  }

  /** @internal */
  failed(error: Socks5Error): void {
    const { memory, health } = this.#context;
    if (this.#isFinished) return;
    if (memory.failed(memory.carefulPlan(), error)) {
      this.begin();
      return;
    }
    this.#isFinished = true;
    const failure = failureOfSocksError(error, memory.hasSucceeded);
    if (failure instanceof ConnectCancelled) return;
    health.checkFailed(failure.category);
    this.#listener.failed(error);
  }

  #pass(): void {
    this.#isFinished = true;
    this.#link?.source?.socket.destroy();
    this.#context.health.checkPassed(this.#milliseconds);
    this.#listener.passed();
  }
}

/** An upstream that can be checked. */
export interface Checkable {
  readonly health: UpstreamHealth;
  /** Creates a check, which is not started. */
  check(target: Target | undefined, listener: CheckListener): UpstreamCheck;
}

/** A server that is down is checked again after this time, which doubles up to the configured interval. */
const FIRST_RETRY_MS = 500;
/** The random part of an interval, so that proxies that were started together do not check at the same time. */
const JITTER = 0.1;

/** Checks one server periodically, to notice that it is down before a request does, and that it is back. */
export class HealthChecks {
  readonly #upstream: Checkable;
  readonly #interval: number;
  readonly #target: Target | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: UpstreamCheck | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isStopped = false;

  /**
   * Starts the checks.
   *
   * @param interval - milliseconds between two checks
   * @param target - what the server should connect to; absent: a check ends after the authentication
   */
  constructor(upstream: Checkable, interval: number, target: Target | undefined) {
    this.#upstream = upstream;
    this.#interval = interval;
    this.#target = target;
    this.#schedule(Math.random() * Math.min(interval, FIRST_RETRY_MS));
  }

  /** Checks soon, because a request has found the server down. */
  hurry(): void {
    if (this.#running === undefined) this.#schedule(Math.min(this.#interval, FIRST_RETRY_MS));
  }

  /** Stops for good. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#running?.cancel();
  }

  #schedule(milliseconds: number): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    const jitter = 1 + JITTER * (2 * Math.random() - 1);
    this.#timer = setTimeout(() => {
      this.#run();
    }, milliseconds * jitter).unref();
  }

  #run(): void {
    const onEnd = (): void => {
      this.#running = undefined;
      this.#schedule(this.#pause());
    };
    this.#running = this.#upstream.check(this.#target, { passed: onEnd, failed: onEnd });
    this.#running.begin();
  }

  #pause(): number {
    if (this.#upstream.health.state !== 'down') {
      this.#retryMs = FIRST_RETRY_MS;
      return this.#interval;
    }
    const pause = Math.min(this.#retryMs, this.#interval);
    this.#retryMs = 2 * pause;
    return pause;
  }
}
