import { jest } from '@jest/globals';
import { ProxyStats } from '../stats/proxy-stats.js';
import { FailureReporter, LINES_PER_WINDOW, WINDOW_MS, type ProxyLog } from './failure-reporter.js';
import { FAILURES, type FailureCategory } from './failure-table.js';
import { ProxyFailure } from './proxy-failure.js';

type Line = readonly [level: string, fields: object, message: string];

function setUp() {
  const lines: Line[] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message]);
  const log: ProxyLog = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const stats = new ProxyStats();
  return { lines, stats, reporter: new FailureReporter(stats, log) };
}

describe('FailureReporter', () => {
  it.each(Object.keys(FAILURES) as FailureCategory[])('counts and logs %s as its row specifies', (category) => {
    const { lines, stats, reporter } = setUp();
    reporter.report(new ProxyFailure(category), { method: 'GET', target: 'h:80', client: '127.0.0.1' });
    const { socksKey, counted, status, proxyStatus } = new ProxyFailure(category).row;
    const { failedRequests, socks5Errors } = stats.snapshot();
    expect(failedRequests).toBe(counted ? 1 : 0);
    const expected = Object.fromEntries(Object.keys(socks5Errors).map((key) => [key, key === socksKey ? 1 : 0]));
    expect(socks5Errors).toEqual(expected);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.[1]).toMatchObject({ category, status, error: proxyStatus, target: 'h:80' });
  });

  it('logs further facts: reply code, detail, the code of the cause', () => {
    const { lines, reporter } = setUp();
    const reset = Object.assign(new Error('s3cret'), { code: 'ECONNRESET' });
    const cause = Object.assign(new Error('s3cret', { cause: reset }), { code: 'SOCKS5.CLOSED' });
    reporter.report(new ProxyFailure('upstream_closed', { replyCode: 9, detail: 'greeting' }, cause));
    expect(lines).toEqual([
      [
        'warn',
        {
          category: 'upstream_closed',
          status: 502,
          error: 'connection_terminated',
          socks5: 'connection_failed',
          replyCode: 9,
          detail: 'greeting',
          code: 'SOCKS5.CLOSED',
          system: 'ECONNRESET',
        },
        'request failed',
      ],
    ]);
  });

  it('keeps the stack of a fault of our own', () => {
    const { lines, reporter } = setUp();
    const cause = new TypeError('oops');
    reporter.report(ProxyFailure.from(cause));
    expect(lines[0]).toEqual([
      'error',
      expect.objectContaining({ category: 'internal', err: cause }),
      'request failed',
    ]);
  });

  it('is quiet about requests that did not come', () => {
    const { lines, reporter } = setUp();
    reporter.report(new ProxyFailure('request_timeout'));
    expect(lines.map(([level]) => level)).toEqual(['debug']);
  });

  it('logs a bounded number of lines per category and window, then the number of further ones', () => {
    jest.useFakeTimers();
    try {
      const { lines, stats, reporter } = setUp();
      for (let count = 0; count < LINES_PER_WINDOW + 5; count += 1) reporter.report(new ProxyFailure('timeout'));
      reporter.report(new ProxyFailure('loop'));
      expect(lines).toHaveLength(LINES_PER_WINDOW + 1);
      expect(stats.snapshot().socks5Errors.timeout).toBe(LINES_PER_WINDOW + 5);
      jest.advanceTimersByTime(WINDOW_MS);
      expect(lines.slice(LINES_PER_WINDOW + 1)).toEqual([
        ['warn', { category: 'timeout', count: 5 }, 'more requests failed for the same reason'],
      ]);
      reporter.report(new ProxyFailure('timeout'));
      expect(lines.at(-1)?.[2]).toBe('request failed');
    } finally {
      jest.useRealTimers();
    }
  });
});
