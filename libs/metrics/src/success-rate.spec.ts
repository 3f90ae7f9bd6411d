import { successRate } from './success-rate.js';

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
