import { ProxyFailure } from '../../failure/proxy-failure.js';
import { nextMaxForwards } from './max-forwards.js';

describe('nextMaxForwards (RFC 9110, section 7.6.2)', () => {
  it.each([
    [undefined, undefined],
    ['0', 'here'],
    ['00', 'here'],
    ['1', 0],
    ['70', 69],
  ])('turns %j into %s', (value, next) => {
    expect(nextMaxForwards(value)).toBe(next);
  });

  it.each(['', '-1', '+1', '1.5', 'x', '1, 2', '99999999999'])('refuses %j', (value) => {
    expect(() => nextMaxForwards(value)).toThrow(ProxyFailure);
  });
});
