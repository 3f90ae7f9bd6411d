import type { ResponseHead } from '../http/response-reader.js';
import { failureOfAnswer, type HttpUpstream } from './http-upstream.js';
import { upstreamsOf } from './testing/upstreams-of.js';

function headOf(status: number, proxyStatus?: string): ResponseHead {
  const lines = proxyStatus === undefined ? [] : [{ kind: 'proxy-status', value: proxyStatus }];
  return { status, lines } as unknown as ResponseHead;
}

describe('failureOfAnswer', () => {
  it.each([
    [401, false, 'upstream_denied', 'target'],
    [401, true, 'auth_failed', 'server'],
    [403, true, 'upstream_denied', 'target'],
    [405, false, 'upstream_denied', 'target'],
    [407, false, 'upstream_auth_required', 'server'],
    [407, true, 'auth_failed', 'server'],
    [408, false, 'upstream_target_timeout', 'target'],
    [418, false, 'upstream_answered', 'server'],
    [500, false, 'upstream_cannot_connect', 'target'],
    [502, false, 'upstream_cannot_connect', 'target'],
    [503, true, 'upstream_cannot_connect', 'target'],
    [504, false, 'upstream_target_timeout', 'target'],
  ] as const)('reads the status %d, with credentials: %s, as %s', (status, hasCredentials, category, fault) => {
    const { category: found, facts } = failureOfAnswer(headOf(status), hasCredentials);
    expect([found, facts]).toEqual([category, { fault, detail: `HTTP ${status}` }]);
  });

  it('quotes the error type of a Proxy-Status, and nothing else of the answer', () => {
    const head = headOf(502, 'secret.example; error=dns_error; details="secret"');
    const { facts } = failureOfAnswer(head, false);
    expect(facts.detail).toBe('HTTP 502, dns_error');
  });
});

describe('HttpUpstream', () => {
  it('keeps its state when a forwarded request is answered with 407: any origin could mark it as down', () => {
    const config = { name: 'a', kind: 'http', host: '127.0.0.1', port: 1, plain: 'forward' } as const;
    const upstream = upstreamsOf({ upstreams: [config] }).upstreams.server('a')!;
    upstream.health.markUp();
    expect((upstream as HttpUpstream).forwarding?.refusalOf(headOf(407))).toMatchObject({
      category: 'upstream_auth_required',
      facts: { detail: 'hop a: HTTP 407' },
    });
    expect(upstream.health.status).toMatchObject({ state: 'up', last_failure: null });
  });
});
