import type { UpstreamStatus } from '../admin/api/upstreams.responses.js';
import type { FailureCategory } from '../failure/failure-table.js';
import type { ProxyFailure } from '../failure/proxy-failure.js';

/** `unknown` until the first contact. */
export type UpstreamState = UpstreamStatus['state'];

/** A change of a server's state. */
export interface HealthChange {
  readonly name: string;
  readonly from: UpstreamState;
  readonly to: UpstreamState | 'suspect';
  /** The failure that caused it. */
  readonly category?: FailureCategory;
}

/** The weight of a new measurement in the moving average. */
const WEIGHT = 0.3;
/** The number of different targets whose requests must time out in a row. */
const SUSPECT_TARGETS = 3;
const SUSPECT_MS = 60_000;

/**
 * The health of one server, derived from requests and checks. It is up if it accepted the authentication, and down if not, or
 * if it sent a malformed reply. Whether it reaches a target has no effect. If the requests for three different targets time
 * out in a row, it is suspect as well: it accepts connections but does not answer.
 */
export class UpstreamHealth {
  readonly name: string;
  /** Receives changes of the state. */
  onChange: ((change: HealthChange) => void) | undefined;
  readonly #clock: () => number;
  #state: UpstreamState = 'unknown';
  #since = new Date();
  /** Milliseconds for TCP, greeting and authentication, measured by checks; a moving average. */
  #latency: number | undefined;
  #updatedAt = -Infinity;
  #checkedAt: Date | undefined;
  #lastFailure: { readonly category: FailureCategory; readonly at: string } | undefined;
  /** The targets whose requests have timed out since the last reply. */
  readonly #timedOut = new Set<string>();
  #suspectUntil = -Infinity;
  /** Connections to targets that were opened, and those that failed, whatever the cause. */
  #opened = 0;
  #failed = 0;

  /** @param clock - monotonic, in milliseconds */
  constructor(name: string, clock: () => number = () => performance.now()) {
    this.name = name;
    this.#clock = clock;
  }

  get state(): UpstreamState {
    return this.#state;
  }

  get isSuspect(): boolean {
    return this.#clock() < this.#suspectUntil;
  }

  get latency(): number | undefined {
    return this.#latency;
  }

  /** The category of the last failure. */
  get lastFailure(): FailureCategory | undefined {
    return this.#lastFailure?.category;
  }

  /** Milliseconds since the state was last confirmed. */
  get age(): number {
    return this.#clock() - this.#updatedAt;
  }

  /** The health in the form of GET /upstreams. */
  get status(): Omit<UpstreamStatus, 'name' | 'address' | 'protocol' | 'via'> {
    const [latency, failure] = [this.#latency, this.#lastFailure];
    return {
      state: this.#state,
      suspect: this.isSuspect,
      since: this.#since.toISOString(),
      down_since: this.#state === 'down' ? this.#since.toISOString() : null,
      latency_ms: latency === undefined ? null : Math.round(latency * 10) / 10,
      checked_at: this.#checkedAt?.toISOString() ?? null,
      last_failure: failure ?? null,
      connections_opened: this.#opened,
      connections_failed: this.#failed,
    };
  }

  /** The server has accepted the authentication. */
  markUp(): void {
    this.#change('up');
  }

  /** The server is unreachable, has refused the authentication, or does not speak its protocol. */
  markDown(category: FailureCategory): void {
    this.#lastFailure = { category, at: new Date().toISOString() };
    this.#change('down', category);
  }

  /** The server has replied to a request. */
  replied(): void {
    this.#timedOut.clear();
    this.#suspectUntil = -Infinity;
  }

  /** A request for `target` has failed. */
  requestFailed({ category, facts: { fault } }: ProxyFailure, target: string): void {
    if (fault === 'server') this.markDown(category);
    else if (category === 'timeout') this.#requestTimedOut(category, target);
    else if (fault === 'target') this.replied();
    // The other outcomes prove nothing about the present: the authentication was a while ago.
    if (fault === 'target' && category !== 'closed_at_request') this.markUp();
  }

  /** A check has passed, within `milliseconds`. */
  checkPassed(milliseconds: number): void {
    this.#checkedAt = new Date();
    this.#latency =
      this.#latency === undefined ? milliseconds : this.#latency + WEIGHT * (milliseconds - this.#latency);
    this.markUp();
  }

  /** A check has failed. Without a free file descriptor the server was not checked. */
  checkFailed(category: FailureCategory): void {
    if (category === 'descriptor_limit') return;
    this.#checkedAt = new Date();
    // Earlier measurements say nothing about a server that comes back.
    this.#latency = undefined;
    this.markDown(category);
  }

  /** Counts a connection to a target that was opened or has failed. */
  count(opened: boolean): void {
    if (opened) this.#opened += 1;
    else this.#failed += 1;
  }

  #requestTimedOut(category: FailureCategory, target: string): void {
    this.#timedOut.add(target);
    if (this.#timedOut.size < SUSPECT_TARGETS) return;
    this.#timedOut.clear();
    if (!this.isSuspect) this.onChange?.({ name: this.name, from: this.#state, to: 'suspect', category });
    this.#suspectUntil = this.#clock() + SUSPECT_MS;
  }

  #change(state: UpstreamState, category?: FailureCategory): void {
    this.#updatedAt = this.#clock();
    if (this.#state === state) return;
    const change = { name: this.name, from: this.#state, to: state, ...(category !== undefined && { category }) };
    this.#state = state;
    this.#since = new Date();
    this.onChange?.(change);
  }
}
