import { ProxyFailure } from '../failure/proxy-failure.js';
import { requestedTargetOf, requestLine, type LoggedRequest, type RequestEnd } from './request-line.js';

const client = { remoteAddress: '10.0.0.9', user: undefined, listener: '127.0.0.1:8080' };
const startedAt = Date.UTC(2026, 10, 2, 3, 4, 5, 678);
const got: LoggedRequest = {
  ...{ client, method: 'GET', requestedTarget: 'http://a.example/x?key=secret', startedAt },
  ...{ bytes: { sent: 12, received: 345 }, upstream: 'work', rule: 3 },
};

function common(request: Partial<LoggedRequest>, end: RequestEnd = { status: 200 }): string {
  return requestLine({ ...got, ...request }, end, { format: 'common', queries: false, setBy: '' });
}

function json(request: Partial<LoggedRequest>, end: RequestEnd, queries = false): Record<string, unknown> {
  const line = requestLine({ ...got, ...request }, end, { format: 'json', queries, setBy: '' });
  expect(line.endsWith('}\n')).toBe(true);
  const { ms, ...fields } = JSON.parse(line) as Record<string, unknown>;
  expect(ms).toBeGreaterThanOrEqual(0);
  return fields;
}

describe('a line in JSON', () => {
  it('contains who requested what, when, and the result', () => {
    expect(json({}, { status: 404 })).toEqual({
      ...{ time: '2026-11-02T03:04:05.678Z', listener: '127.0.0.1:8080', client: '10.0.0.9' },
      ...{
        method: 'GET',
        target: 'http://a.example/x',
        status: 404,
        sent: 12,
        received: 345,
        upstream: 'work',
        rule: 3,
      },
    });
    expect(json({}, { status: 200 }, true)['target']).toBe('http://a.example/x?key=secret');
  });

  it.each<[string, RequestEnd, object]>([
    ['CONNECT', { status: 200, relay: 'finished' }, { status: 200 }],
    ['CONNECT', { status: 200, relay: 'broken' }, { status: 200, error: 'broken' }],
    ['CONNECT', 'client_closed', { status: 499, error: 'client_left' }],
    ['SOCKS5', { status: 200, relay: 'finished' }, { status: 200, reply: 0 }],
    [
      'SOCKS5',
      { failure: new ProxyFailure('connection_refused') },
      { status: 502, reply: 5, error: 'connection_refused' },
    ],
    ['SOCKS5', { failure: new ProxyFailure('protocol_error', { replyCode: 77 }) }, { reply: 77 }],
    ['tunnel', { failure: new ProxyFailure('rejected', { rule: 2 }) }, { status: 403, error: 'rejected', rule: 2 }],
  ])('reports the outcome of %s when it ended with %j', (method, end, fields) => {
    expect(json({ method, requestedTarget: 'a.example:1', rule: undefined }, end)).toMatchObject(fields);
  });

  it('leaves out what is not known, and the end of what is very long', () => {
    const failure = new ProxyFailure('authentication_failed');
    const line = requestLine(
      { client, method: 'SOCKS5', requestedTarget: undefined },
      { failure },
      { format: 'json', queries: false, setBy: '' },
    );
    const fields = JSON.parse(line) as Record<string, unknown>;
    expect(Object.keys(fields)).toEqual([
      'time',
      'listener',
      'client',
      'method',
      'status',
      'error',
      'sent',
      'received',
      'ms',
    ]);
    expect(String(json({ requestedTarget: 'x'.repeat(100_000) }, { status: 200 })['target'])).toHaveLength(4097);
  });
});

describe('a line in the common log format', () => {
  it('has its seven fields', () => {
    expect(common({})).toBe('10.0.0.9 - - [02/Nov/2026:03:04:05 +0000] "GET http://a.example/x HTTP/1.1" 200 345\n');
  });

  it.each<[Partial<LoggedRequest>, string]>([
    [{ method: 'SOCKS5', requestedTarget: 'a.example:1' }, '"CONNECT a.example:1 SOCKS/5" 200 345'],
    [{ method: 'tunnel', requestedTarget: 'a.example:1' }, '"CONNECT a.example:1 TCP" 200 345'],
    [{ method: 'SOCKS5', requestedTarget: undefined }, '"CONNECT - SOCKS/5" 200 345'],
    [{ method: undefined, requestedTarget: undefined }, '"-" 200 345'],
    [{ requestedTarget: 'http://a.example/"\\\n' }, '"GET http://a.example/\\x22\\x5c\\x0a HTTP/1.1" 200 345'],
    [{ client: { ...client, user: 'Zoë "B" 1' } }, '- Zo\\xc3\\xab\\x20\\x22B\\x22\\x201 ['],
    [{ client: { listener: '' } }, '- - - ['],
  ])('shows %j as %s', (request, part) => {
    expect(common(request)).toContain(part);
  });
});

describe('what a request asks for', () => {
  it.each([
    [['CONNECT', 'a.example:443', 'b.example'], 'a.example:443'],
    [['GET', 'http://me:secret@a.example/x', undefined], 'http://a.example/x'],
    [['GET', 'http://a.example/@x', undefined], 'http://a.example/@x'],
    [['GET', '/x', 'a.example:81'], 'http://a.example:81/x'],
    [['GET', '/x', 'me:secret@a.example'], 'http://a.example/x'],
    [['GET', '/x', undefined], '/x'],
    [['OPTIONS', '*', undefined], '*'],
  ] as const)('is read from %j', ([method, target, host], asked) => {
    expect(requestedTargetOf({ method, target, host })).toBe(asked);
  });
});
