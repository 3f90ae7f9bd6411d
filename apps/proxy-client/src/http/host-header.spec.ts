import { hostOf, isTrustedHost } from './authority.js';

describe('hostOf', () => {
  it.each([
    ['example.com', 'example.com'],
    ['Example.COM:8080', 'example.com'],
    ['127.0.0.1:80', '127.0.0.1'],
    ['[::1]', '::1'],
    ['[::FFFF:127.0.0.1]:8080', '::ffff:127.0.0.1'],
    ['', undefined],
    ['a:b', undefined],
    ['a:80:80', undefined],
    ['::1', undefined],
    ['[::1', undefined],
    ['[::1%25eth0]', undefined],
    ['user@host', undefined],
    ['a b', undefined],
    ['host:999999', undefined],
  ])('of %j is %j', (authority, host) => {
    expect(hostOf(authority)).toBe(host);
  });
});

describe('isTrustedHost (DNS rebinding)', () => {
  const allowed = new Set(['proxy.lan']);
  it.each([
    ['127.0.0.1:8080', true],
    ['10.1.2.3', true],
    ['[::1]:8080', true],
    ['[::1]:1', true],
    ['localhost', true],
    ['LOCALHOST:1', true],
    ['proxy.lan:8080', true],
    ['Proxy.LAN', true],
    ['evil.example', false],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example', false],
    ['127.1', false],
    ['0x7f.1', false],
    ['0x7f000001', false],
    ['2130706433', false],
    ['localhost.', false],
    ['', false],
    [undefined, false],
  ])('%j: %j', (host, trusted) => {
    expect(isTrustedHost(host, allowed)).toBe(trusted);
  });
});
