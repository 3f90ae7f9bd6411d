import type {
  CategoryCount,
  FailureEntry,
  FailureList,
  LastMinute,
  RejectedRequest,
} from '../admin/api/activity.responses.js';
import type { FailureCategory } from './failure-table.js';
import type { FailedRequest, ProxyFailure } from './proxy-failure.js';

/** The maximum length of each list. */
const MAX_RECENT = 200;
const MINUTE_MS = 60_000;
const SECOND_MS = 1000;

/** The failures of one second. */
interface SecondCounts {
  readonly second: number;
  readonly failures: Map<FailureCategory, number>;
  rejections: number;
}

/** The last failures and rejected requests, and counts of the last minute. Its memory is bounded. */
export class RecentFailures {
  readonly #clock: () => number;
  readonly #failures: FailureEntry[] = [];
  readonly #rejections: RejectedRequest[] = [];
  #seconds: SecondCounts[] = [];
  #number = 0;

  /** @param clock - milliseconds since the epoch */
  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  /** Adds a failure, or a request that the configuration refused. */
  add(failure: ProxyFailure, request: FailedRequest): void {
    const { category } = failure;
    const now = this.#clock();
    const counts = this.#countsOf(now);
    const common = { number: (this.#number += 1), at: new Date(now).toISOString(), ...requestOf(request) };
    if (category === 'rejected' || category === 'own_address') {
      const { rule = null, ruleText = null } = failure.facts;
      counts.rejections += 1;
      push(this.#rejections, { ...common, category, rule, rule_text: ruleText });
    } else {
      const { text: hint, row } = failure;
      const { status } = row;
      const { upstream = null, rule = null } = request;
      counts.failures.set(category, (counts.failures.get(category) ?? 0) + 1);
      push(this.#failures, { ...common, category, status, hint, detail: failure.facts.detail ?? null, upstream, rule });
    }
  }

  /** Returns those after a number, the newest first, in the form of GET /failures. */
  since(number: number): FailureList {
    const isNewer = (entry: { readonly number: number }): boolean => entry.number > number;
    return {
      failures: this.#failures.filter(isNewer).toReversed(),
      rejections: this.#rejections.filter(isNewer).toReversed(),
      last_minute: this.#lastMinute(),
      latest: this.#number,
    };
  }

  #countsOf(now: number): SecondCounts {
    const second = Math.floor(now / SECOND_MS);
    const last = this.#seconds.at(-1);
    if (last?.second === second) return last;
    this.#dropOld(now);
    const added = { second, failures: new Map<FailureCategory, number>(), rejections: 0 };
    this.#seconds.push(added);
    return added;
  }

  #dropOld(now: number): void {
    const from = (now - MINUTE_MS) / SECOND_MS;
    // Seconds in the future: the clock was set back.
    this.#seconds = this.#seconds.filter(({ second }) => second > from && second * SECOND_MS <= now);
  }

  #lastMinute(): LastMinute {
    this.#dropOld(this.#clock());
    const sums = new Map<FailureCategory, number>();
    for (const { failures } of this.#seconds) {
      for (const [category, count] of failures) sums.set(category, (sums.get(category) ?? 0) + count);
    }
    const categories: CategoryCount[] = Array.from(sums, ([category, count]) => ({ category, count }));
    return {
      failures: categories.reduce((sum, { count }) => sum + count, 0),
      rejections: this.#seconds.reduce((sum, { rejections }) => sum + rejections, 0),
      categories: categories.sort((a, b) => b.count - a.count),
    };
  }
}

function requestOf(request: FailedRequest): Pick<RejectedRequest, 'method' | 'target' | 'client' | 'user'> {
  const { method = null, target = null, client = null, user = null } = request;
  return { method, target, client, user };
}

function push<T>(list: T[], entry: T): void {
  list.push(entry);
  if (list.length > MAX_RECENT) list.shift();
}
