import type { FailureEntry } from './api.ts';

/** Failures of one kind, the latest first: what to do about them is told once. */
export interface FailureGroup {
  readonly category: string;
  readonly hint: string;
  readonly status: number;
  readonly failures: readonly FailureEntry[];
}

/** @param failures - the latest first; the groups come in the order of their latest */
export function groupFailures(failures: readonly FailureEntry[]): FailureGroup[] {
  const byCategory = Map.groupBy(failures, ({ category }) => category);
  return [...byCategory].flatMap(([category, of]) => {
    const [first] = of;
    return first === undefined ? [] : [{ category, hint: first.hint, status: first.status, failures: of }];
  });
}

/** A category as people say it: `Upstream unreachable`. */
export function categoryName(category: string): string {
  const words = category
    .replaceAll('_', ' ')
    .replace(/\bssh\b/, 'SSH')
    .replace(/\bhttp\b/, 'HTTP');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
