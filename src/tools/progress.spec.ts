import { remainingTime } from './progress.js';

it.each([
  [5, '05s left'],
  [125, '02m05s left'],
  ['NULL', 'remaining time unknown'],
  ['INF', 'remaining time unknown'],
])('shows the estimate %j as %j', (seconds, text) => {
  expect(remainingTime(seconds as number, { autopaddingChar: '0' }, 1)).toBe(text);
});
