import type { FailureEntry } from './api.ts';

/** Failures of one category with the same target, client and detail, and the time of the latest. */
interface FailureSource extends Pick<FailureEntry, 'target' | 'detail' | 'at'> {
  /** The user, else the client's address. */
  readonly client: string | null;
  readonly count: number;
}

/** Failures of one category, with its hint. */
interface FailureGroup extends Pick<FailureEntry, 'category' | 'hint' | 'status'> {
  readonly count: number;
  readonly sources: readonly FailureSource[];
}

/** Groups failures. @param failures - newest first; groups and sources are sorted by their latest failure */
export function groupFailures(failures: readonly FailureEntry[]): FailureGroup[] {
  return grouped(failures, ({ category }) => category).map((of) => {
    const [{ category, hint, status }] = of;
    // By the values shown, so that no two rows look the same.
    const sources = grouped(of, ({ target, user, client, detail }) => JSON.stringify([target, user ?? client, detail]));
    return {
      ...{ category, hint, status, count: of.length },
      sources: sources.map(([{ target, user, client, detail, at }, ...others]) => {
        return { target, client: user ?? client, detail, count: 1 + others.length, at };
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

/** Formats a category: `Upstream unreachable`. */
export function categoryName(category: string): string {
  const words = category
    .replaceAll('_', ' ')
    .replace(/\bssh\b/, 'SSH')
    .replace(/\bhttp\b/, 'HTTP');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
