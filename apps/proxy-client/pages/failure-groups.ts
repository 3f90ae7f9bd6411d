import type { FailureEntry, FailureList, RejectedRequest } from './api.ts';

/** Failures of one category that look the same, and the time of the latest. */
interface FailureSource extends Pick<FailureEntry, 'target' | 'upstream' | 'rule' | 'detail' | 'at'> {
  /** The user, else the client's address. */
  readonly client: string | null;
  readonly count: number;
}

/** Failures of one category, with its hint. */
interface FailureGroup extends Pick<FailureEntry, 'category' | 'hint'> {
  /** Null for requests that the configuration refused. */
  readonly status: number | null;
  readonly count: number;
  readonly sources: readonly FailureSource[];
}

type Entry = FailureEntry | (Omit<FailureEntry, 'status'> & { readonly status: null });

const HINTS: Readonly<Record<RejectedRequest['category'], string>> = {
  rejected: 'The rules of the configuration refuse these requests.',
  own_address: 'The target is a port of this proxy itself, which would call itself.',
};

/** Groups failures, then requests that the configuration refused; groups and sources are sorted by their latest request. */
export function groupFailures({ failures, rejections }: Pick<FailureList, 'failures' | 'rejections'>): FailureGroup[] {
  return [...groups(failures), ...groups(rejections.map(entryOf))];
}

/** Presents a refused request like a failure: the text of its rule is the detail. */
function entryOf({ rule_text: detail, ...request }: RejectedRequest): Entry {
  return { ...request, detail, status: null, hint: HINTS[request.category], upstream: null };
}

/** @param entries - newest first */
function groups(entries: readonly Entry[]): FailureGroup[] {
  return grouped(entries, ({ category }) => category).map((of) => {
    const [{ category, hint, status }] = of;
    // By the values shown, so that no two rows look the same.
    const sources = grouped(of, ({ target, upstream, rule, user, client, detail }) =>
      JSON.stringify([target, upstream, rule, user ?? client, detail]),
    );
    return {
      ...{ category, hint, status, count: of.length },
      sources: sources.map(([{ target, upstream, rule, user, client, detail, at }, ...others]) => {
        return { target, upstream, rule, client: user ?? client, detail, count: 1 + others.length, at };
      }),
    };
  });
}

function grouped(entries: readonly Entry[], key: (entry: Entry) => string): (readonly [Entry, ...Entry[]])[] {
  return [...Map.groupBy(entries, key).values()] as [Entry, ...Entry[]][];
}

/** Formats a category: `Upstream unreachable`. */
export function categoryName(category: string): string {
  if (category === 'rejected') return 'Rejected by a rule';
  const words = category
    .replaceAll('_', ' ')
    .replace(/\bssh\b/, 'SSH')
    .replace(/\bhttp\b/, 'HTTP');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
