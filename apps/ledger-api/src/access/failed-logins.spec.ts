import { FailedLogins } from './login.js';

describe('FailedLogins', () => {
  let now = 0;
  const add = (failed: FailedLogins, address: string, times = 1) =>
    Array.from({ length: times }, () => failed.add(address));

  it('permits 20 failures in a row, then one every three seconds, and reports the first refusal', () => {
    const failed = new FailedLogins(() => now);
    expect(add(failed, '192.0.2.1', 20)).toEqual(Array(20).fill({ isLogged: true }));
    expect(add(failed, '192.0.2.1', 3)).toEqual([true, false, false].map((isLogged) => ({ retryAfter: 3, isLogged })));
    now += 1500;
    expect(failed.add('192.0.2.1')).toEqual({ retryAfter: 2, isLogged: false });
    now += 1500;
    expect(add(failed, '192.0.2.1', 3)).toEqual([
      { isLogged: true },
      { retryAfter: 3, isLogged: true },
      { retryAfter: 3, isLogged: false },
    ]);
    now += 3_600_000;
    expect(add(failed, '192.0.2.1', 21).filter(({ retryAfter }) => retryAfter === undefined)).toHaveLength(20);
  });

  it('keeps addresses apart, those of one /64 together', () => {
    const failed = new FailedLogins(() => now);
    add(failed, '192.0.2.1', 20);
    expect(failed.add('192.0.2.2').retryAfter).toBeUndefined();
    for (let host = 1; host <= 20; host++) failed.add(`2001:db8:0:1::${host.toString(16)}`);
    expect(failed.add('2001:db8:0:1:ffff:ffff:ffff:ffff').retryAfter).toBe(3);
    expect(failed.add('2001:0db8:0000:0001::').retryAfter).toBe(3);
    expect(failed.add('2001:db8:0:2::1').retryAfter).toBeUndefined();
    expect(failed.add('::1').retryAfter).toBeUndefined();
  });

  it('forgets those that failed longest ago when there are too many', () => {
    const failed = new FailedLogins(() => now);
    add(failed, '192.0.2.1', 21);
    for (let index = 0; index < 10_000; index++) failed.add(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
    expect(failed.add('192.0.2.1').retryAfter).toBeUndefined();
  });
});
