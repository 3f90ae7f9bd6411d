import type { Target } from '../http/authority.js';
import type { Cancellable } from './upstream.js';
import type { UpstreamHealth } from './upstream-health.js';

/** What can be checked: a server. */
export interface Checked {
  readonly health: UpstreamHealth;
  /** A check of it, not begun; `over` is called at its end, unless it is cancelled. */
  check(target: Target | undefined, over: () => void): Cancellable & { begin(): void };
}

/** A server that is down is looked at sooner than others, later each time. */
const FIRST_AGAIN_MS = 500;
/** By so much, at most, a pause is longer or shorter: proxies that were started together do not ask together for long. */
const JITTER = 0.1;

/** Looks at one server again and again, to see that it goes down before a request does, and that it is back. */
export class HealthChecks {
  readonly #checked: Checked;
  readonly #every: number;
  readonly #target: Target | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Cancellable | undefined;
  #again = FIRST_AGAIN_MS;
  #isStopped = false;

  /**
   * Begins, soon.
   *
   * @param every - milliseconds between two checks
   * @param target - what it should connect to; absent: a check goes as far as the authentication
   */
  constructor(checked: Checked, every: number, target: Target | undefined) {
    this.#checked = checked;
    this.#every = every;
    this.#target = target;
    this.#wait(Math.random() * Math.min(every, FIRST_AGAIN_MS));
  }

  /** A request has found the server down: it is looked at soon, and not at the end of a long pause. */
  hurry(): void {
    if (this.#running === undefined) this.#wait(Math.min(this.#every, FIRST_AGAIN_MS));
  }

  /** For good, whatever is still found out. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#running?.cancel();
  }

  #wait(milliseconds: number): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    const jitter = 1 + JITTER * (2 * Math.random() - 1);
    this.#timer = setTimeout(() => {
      this.#look();
    }, milliseconds * jitter).unref();
  }

  #look(): void {
    const check = this.#checked.check(this.#target, () => {
      this.#running = undefined;
      this.#wait(this.#pause());
    });
    this.#running = check;
    check.begin();
  }

  #pause(): number {
    if (this.#checked.health.state !== 'down') {
      this.#again = FIRST_AGAIN_MS;
      return this.#every;
    }
    const pause = Math.min(this.#again, this.#every);
    this.#again = 2 * pause;
    return pause;
  }
}
