import type { ListenerConfig } from '../config/proxy-client-config.js';
import { OwnAuthorities } from './own-authorities.js';

function own(host: string, address: string, port = 8080, allowedHosts: string[] = []) {
  const listener: ListenerConfig = { mode: 'http', host, port: 0, allowedHosts };
  return new OwnAuthorities(listener, { address, port });
}

describe('OwnAuthorities', () => {
  it.each([
    ['127.0.0.1:8080', true],
    ['localhost:8080', true],
    ['LocalHost:8080', true],
    ['proxy.lan:8080', true],
    ['127.0.0.1', false],
    ['127.0.0.1:80', false],
    ['127.0.0.1:08080', false],
    ['127.0.0.2:8080', false],
    ['[::1]:8080', false],
    ['user@127.0.0.1:8080', false],
    ['example.com:8080', false],
  ])('on 127.0.0.1:8080, %s: %j', (authority, expected) => {
    expect(own('127.0.0.1', '127.0.0.1', 8080, ['Proxy.lan']).has(authority)).toBe(expected);
  });

  it('writes IPv6 in brackets', () => {
    const authorities = own('::1', '::1');
    expect(['[::1]:8080', 'localhost:8080', '::1:8080'].map((each) => authorities.has(each))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('includes the bare names on port 80', () => {
    expect(own('127.0.0.1', '127.0.0.1', 80).has('localhost')).toBe(true);
  });

  it.each(['0.0.0.0', '::'])('knows every address of the machine when it listens on %s', (address) => {
    const authorities = own(address, address);
    expect(authorities.has('127.0.0.1:8080')).toBe(true);
    expect(authorities.has('localhost:8080')).toBe(true);
  });
});
