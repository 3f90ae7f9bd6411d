import type { FailureEntry } from './api.ts';

/** Where something failed, for whom, how often, and when it did so last. */
export interface FailurePlace {
  readonly target: string | null;
  /** The user who asked, else the client's address. */
  readonly who: string | null;
  readonly detail: string | null;
  readonly times: number;
  readonly at: string;
}

/** Failures of one kind: what to do about them is told once. */
export interface FailureGroup {
  readonly category: string;
  readonly hint: string;
  readonly status: number;
  readonly times: number;
  readonly places: readonly FailurePlace[];
}

/** @param failures - the latest first; groups and their places come in the order of their latest */
export function groupFailures(failures: readonly FailureEntry[]): FailureGroup[] {
  return grouped(failures, ({ category }) => category).map((of) => {
    const [{ category, hint, status }] = of;
    // Two places differ in what is shown of them: by that the page tells them apart.
    const places = grouped(of, ({ target, user, client, detail }) => JSON.stringify([target, user ?? client, detail]));
    return {
      ...{ category, hint, status, times: of.length },
      places: places.map(([{ target, user, client, detail, at }, ...others]) => {
        return { target, who: user ?? client, detail, times: 1 + others.length, at };
      }),
    };
  });
}

function grouped(
  failures: readonly FailureEntry[],
  key: (failure: FailureEntry) => string,
): (readonly [FailureEntry, ...FailureEntry[]])[] {
  return [...Map.groupBy(failures, key).values()] as [FailureEntry, ...FailureEntry[]][];
}

/** A category as people say it: `Upstream unreachable`. */
export function categoryName(category: string): string {
  const words = category
    .replaceAll('_', ' ')
    .replace(/\bssh\b/, 'SSH')
    .replace(/\bhttp\b/, 'HTTP');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
