import { exactTime, plural } from '#pages-kit';
import type { FailureEntry, UpstreamStatus } from './api.ts';
import { categoryName } from './failure-groups.ts';

/** A sentence of the banner, and the section that shows more. */
interface Problem {
  readonly text: string;
  readonly section: 'upstreams' | 'failures';
}

const MINUTE_MS = 60_000;
/** The number of upstreams that the banner names. */
const MAX_NAMED = 3;

/** Returns what an operator must know first: upstreams that do not work, then the failures of the last minute. */
export function problemsOf(
  upstreams: readonly UpstreamStatus[],
  failures: readonly FailureEntry[],
  now: number,
): Problem[] {
  const broken = upstreams.filter(({ state, suspect }) => state === 'down' || suspect);
  const named = broken.slice(0, MAX_NAMED).map((upstream) => outageOf(upstream, now));
  const more = broken.length - named.length;
  const outages =
    more > 0 ? [...named, `${plural(more, 'more upstream')} ${more === 1 ? 'does' : 'do'} not work`] : named;
  const recent = failures.filter(({ at }) => Date.parse(at) > now - MINUTE_MS).map(({ category }) => category);
  return [
    ...outages.map((text) => ({ text, section: 'upstreams' }) as const),
    ...(recent.length === 0 ? [] : [{ text: failuresOf(recent), section: 'failures' } as const]),
  ];
}

function outageOf({ name, state, since }: UpstreamStatus, now: number): string {
  return state === 'down'
    ? `${name} has been down since ${shortTime(Date.parse(since), now)}`
    : `${name} accepts connections but does not answer requests`;
}

function failuresOf(categories: readonly string[]): string {
  const kinds = new Set(categories);
  const [first = ''] = kinds;
  const kind = kinds.size === 1 ? ` (${categoryName(first).toLowerCase()})` : ` of ${kinds.size} kinds`;
  return `${plural(categories.length, 'failure')}${kind} in the last minute`;
}

/** Formats a time of today as `14:03`, others with their date. */
function shortTime(time: number, now: number): string {
  const [date, clock] = [exactTime(time).slice(0, 10), exactTime(time).slice(11, 16)];
  return date === exactTime(now).slice(0, 10) ? clock : `${date} ${clock}`;
}
