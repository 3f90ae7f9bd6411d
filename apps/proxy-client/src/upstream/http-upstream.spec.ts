import type { ResponseHead } from '../http/response-reader.js';
import type { HttpUpstream } from './http-upstream.js';
import { failureOfAnswer } from './proxy-answers.js';
import { upstreamsOf } from './testing/upstreams-of.js';

function headOf(status: number, proxyStatus?: string): ResponseHead {
  const lines = proxyStatus === undefined ? [] : [{ kind: 'proxy-status', name: 'Proxy-Status', value: proxyStatus }];
  return { status, lines } as unknown as ResponseHead;
}

function offering(...schemes: readonly string[]): ResponseHead {
  const lines = schemes.map((value) => ({ kind: 'proxy', name: 'Proxy-Authenticate', value }));
  return { status: 407, lines } as unknown as ResponseHead;
}

const LOGIN = { credentials: { username: 'me', password: 's3cret' } };
const NEGOTIATE = { negotiate: { service: 'HTTP@proxy.corp.example' } };

describe('failureOfAnswer', () => {
  it.each([
    [
      ['Negotiate', 'NTLM'],
      'upstream_ticket',
      /^The upstream server refused the ticket for HTTP\/proxy.corp.example: wrong service name/,
    ],
    [[], 'upstream_ticket', /refused the ticket/],
    [['Basic realm="a"'], 'upstream_scheme', /only Basic: set username and password instead of auth: negotiate\.$/],
    [['NTLM'], 'upstream_scheme', /only NTLM: run px or cntlm and name it as the upstream\.$/],
  ] as const)('reads a refusal that offers %j, with Kerberos, as %s', (schemes, category, text) => {
    const failure = failureOfAnswer(offering(...schemes), NEGOTIATE);
    expect([failure.category, failure.facts.fault]).toEqual([category, 'server']);
    expect(failure.text).toMatch(text);
  });

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
    const { category: found, facts } = failureOfAnswer(headOf(status), hasCredentials ? LOGIN : {});
    expect([found, facts]).toEqual([category, { fault, detail: `HTTP ${status}` }]);
  });

  it.each([
    [['NTLM'], 'only NTLM: run px or cntlm and name it as the upstream.'],
    [
      ['Negotiate', 'NTLM'],
      'only Negotiate, NTLM: set auth: negotiate, or run px or cntlm and name it as the upstream.',
    ],
    [['Negotiate'], 'only Negotiate: set auth: negotiate.'],
    [['Digest realm="a", nonce="b"'], 'only Digest: run px and name it as the upstream.'],
    [['Bearer'], 'only Bearer, which this proxy does not support.'],
    [['Secret1, Secret2 a=b'], 'only an unknown scheme, which this proxy does not support.'],
  ])('says of a server that offers %j what helps, whatever the credentials', (schemes, text) => {
    for (const hasCredentials of [false, true]) {
      const failure = failureOfAnswer(offering(...schemes), hasCredentials ? LOGIN : {});
      expect([failure.category, failure.facts.fault]).toEqual(['upstream_scheme', 'server']);
      expect(failure.text).toBe(`The upstream server offers ${text}`);
      expect(failure.facts.detail).not.toContain('Secret');
    }
  });

  it.each([
    [false, 'upstream_auth_required'],
    [true, 'auth_failed'],
  ])('expects a login from a server that offers Basic among others, with credentials: %s', (has, category) => {
    expect(failureOfAnswer(offering('Negotiate', 'NTLM, basic realm="a"'), has ? LOGIN : {})).toMatchObject({
      category,
    });
  });

  it('quotes the error type of a Proxy-Status, and nothing else of the answer', () => {
    const head = headOf(502, 'secret.example; error=dns_error; details="secret"');
    const { facts } = failureOfAnswer(head, {});
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
