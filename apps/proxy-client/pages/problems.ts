import { exactTime, plural } from '#pages-kit';
import type { LastMinute, UpstreamStatus } from './api.ts';
import { categoryName } from './failure-groups.ts';

/** A sentence of the banner, and the section that shows more. */
interface Problem {
  readonly text: string;
  readonly section: 'upstreams' | 'failures';
}

/** The number of upstreams that the banner names. */
const MAX_NAMED = 3;

/** Returns what an operator must know first: upstreams that do not work, then the failures of the last minute. */
export function problemsOf(
  upstreams: readonly UpstreamStatus[],
  lastMinute: LastMinute | undefined,
  now: number,
): Problem[] {
  const broken = upstreams.filter(({ down_since: downSince, suspect }) => downSince !== null || suspect);
  const named = broken.slice(0, MAX_NAMED).map((upstream) => outageOf(upstream, now));
  const more = broken.length - named.length;
  const outages =
    more > 0 ? [...named, `${plural(more, 'more upstream')} ${more === 1 ? 'does' : 'do'} not work`] : named;
  const failures = lastMinute === undefined ? undefined : failuresOf(lastMinute);
  return [
    ...outages.map((text) => ({ text, section: 'upstreams' }) as const),
    ...(failures === undefined ? [] : [{ text: failures, section: 'failures' } as const]),
  ];
}

function outageOf({ name, down_since: downSince }: UpstreamStatus, now: number): string {
  return downSince === null
    ? `${name} accepts connections but does not answer requests`
    : `${name} has been down since ${shortTime(Date.parse(downSince), now)}`;
}

/** Returns undefined if there are none. */
function failuresOf({ failures, categories: [first, ...others] }: LastMinute): string | undefined {
  if (first === undefined) return undefined;
  const kind =
    others.length === 0 ? ` (${categoryName(first.category).toLowerCase()})` : ` of ${others.length + 1} kinds`;
  return `${plural(failures, 'failure')}${kind} in the last minute`;
}

/** Formats a time of today as `14:03`, others with their date. */
function shortTime(time: number, now: number): string {
  const [date, clock] = [exactTime(time).slice(0, 10), exactTime(time).slice(11, 16)];
  return date === exactTime(now).slice(0, 10) ? clock : `${date} ${clock}`;
}
