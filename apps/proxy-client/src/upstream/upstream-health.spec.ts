import { Socks5Error, type Socks5ErrorCode } from '#socks5-protocol';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { failureOfSocksError } from './failure-of-socks-error.js';
import { type HealthChange, UpstreamHealth } from './upstream-health.js';

let now: number;
let health: UpstreamHealth;
let changes: HealthChange[];

beforeEach(() => {
  now = 0;
  changes = [];
  health = new UpstreamHealth('a', () => now);
  health.onChange = (change) => changes.push(change);
  health.markUp();
});

function timeOut(target: string): void {
  health.requestFailed(new ProxyFailure('timeout'), target);
}

function fail(code: Socks5ErrorCode): void {
  health.requestFailed(
    failureOfSocksError(
      new Socks5Error(code, 'test', { phase: 'request', ...(code === 'SOCKS5.REPLY' && { replyCode: 9 }) }),
      false,
    ),
    'x:1',
  );
}

describe('UpstreamHealth', () => {
  it('is suspect for 60 s after requests for three targets have timed out in a row', () => {
    for (const target of ['a:1', 'b:1']) timeOut(target);
    expect(health.isSuspect).toBe(false);
    timeOut('c:1');
    expect([health.isSuspect, health.state, health.status.suspect]).toEqual([true, 'up', true]);
    now = 59_999;
    expect(health.isSuspect).toBe(true);
    now = 60_000;
    expect([health.isSuspect, health.status.suspect]).toEqual([false, false]);
    expect(changes.map(({ to }) => to)).toEqual(['up', 'suspect']);
  });

  it('is not changed by 1,000 requests for one target that times out', () => {
    for (let count = 0; count < 1000; count += 1) timeOut('unreachable.example:443');
    expect([health.isSuspect, health.state, changes.length]).toEqual([false, 'up', 1]);
  });

  it('counts again from the start after a reply', () => {
    for (const target of ['a:1', 'b:1']) timeOut(target);
    health.replied();
    for (const target of ['c:1', 'd:1']) timeOut(target);
    expect(health.isSuspect).toBe(false);
    fail('SOCKS5.REPLY');
    timeOut('e:1');
    expect(health.isSuspect).toBe(false);
  });

  it('stays suspect when the server accepts the authentication', () => {
    for (const target of ['a:1', 'b:1', 'c:1']) timeOut(target);
    health.markUp();
    health.checkPassed(1);
    expect(health.isSuspect).toBe(true);
    health.replied();
    expect(health.isSuspect).toBe(false);
  });

  it('is down after a malformed reply, and unchanged when a connection breaks at the request', () => {
    fail('SOCKS5.CLOSED');
    expect(health.state).toBe('up');
    fail('SOCKS5.PROTOCOL');
    expect(health.state).toBe('down');
  });

  it('is shown with rounded latency and its last failure', () => {
    health.checkPassed(12.345);
    health.count(true);
    const since = health.status.since;
    expect(health.status).toEqual({
      state: 'up',
      suspect: false,
      since,
      down_since: null,
      latency_ms: 12.3,
      checked_at: expect.stringMatching(/Z$/) as string,
      last_failure: null,
      connections_opened: 1,
      connections_failed: 0,
    });
    health.checkFailed('upstream_unreachable');
    expect(health.status).toMatchObject({
      state: 'down',
      latency_ms: null,
      last_failure: { category: 'upstream_unreachable', at: expect.stringMatching(/Z$/) as string },
    });
  });
});
