import { describe, expect, it } from '@jest/globals';
import { lastHours, rangeOf } from './hours.js';

describe('the hours of the chart', () => {
  it('include those without transactions, up to the newest one that has some', () => {
    const hours = lastHours([
      { hour: '2026-01-01T00:00:00.000Z', transactions: 9 },
      { hour: '2026-01-30T12:00:00.000Z', transactions: 3 },
      { hour: '2026-01-30T14:00:00.000Z', transactions: 5 },
    ]);
    expect(hours).toHaveLength(48);
    expect(hours.slice(-3).map(({ transactions }) => transactions)).toEqual([3, 0, 5]);
    // Older ones are not moved next to the others.
    expect(hours.reduce((sum, { transactions }) => sum + transactions, 0)).toBe(8);
    expect(rangeOf(hours.at(-1)!)).toEqual({ since: '2026-01-30T14:00:00.000Z', until: '2026-01-30T15:00:00.000Z' });
  });

  it('are none in an empty ledger', () => {
    expect(lastHours([])).toEqual([]);
  });
});
