import type { components } from '../../../../docs/openapi/ledger-api.js';

type HourCount = components['schemas']['HourCount'];

const HOUR_MS = 3_600_000;
export const HOURS = 48;

/** The number of transactions in an hour. */
export interface Hour {
  /** Its beginning, in milliseconds. */
  readonly time: number;
  readonly transactions: number;
}

/** Returns the 48 hours up to the newest one that has transactions, also those without; none for an empty ledger. */
export function lastHours(counts: readonly HourCount[]): readonly Hour[] {
  const known = new Map(counts.map(({ hour, transactions }) => [Date.parse(hour), transactions]));
  if (known.size === 0) return [];
  const newest = Math.max(...known.keys());
  return Array.from({ length: HOURS }, (_, index) => {
    const time = newest - (HOURS - 1 - index) * HOUR_MS;
    return { time, transactions: known.get(time) ?? 0 };
  });
}

/** Returns the range of an hour, for a query. */
export function rangeOf({ time }: Hour): { readonly since: string; readonly until: string } {
  return { since: new Date(time).toISOString(), until: new Date(time + HOUR_MS).toISOString() };
}
