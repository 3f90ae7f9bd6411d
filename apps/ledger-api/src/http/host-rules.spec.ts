import type { FastifyRequest } from 'fastify';
import { HostRules } from './host-rules.js';

const rules = new HostRules(['ledger.example', 'API.internal.'], []);

type Headers = Readonly<Record<string, string | undefined>>;

function codeOf(method: string, url: string, headers: Headers, by = rules): string {
  const request = { raw: { method, url, headers } } as unknown as FastifyRequest;
  const fault = by.errorOf(request) as (Error & { code: string }) | undefined;
  return fault?.code ?? 'none';
}

describe('HostRules', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:3000',
    '10.1.2.3:80',
    '[::1]',
    '[::1]:3443',
    '[::ffff:127.0.0.1]:1',
    'localhost',
    'LOCALHOST:8080',
    'localhost.',
    'localhost.:65535',
    'localhost:',
    'ledger.example',
    'Ledger.Example.:443',
    'api.internal',
  ])('serves Host: %s', (host) => {
    expect(codeOf('GET', '/', { host })).toBe('none');
    expect(codeOf('POST', '/', { host })).toBe('none');
  });

  it.each([
    'evil.example',
    'evil.localhost',
    'localhost.evil.example',
    'ledger.example.evil',
    'x-ledger.example',
    '127.1',
    '127.0.0.1.nip.io',
    '127.0.0.256',
    '2130706433',
    'localhost..',
    '%6cocalhost',
  ])('refuses Host: %s', (host) => {
    expect(codeOf('GET', '/', { host })).toBe('API.FOREIGN_HOST');
  });

  it.each([
    '',
    ' ',
    'localhost, localhost',
    'localhost,evil.example extra',
    'user@localhost',
    'localhost/',
    'local host',
    'localhost:x',
    'localhost:65536',
    'localhost:1:2',
    '::1',
    '[::1',
    '[::g]',
    '[127.0.0.1]',
    'a%zz',
    'é.example',
  ])('refuses the invalid Host: %j', (host) => {
    expect(codeOf('GET', '/', { host })).toBe('API.INVALID_REQUEST');
  });

  it('prefers the host of the target, and accepts HTTP/1.0 without a host', () => {
    expect(codeOf('GET', 'http://localhost/x', { host: 'evil.example' })).toBe('none');
    expect(codeOf('GET', 'http://evil.example', { host: 'localhost' })).toBe('API.FOREIGN_HOST');
    expect(codeOf('GET', 'HTTPS://evil.example?x', { host: 'localhost' })).toBe('API.FOREIGN_HOST');
    expect(codeOf('GET', 'http://user@localhost/', { host: 'localhost' })).toBe('API.INVALID_REQUEST');
    expect(codeOf('GET', 'http://localhost/', { host: 'a b' })).toBe('API.INVALID_REQUEST');
    expect(codeOf('OPTIONS', '*', { host: 'localhost' })).toBe('none');
    expect(codeOf('GET', '/', {})).toBe('none');
  });

  it.each(['cross-site', 'same-site', 'same-origin, none', ''])('refuses writes of Sec-Fetch-Site: %s', (site) => {
    const headers = { host: 'localhost', 'sec-fetch-site': site };
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(codeOf(method, '/', headers)).toBe('API.CROSS_SITE');
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(codeOf(method, '/', headers)).toBe('none');
  });

  it.each(['same-origin', 'none'])('accepts writes of Sec-Fetch-Site: %s', (site) => {
    expect(codeOf('POST', '/', { host: 'localhost', 'sec-fetch-site': site, origin: 'null' })).toBe('none');
  });

  it.each([
    ['127.0.0.1:3000', 'http://127.0.0.1:3000', 'none'],
    ['[::1]:3443', 'https://[::1]:3443', 'none'],
    ['Ledger.Example', 'https://ledger.example', 'none'],
    ['127.0.0.1:3000', 'http://127.0.0.1:8080', 'API.CROSS_SITE'],
    ['127.0.0.1:3000', 'http://localhost:3000', 'API.CROSS_SITE'],
    ['127.0.0.1:3000', 'null', 'API.CROSS_SITE'],
    ['127.0.0.1:3000', '', 'API.CROSS_SITE'],
    ['127.0.0.1:3000', 'file://127.0.0.1:3000', 'API.CROSS_SITE'],
    [undefined, 'http://localhost', 'API.CROSS_SITE'],
  ])('decides about a write to %s from the origin %s: %s', (host, origin, expected) => {
    expect(codeOf('PUT', '/', { host, origin })).toBe(expected);
    expect(codeOf('GET', '/', { host, origin })).toBe('none');
  });

  it('serves any valid host with authentication', () => {
    const anyHost = new HostRules(undefined, []);
    for (const host of ['evil.example', '127.1', 'ledger.example:3000']) {
      expect(codeOf('POST', '/', { host }, anyHost)).toBe('none');
    }
    for (const host of ['', 'a, b', 'a b', 'a:99999']) {
      expect(codeOf('GET', '/', { host }, anyHost)).toBe('API.INVALID_REQUEST');
    }
  });

  it('accepts writes from the pages of configured origins only', () => {
    const pages = new HostRules(undefined, ['https://app.example']);
    const write = (origin: string) =>
      codeOf('POST', '/', { host: 'ledger.example', origin, 'sec-fetch-site': 'cross-site' }, pages);
    expect(write('https://app.example')).toBe('none');
    for (const origin of ['https://evil.example', 'http://app.example', 'https://app.example:8443', 'null', '']) {
      expect(write(origin)).toBe('API.CROSS_SITE');
    }
  });
});
