import { type AuthMethod, parseSocks5Target, Socks5Error, type Socks5Phase } from '#socks5-protocol';
import type { Timeouts } from '../config/proxy-client-config.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Target } from '../http/authority.js';
import { failureOfSocksError } from './failure-of-socks-error.js';
import type { HandshakeMemory } from './handshake-memory.js';
import type { UpstreamHealth } from './upstream-health.js';
import { type LinkedServer, PathError } from './server-path.js';
import type { Upstream } from './upstream.js';
import { UpstreamLink } from './upstream-link.js';

/** A server with its learned state. */
export interface CheckedServer {
  readonly server: LinkedServer;
  readonly memory: HandshakeMemory;
  readonly health: UpstreamHealth;
  readonly upstream: Upstream;
}

export interface CheckOptions {
  /** Also connects to this target; absent: the check ends after the authentication. */
  readonly target?: Target | undefined;
  /** The connection to the server's port is open. */
  readonly reached?: () => void;
  /** The handshake begins, on TLS if it is configured. */
  readonly connected?: () => void;
  readonly authenticated?: (method: AuthMethod) => void;
  /** Instead of the timeouts of health checks. */
  readonly timeouts?: Partial<Timeouts>;
  /** Aborts the check. */
  readonly signal?: AbortSignal;
}

/** The timeout of TCP, of TLS, and then of greeting and authentication. */
export const SERVER_TIMEOUT_MS = 3000;
/** The timeout of a connection to a target. */
export const TARGET_TIMEOUT_MS = 10_000;

/** The step of a check that failed. */
export type CheckStepName = 'tcp' | 'tls' | 'ticket' | 'authentication' | 'connect';

/** A check has failed. */
export class CheckError extends Error {
  /** Undefined: the check was aborted. */
  readonly failure: ProxyFailure | undefined;
  readonly step: CheckStepName;
  /** The upstream that failed: a previous hop, or the one that was checked. */
  readonly upstream: Upstream;

  constructor(failure: ProxyFailure | undefined, step: CheckStepName, upstream: Upstream) {
    super(failure?.message ?? 'The check was aborted, or took too long.', { cause: failure });
    this.name = 'CheckError';
    this.failure = failure;
    this.step = step;
    this.upstream = upstream;
  }
}

const STEPS: Readonly<Record<Socks5Phase, CheckStepName>> = {
  connect: 'tcp',
  method: 'authentication',
  authentication: 'authentication',
  request: 'connect',
};

/**
 * Checks one server on a separate connection, which is not counted: whether it accepts the authentication and, with a target,
 * whether it connects there. The result is recorded in the server's health.
 *
 * @returns the milliseconds until the server has accepted the authentication
 * @throws {@link CheckError}
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
    throw failedCheck(checked, error);
  }
}

/** Records a failure, unless it is that of a previous hop. */
function failedCheck({ memory, health, upstream }: CheckedServer, error: Socks5Error): CheckError {
  const { code, phase = 'connect', cause } = error;
  const path = cause instanceof PathError ? cause : undefined;
  const step = path === undefined ? STEPS[phase] : path.step;
  if (code === 'SOCKS5.ABORTED') return new CheckError(undefined, step, upstream);
  const failure = failureOfSocksError(error, memory.hasSucceeded);
  if (path?.carried === undefined) health.checkFailed(failure.category);
  return new CheckError(failure, step, path?.carried?.upstream ?? upstream);
}

/** Returns the milliseconds until the server has accepted the authentication. */
async function measure(
  { server, memory, health }: CheckedServer,
  { target, reached, connected, authenticated, timeouts, signal }: CheckOptions,
): Promise<number> {
  const wireTarget = target && parseSocks5Target(target.host, target.port);
  const handshake = target === undefined ? SERVER_TIMEOUT_MS : TARGET_TIMEOUT_MS;
  const startedAt = performance.now();
  let milliseconds = 0;
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const link: UpstreamLink = new UpstreamLink(server, {
    plan: memory.carefulPlan(),
    timeouts: timeouts ?? { connect: SERVER_TIMEOUT_MS, handshake },
    client: {},
    listener: {
      ...(reached && { reached }),
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
    link.abort();
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
  /** Whether it, or a previous hop, is known not to work. */
  readonly isDown: boolean;
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
  readonly #reportDefect: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #retryMs = FIRST_RETRY_MS;

  /**
   * Starts the checks.
   *
   * @param interval - milliseconds between two checks
   * @param target - what the server should connect to; absent: a check ends after the authentication
   * @param reportDefect - receives an unexpected exception of a check
   */
  constructor(
    upstream: Checkable,
    interval: number,
    target: Target | undefined,
    reportDefect: (error: unknown) => void,
  ) {
    this.#reportDefect = reportDefect;
    this.#upstream = upstream;
    this.#interval = interval;
    this.#target = target;
    this.#schedule(Math.random() * Math.min(interval, FIRST_RETRY_MS));
  }

  /** Checks soon, because a request has found the server down. */
  checkSoon(): void {
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
    await this.#upstream.check({ target: this.#target, signal: this.#stopping.signal }).catch((error: unknown) => {
      const failure = error instanceof CheckError ? error.failure : new ProxyFailure('internal', {}, error);
      if (failure?.category === 'internal') this.#reportDefect(failure.cause);
    });
    this.#isRunning = false;
    this.#schedule(this.#pause());
  }

  #pause(): number {
    if (!this.#upstream.isDown) {
      this.#retryMs = FIRST_RETRY_MS;
      return this.#interval;
    }
    const pause = Math.min(this.#retryMs, this.#interval);
    this.#retryMs = 2 * pause;
    return pause;
  }
}
