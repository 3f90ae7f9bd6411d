import fc from 'fast-check';
import { durationText, successRate } from './proxy-stats.js';

describe('durationText', () => {
  it.each([
    [0, '0s'],
    [999, '0s'],
    [1000, '1s'],
    [59_999, '59s'],
    [60_000, '1m0s'],
    [61_000, '1m1s'],
    [3_599_000, '59m59s'],
    [3_600_000, '1h0m0s'],
    [9_015_000, '2h30m15s'],
    [176_400_000, '49h0m0s'],
    [-5, '0s'],
  ])('prints %i ms as %s', (milliseconds, text) => {
    expect(durationText(milliseconds)).toBe(text);
  });

  it('adds up to the given whole seconds', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 12 }), (milliseconds) => {
        const parts = [...durationText(milliseconds).matchAll(/(\d+)([hms])/g)];
        const unit: Record<string, number> = { h: 3600, m: 60, s: 1 };
        const seconds = parts.reduce((sum, [, count, name]) => sum + Number(count) * unit[name!]!, 0);
        expect(seconds).toBe(Math.floor(milliseconds / 1000));
      }),
    );
  });
});

describe('successRate', () => {
  it.each([
    [0, 0, 100],
    [1, 0, 100],
    [0, 1, 0],
    [1, 1, 50],
    [2, 1, 66.67],
    [1, 2, 33.33],
    [9_852, 148, 98.52],
  ])('is, after %i successes and %i failures, %d', (succeeded, failed, rate) => {
    expect(successRate(succeeded, failed)).toBe(rate);
  });
});
