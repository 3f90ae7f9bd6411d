import type { FailureCategory } from '../failure/failure-table.js';

/** `unknown` until it was first asked for something. */
export type UpstreamState = 'unknown' | 'up' | 'down';

/** What is known of how a server does, at one moment. */
export interface HealthSnapshot {
  readonly state: UpstreamState;
  /** When it came into this state. */
  readonly since: Date;
  /** How long TCP, greeting and authentication take, in milliseconds, as the checks measure it; smoothed. */
  readonly latency?: number;
  /** When it was last checked. */
  readonly checkedAt?: Date;
  /** What was last wrong with it. */
  readonly lastFailure?: { readonly category: FailureCategory; readonly at: Date };
  /** Connections to targets that were opened through it. */
  readonly opened: number;
  /** Those that were not, whoever was to blame. */
  readonly failed: number;
}

/** A server has come into another state. */
export interface HealthChange {
  readonly name: string;
  readonly from: UpstreamState;
  readonly to: UpstreamState;
  /** What is wrong with it. */
  readonly category?: FailureCategory;
}

/** How much a new measurement counts beside those before it. */
const WEIGHT = 0.3;

/**
 * How one server does, from what happens to requests and from checks: it is up when it has let us in, and down when it did not
 * do that. Whether it reaches a target says nothing about it.
 */
export class UpstreamHealth {
  readonly name: string;
  #tell: (change: HealthChange) => void = () => undefined;
  #state: UpstreamState = 'unknown';
  #since = new Date();
  #latency: number | undefined;
  #evidenceAt = -Infinity;
  #checkedAt: Date | undefined;
  #lastFailure: { readonly category: FailureCategory; readonly at: Date } | undefined;
  #opened = 0;
  #failed = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Has each change told to `tell`, and to nobody else, from now on. */
  watch(tell: (change: HealthChange) => void): void {
    this.#tell = tell;
  }

  /** Tells nobody from now on. */
  unwatch(): void {
    this.#tell = () => undefined;
  }

  get state(): UpstreamState {
    return this.#state;
  }

  get latency(): number | undefined {
    return this.#latency;
  }

  /** Milliseconds since it last showed how it does. */
  get age(): number {
    return performance.now() - this.#evidenceAt;
  }

  get snapshot(): HealthSnapshot {
    return {
      state: this.#state,
      since: this.#since,
      opened: this.#opened,
      failed: this.#failed,
      ...(this.#latency !== undefined && { latency: this.#latency }),
      ...(this.#checkedAt !== undefined && { checkedAt: this.#checkedAt }),
      ...(this.#lastFailure !== undefined && { lastFailure: this.#lastFailure }),
    };
  }

  /** It has greeted us and let us in. */
  letIn(): void {
    this.#become('up');
  }

  /** It has not let us in, and this is why. */
  refused(category: FailureCategory): void {
    this.#lastFailure = { category, at: new Date() };
    this.#become('down', category);
  }

  /** A check has found it well, in so many milliseconds. */
  checked(milliseconds: number): void {
    this.#checkedAt = new Date();
    this.#latency =
      this.#latency === undefined ? milliseconds : this.#latency + WEIGHT * (milliseconds - this.#latency);
    this.letIn();
  }

  /** A check has found it unwell. */
  checkFailed(category: FailureCategory): void {
    this.#checkedAt = new Date();
    // What was measured before says nothing about a server that comes back.
    this.#latency = undefined;
    this.refused(category);
  }

  /** A connection to a target was opened through it, or was not. */
  count(opened: boolean): void {
    if (opened) this.#opened += 1;
    else this.#failed += 1;
  }

  #become(state: UpstreamState, category?: FailureCategory): void {
    this.#evidenceAt = performance.now();
    if (this.#state === state) return;
    const change = { name: this.name, from: this.#state, to: state, ...(category !== undefined && { category }) };
    this.#state = state;
    this.#since = new Date();
    this.#tell(change);
  }
}
