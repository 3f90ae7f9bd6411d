import { type AuthMethod, defaultOffer, Method, type Socks5Credentials, type Socks5Error } from '#socks5-protocol';
import type { Socks5UpstreamConfig } from '../config/proxy-client-config.js';

/** The form of one handshake. */
export interface HandshakePlan {
  readonly offer: readonly AuthMethod[];
  /** Send greeting, credentials and request at once, instead of step by step. */
  readonly oneFlight: boolean;
  /** The handshake tests whether the server supports one flight: it gets a short timeout, and a retry step by step. */
  readonly isProbe?: true;
}

/** How long one flight is not tried again after a probe failed: a server that loses it costs a request the probe's timeout. */
const PROBE_PAUSE_MS = 3_600_000;

const METHOD_CODES: readonly Socks5Error['code'][] = ['SOCKS5.METHOD_REFUSED', 'SOCKS5.METHOD_NOT_OFFERED'];
/** The failures of a server that does not support one flight. */
const FLIGHT_CODES: readonly Socks5Error['code'][] = ['SOCKS5.CLOSED', 'SOCKS5.TIMEOUT'];

/**
 * The learned capabilities of one upstream. Servers differ: some lose the bytes that follow the greeting in the same write
 * and hang, some close the connection when only user name and password are offered. So the first handshake goes step by step
 * with the full offer, and later ones offer only the method that was chosen. The second one is a probe, which tests whether
 * the server supports everything in one flight; that saves a round trip on every connection. A probe is a real request, so
 * that no target sees an extra connection.
 */
export class HandshakeMemory {
  readonly #mode: Socks5UpstreamConfig['handshake'];
  readonly #hasCredentials: boolean;
  readonly #fullOffer: readonly AuthMethod[];
  readonly #clock: () => number;
  #method: AuthMethod | undefined;
  #oneFlight = false;
  #isProbing = false;
  #probeFrom = -Infinity;

  /**
   * @param requiresCredentials - the server must accept the credentials, so nothing else is offered
   * @param clock - monotonic, in milliseconds
   */
  constructor(
    mode: Socks5UpstreamConfig['handshake'],
    credentials: Socks5Credentials | undefined,
    requiresCredentials = false,
    clock: () => number = () => performance.now(),
  ) {
    this.#mode = mode;
    this.#hasCredentials = credentials !== undefined;
    this.#fullOffer = requiresCredentials ? [Method.password] : defaultOffer(credentials);
    this.#clock = clock;
  }

  /** Whether the upstream is known, or configured, to support one flight. */
  get oneFlight(): boolean {
    return this.#mode === 'oneflight' || this.#oneFlight;
  }

  /** Whether the upstream has completed a handshake. */
  get hasSucceeded(): boolean {
    return this.#method !== undefined;
  }

  /** Returns the plan for a request. {@link succeeded} or {@link failed} must follow. */
  plan(): HandshakePlan {
    if (this.#mode === 'oneflight') {
      return { offer: [this.#hasCredentials ? Method.password : Method.none], oneFlight: true };
    }
    if (this.#mode === 'stepwise' || this.#method === undefined) return this.carefulPlan();
    if (this.#oneFlight) return { offer: [this.#method], oneFlight: true };
    if (this.#isProbing || this.#clock() < this.#probeFrom) return this.carefulPlan();
    this.#isProbing = true;
    return { offer: [this.#method], oneFlight: true, isProbe: true };
  }

  /** Returns a plan that goes step by step, whatever was learned about flights. */
  carefulPlan(): HandshakePlan {
    const offer = this.#method === undefined ? this.#fullOffer : [this.#method];
    return { offer, oneFlight: false };
  }

  /** Records that a handshake succeeded with this method. */
  succeeded(method: AuthMethod, plan?: HandshakePlan): void {
    this.#method = method;
    if (plan?.isProbe === true) {
      this.#isProbing = false;
      this.#oneFlight = true;
    }
  }

  /**
   * Records that a handshake failed.
   *
   * @returns whether to retry at once with {@link carefulPlan}, because the failure may be due to what was learned
   */
  failed(plan: HandshakePlan, error: Socks5Error): boolean {
    if (plan.isProbe === true) this.#isProbing = false;
    if (this.#mode === 'oneflight') return false;
    if (METHOD_CODES.includes(error.code) && plan.offer.length < this.#fullOffer.length) {
      this.#method = undefined;
      this.#oneFlight = false;
      return true;
    }
    if (!plan.oneFlight || error.phase === 'connect' || !FLIGHT_CODES.includes(error.code)) return false;
    this.#oneFlight = false;
    return error.code === 'SOCKS5.CLOSED' || plan.isProbe === true;
  }

  /** Records that a retry succeeded step by step: if the first error was that of a lost flight, the server loses flights. */
  retrySucceeded(firstError: Socks5Error): void {
    if (FLIGHT_CODES.includes(firstError.code)) this.#probeFrom = this.#clock() + PROBE_PAUSE_MS;
  }

  /** Records that a retry failed too: if it failed in the same way, the flight was not the cause. */
  retryFailed(firstPlan: HandshakePlan, firstError: Socks5Error, error: Socks5Error): void {
    const isSame = FLIGHT_CODES.includes(error.code) && error.code === firstError.code;
    if (isSame && firstPlan.isProbe !== true) this.#oneFlight = this.#method !== undefined;
  }
}
