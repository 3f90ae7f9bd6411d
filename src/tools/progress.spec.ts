import { jest } from '@jest/globals';
import { progressLines, remainingTime } from './progress.js';

it.each([
  [5, '05s left'],
  [125, '02m05s left'],
  ['NULL', 'remaining time unknown'],
  ['INF', 'remaining time unknown'],
])('shows the estimate %j as %j', (seconds, text) => {
  expect(remainingTime(seconds as number, { autopaddingChar: '0' }, 1)).toBe(text);
});

it('prints a line every 10 s into a file', () => {
  let now = 0;
  const written: unknown[] = [];
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(text) > 0);
  const progress = progressLines('Migrating', 'assets', () => now);
  for (const [time, done] of [
    [0, 1],
    [9999, 2],
    [10_000, 3],
    [19_999, 4],
    [20_000, 5],
  ] as const) {
    now = time;
    progress(done, 9);
  }
  write.mockRestore();
  expect(written).toEqual(['Migrating: 3 of 9 assets\n', 'Migrating: 5 of 9 assets\n']);
});
