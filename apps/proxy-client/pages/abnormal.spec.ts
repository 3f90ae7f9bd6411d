import { describe, expect, it } from '@jest/globals';
import { failedShare, isSlow } from './abnormal.js';
import type { UpstreamStatus } from './api.js';

const upstream = (name: string, status: Partial<UpstreamStatus>) => ({ name, ...status }) as UpstreamStatus;

describe('isSlow', () => {
  const of = (...latencies: (number | null)[]) => {
    const all = latencies.map((latency_ms, index) => upstream(String(index), { latency_ms }));
    return all.map((each) => isSlow(each, all));
  };

  it.each([
    [
      [100, 30, 33],
      [true, false, false],
    ],
    [
      [90, 30, 33],
      [false, false, false],
    ],
    // A slow one does not make the others normal, nor does one that was not measured.
    [
      [100, 400, 30, null],
      [false, true, false, false],
    ],
    // Alone, there is nothing to compare.
    [[5000], [false]],
    [
      [5000, null],
      [false, false],
    ],
    // On the same machine.
    [
      [20, 1],
      [false, false],
    ],
  ])('%j: %j', (latencies, expected) => {
    expect(of(...latencies)).toEqual(expected);
  });
});

describe('failedShare', () => {
  it.each([
    [90, 30, 0.25],
    [90, 10, undefined],
    [0, 9, undefined],
    [0, 10, 1],
    [0, 0, undefined],
  ])('%i opened, %i failed: %s', (connections_opened, connections_failed, expected) => {
    expect(failedShare(upstream('a', { connections_opened, connections_failed }))).toBe(expected);
  });
});
