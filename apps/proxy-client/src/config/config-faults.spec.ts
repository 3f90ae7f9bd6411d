import { nearest } from './config-faults.js';

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

  it('selects the closest of several', () => {
    expect(nearest('warn', ['error', 'ward', 'warn'])).toBe('warn');
  });
});
