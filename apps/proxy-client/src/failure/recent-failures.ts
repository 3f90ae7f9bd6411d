import type { FailedRequest, ProxyFailure } from './proxy-failure.js';

/** A failure as pages show it. */
export interface RecentFailure extends FailedRequest {
  readonly at: Date;
  readonly category: string;
  readonly status: number;
  /** What failed and what to check. */
  readonly hint: string;
  readonly detail?: string | undefined;
}

const SHOWN = 200;

/** The last failures, for whoever asks what went wrong. */
export class RecentFailures {
  readonly #failures: RecentFailure[] = [];
  /** Where the next one goes, once all places are taken: the oldest. */
  #next = 0;

  add(failure: ProxyFailure, request: FailedRequest): void {
    const { category, row, facts } = failure;
    const { status, text } = row;
    this.#failures[this.#next] = { ...request, at: new Date(), category, status, hint: text, detail: facts.detail };
    this.#next = (this.#next + 1) % SHOWN;
  }

  /** The latest first. */
  get latest(): readonly RecentFailure[] {
    return [...this.#failures.slice(this.#next), ...this.#failures.slice(0, this.#next)].reverse();
  }
}
