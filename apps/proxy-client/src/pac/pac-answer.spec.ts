import { parsePacAnswer, urlForPac } from './pac-answer.js';

describe('parsePacAnswer', () => {
  it.each<readonly [string, readonly string[]]>([
    ['DIRECT', ['direct']],
    ['PROXY a:8080', ['http a 8080']],
    ['proxy a:8080;socks5 b:1; Direct ;', ['http a 8080', 'socks5 b 1', 'direct']],
    ['HTTP a:1; HTTPS b; SOCKS c; PROXY d', ['http a 1', 'https b 443', 'socks5 c 1080', 'http d 80']],
    [
      'PROXY [2001:db8::1]:3128; PROXY 2001:db8::1; PROXY [2001:db8::2]',
      ['http 2001:db8::1 3128', 'http 2001:db8::1 80', 'http 2001:db8::2 80'],
    ],
    ['SOCKS4 a:1; QUIC b:443; PROXY c:1', ['http c 1']],
    ['PROXY', []],
    ['PROXY a:0; PROXY a:70000; PROXY a b:1', []],
    ['PROXY http://a:8080', []],
    ['', []],
    ['a:8080', []],
  ])('reads %j', (text, expected) => {
    const entries = parsePacAnswer(text).map((each) =>
      each.kind === 'direct' ? 'direct' : `${each.kind} ${each.host} ${each.port}`,
    );
    expect(entries).toEqual(expected);
  });
});

it('reads the first 32 entries', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `PROXY a${index}:1`).join(';');
  expect(parsePacAnswer(many)).toHaveLength(32);
});

describe('urlForPac', () => {
  it.each([
    ['a.example', 443, 'https://a.example/'],
    ['a.example', 8443, 'https://a.example:8443/'],
    ['2001:db8::1', 443, 'https://[2001:db8::1]/'],
  ])('of %s and port %d is %s', (host, port, expected) => {
    expect(urlForPac({ host, port }, undefined)).toBe(expected);
  });

  it('of a plain request is its URL', () => {
    expect(urlForPac({ host: 'a', port: 80 }, 'http://a/b?c')).toBe('http://a/b?c');
  });
});
