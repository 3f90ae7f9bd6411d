import { type AuthMethod, parseSocks5Target, Socks5Error } from '#socks5-protocol';
import type { Timeouts } from '../config/proxy-client-config.js';
import type { Target } from '../http/authority.js';
import { failureOfSocksError } from './failure-of-socks-error.js';
import type { HandshakeMemory } from './handshake-memory.js';
import type { UpstreamHealth } from './upstream-health.js';
import { type LinkedServer, UpstreamLink } from './upstream-link.js';

/** A server with its learned state. */
export interface CheckedServer {
  readonly server: LinkedServer;
  readonly memory: HandshakeMemory;
  readonly health: UpstreamHealth;
}

export interface CheckOptions {
  /** Also connects to this target; absent: the check ends after the authentication. */
  readonly target?: Target | undefined;
  /** The TCP connection is open. */
  readonly connected?: () => void;
  readonly authenticated?: (method: AuthMethod) => void;
  /** Instead of the timeouts of health checks. */
  readonly timeouts?: Partial<Timeouts>;
  /** Aborts the check. */
  readonly signal?: AbortSignal;
}

/** The timeout of TCP, and then of greeting and authentication. */
const SERVER_TIMEOUT_MS = 3000;
/** The timeout of a connection to a target. */
const TARGET_TIMEOUT_MS = 10_000;

/**
 * Checks one server on a separate connection, which is not counted: whether it accepts the authentication and, with a target,
 * whether it connects there. The result is recorded in the server's health.
 *
 * @returns the milliseconds until the server has accepted the authentication
 * @throws {@link Socks5Error}
 */
export async function checkServer(checked: CheckedServer, options: CheckOptions): Promise<number> {
  const { memory, health } = checked;
  try {
    const milliseconds = await measure(checked, options);
    health.checkPassed(milliseconds);
    return milliseconds;
  } catch (error) {
    if (!(error instanceof Socks5Error)) throw error;
    if (memory.failed(memory.carefulPlan(), error)) {
      return await checkServer(checked, options);
    }
    if (error.code !== 'SOCKS5.ABORTED') {
      health.checkFailed(failureOfSocksError(error, memory.hasSucceeded).category);
    }
    throw error;
  }
}

/** Returns the milliseconds until the server has accepted the authentication. */
async function measure(
  { server, memory, health }: CheckedServer,
  { target, connected, authenticated, timeouts, signal }: CheckOptions,
): Promise<number> {
  const wireTarget = target && parseSocks5Target(target.host, target.port);
  const handshake = target === undefined ? SERVER_TIMEOUT_MS : TARGET_TIMEOUT_MS;
  const startedAt = performance.now();
  let milliseconds = 0;
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const link: UpstreamLink = new UpstreamLink(server, {
    plan: memory.carefulPlan(),
    timeouts: timeouts ?? { connect: SERVER_TIMEOUT_MS, handshake },
    listener: {
      ...(connected && { connected }),
      ready: () => {
        milliseconds = performance.now() - startedAt;
        const { method } = link;
        if (method !== undefined) {
          memory.succeeded(method);
          authenticated?.(method);
        }
        if (wireTarget === undefined) resolve(undefined);
        else link.request(wireTarget);
      },
      established: () => {
        health.replied();
        resolve(undefined);
        return false;
      },
      failed: reject,
    },
  });
  const abort = (): void => {
    link.cancel();
  };
  signal?.addEventListener('abort', abort);
  try {
    await promise;
    return milliseconds;
  } finally {
    signal?.removeEventListener('abort', abort);
    link.source?.socket.destroy();
  }
}

/** An upstream that can be checked. */
export interface Checkable {
  readonly health: UpstreamHealth;
  /** Checks the server, see {@link checkServer}. */
  check(options: CheckOptions): Promise<unknown>;
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
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #retryMs = FIRST_RETRY_MS;

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
    if (!this.#isRunning) this.#schedule(Math.min(this.#interval, FIRST_RETRY_MS));
  }

  /** Stops for good. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#stopping.abort();
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted) return;
    const jitter = 1 + JITTER * (2 * Math.random() - 1);
    this.#timer = setTimeout(() => void this.#run(), milliseconds * jitter).unref();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // A failure is recorded in the server's health.
    await this.#upstream.check({ target: this.#target, signal: this.#stopping.signal }).catch(() => undefined);
    this.#isRunning = false;
    this.#schedule(this.#pause());
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
