import { nearest } from './nearest.js';

describe('nearest', () => {
  it.each([
    ['pasword', 'password'],
    ['Password', 'password'],
    ['user', undefined],
    ['hots', 'host'],
    ['', undefined],
  ])('takes %j for %j', (word, meant) => {
    expect(nearest(word, ['host', 'port', 'username', 'password'])).toBe(meant);
  });

  it.each([
    ['b', 'a', 'a'],
    ['xy', 'ab', undefined],
    ['xyc', 'abc', 'abc'],
    ['a'.repeat(65), 'a'.repeat(65), undefined],
  ])('takes for %j the candidate %j: %j', (word, candidate, meant) => {
    expect(nearest(word, [candidate])).toBe(meant);
  });

  it('selects the closest of several', () => {
    expect(nearest('warn', ['error', 'ward', 'warn'])).toBe('warn');
  });
});
