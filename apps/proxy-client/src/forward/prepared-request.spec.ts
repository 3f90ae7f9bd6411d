import { ProxyFailure } from '../failure/proxy-failure.js';
import { splitRequestTarget } from './prepared-request.js';

function category(method: string, url: string, host?: string): string {
  try {
    splitRequestTarget(method, url, host);
    return 'taken';
  } catch (error) {
    return ProxyFailure.from(error).category;
  }
}

describe('readTarget', () => {
  it.each([
    ['http://a/b/../c/./%2e%2E//x;y?z=%zz&"<>\\^`{|}', 'a', '/b/../c/./%2e%2E//x;y?z=%zz&"<>\\^`{|}'],
    ['http://a', 'a', '/'],
    ['http://a/', 'a', '/'],
    ['http://a?x=http://b/c', 'a', '/?x=http://b/c'],
    ['HTTP://A:80/X', 'A:80', '/X'],
    ['http://[::1]:81/x', '[::1]:81', '/x'],
    ['http:///x', '', '/x'],
    ['http://127.1/', '127.1', '/'],
  ])('splits absolute-form %j byte for byte (RFC 9112, section 3.2.2)', (url, authority, path) => {
    expect(splitRequestTarget('GET', url, 'ignored')).toEqual({ authority, path });
  });

  it('keeps origin-form unchanged, with Host as the authority (RFC 9112, section 3.2.1)', () => {
    expect(splitRequestTarget('GET', '//a/../b?c', 'h:81')).toEqual({ authority: 'h:81', path: '//a/../b?c' });
    expect(category('GET', '/x')).toBe('bad_request');
  });

  it('turns OPTIONS without path and query into asterisk-form (RFC 9112, section 3.2.4)', () => {
    expect(splitRequestTarget('OPTIONS', 'http://a:81', undefined)).toEqual({ authority: 'a:81', path: '*' });
    expect(splitRequestTarget('OPTIONS', 'http://a/', undefined).path).toBe('/');
    expect(splitRequestTarget('OPTIONS', 'http://a?x', undefined).path).toBe('/?x');
    expect(splitRequestTarget('OPTIONS', '*', 'a')).toEqual({ authority: 'a', path: '*' });
    expect(category('GET', '*', 'a')).toBe('bad_request');
  });

  it.each(['https://a/', 'ftp://a/', 'ws://a/', 'file:///etc/passwd', 'a+b.c-d://x'])(
    'does not forward %j (RFC 9110, section 7.4)',
    (url) => {
      expect(category('GET', url, 'a')).toBe('scheme_not_supported');
    },
  );

  it.each(['a:443', 'http:a', 'http:/a', '', 'x', '://a', 'mailto:x@y', 'http://a/#x', '/x#y'])(
    'refuses %j (RFC 9112, section 3.2)',
    (url) => {
      expect(category('GET', url, 'a')).toBe('bad_request');
    },
  );
});
