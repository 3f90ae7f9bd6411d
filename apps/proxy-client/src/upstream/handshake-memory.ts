import { type AuthMethod, defaultOffer, Method, type Socks5Credentials, type Socks5Error } from '#socks5-protocol';
import type { HandshakeMode } from '../config/proxy-client-config.js';

/** How the next handshake goes. */
export interface HandshakePlan {
  readonly offer: readonly AuthMethod[];
  readonly oneFlight: boolean;
}

/** After a probe that failed the next one waits, longer each time. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;

const METHOD_CODES: readonly Socks5Error['code'][] = ['SOCKS5.METHOD_REFUSED', 'SOCKS5.METHOD_NOT_OFFERED'];

/**
 * What one upstream is known to take. Servers differ: some lose what comes in one write with the greeting and hang, some
 * close without a word when only user name and password are offered. So the first handshake goes step by step with the
 * full offer, then the method that was chosen is offered alone, and one probe finds out whether everything may go in one
 * flight, which saves a round trip on every connection.
 */
export class HandshakeMemory {
  readonly #mode: HandshakeMode;
  readonly #hasCredentials: boolean;
  readonly #everything: readonly AuthMethod[];
  readonly #clock: () => number;
  #method: AuthMethod | undefined;
  #oneFlight = false;
  #probing = false;
  #pause = FIRST_PAUSE_MS;
  #probeFrom = -Infinity;

  /**
   * @param insists - the credentials must be taken, so that nothing else is offered
   * @param clock - milliseconds that only grow
   */
  constructor(
    mode: HandshakeMode,
    credentials: Socks5Credentials | undefined,
    insists = false,
    clock: () => number = () => performance.now(),
  ) {
    this.#mode = mode;
    this.#hasCredentials = credentials !== undefined;
    this.#everything = insists ? [Method.password] : defaultOffer(credentials);
    this.#clock = clock;
  }

  /** Whether the upstream is known, or configured, to take everything in one flight. */
  get oneFlight(): boolean {
    return this.#mode === 'oneflight' || this.#oneFlight;
  }

  /** Whether the upstream has taken a handshake. */
  get learned(): boolean {
    return this.#method !== undefined;
  }

  /** How the next one goes. */
  plan(): HandshakePlan {
    if (this.#mode === 'oneflight') {
      return { offer: [this.#hasCredentials ? Method.password : Method.none], oneFlight: true };
    }
    return this.#oneFlight && this.#method !== undefined
      ? { offer: [this.#method], oneFlight: true }
      : this.carefulPlan();
  }

  /** Step by step, whatever was learned about flights. */
  carefulPlan(): HandshakePlan {
    const offer = this.#method === undefined ? this.#everything : [this.#method];
    return { offer, oneFlight: false };
  }

  /** A handshake succeeded, with this method. */
  succeeded(method: AuthMethod): void {
    this.#method = method;
  }

  /** Whether to probe now; if so, {@link probed} must follow. */
  beginProbe(): boolean {
    const due = this.#mode === 'auto' && !this.#oneFlight && this.#clock() >= this.#probeFrom;
    if (!due || this.#probing || this.#method === undefined) {
      return false;
    }
    this.#probing = true;
    return true;
  }

  probed(taken: boolean): void {
    this.#probing = false;
    this.#oneFlight = taken;
    if (taken) {
      this.#pause = FIRST_PAUSE_MS;
    } else {
      this.#probeFrom = this.#clock() + this.#pause;
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
    }
  }

  /**
   * A handshake that followed `plan` failed.
   *
   * @returns whether another, careful one is worth trying at once: the failure may come from what was learned
   */
  failed(plan: HandshakePlan, error: Socks5Error): boolean {
    if (this.#mode === 'oneflight') {
      return false;
    }
    if (METHOD_CODES.includes(error.code) && plan.offer.length < this.#everything.length) {
      this.#method = undefined;
      this.#oneFlight = false;
      return true;
    }
    if (plan.oneFlight && (error.code === 'SOCKS5.CLOSED' || error.code === 'SOCKS5.TIMEOUT')) {
      this.#oneFlight = false;
      return error.code === 'SOCKS5.CLOSED';
    }
    return false;
  }

  /** A careful handshake failed as the one in one flight before it had: the flight was not to blame. */
  exonerate(): void {
    this.#oneFlight = this.#mode === 'auto' && this.#method !== undefined;
  }
}
