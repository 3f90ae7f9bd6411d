import type { ListenerStatus } from './api.js';
import { addressOf, programsFor } from './setup.js';

const listener = (more: Partial<ListenerStatus> = {}): ListenerStatus => ({
  ...{ mode: 'http', host: '127.0.0.1', port: 8080, to: null, asks_for_password: false },
  ...{ socket: null, tls: 'off', spki: null, valid_until: null },
  ...more,
});
const texts = (of: ListenerStatus, dashboardHost = 'localhost'): string[] =>
  programsFor(of, addressOf(of, dashboardHost)).flatMap(({ snippets }) => Object.values(snippets));

describe('setup of programs', () => {
  it('uses the actual address of the listener', () => {
    expect(texts(listener())).toContain('git config --global http.proxy http://127.0.0.1:8080');
    expect(texts(listener({ host: '::1' }))).toContain('git config --global http.proxy http://[::1]:8080');
  });

  it('uses the host of the dashboard for a listener on all addresses', () => {
    expect(addressOf({ host: '0.0.0.0', port: 1, socket: null }, 'proxy.lan').authority).toBe('proxy.lan:1');
    expect(addressOf({ host: '::', port: 1, socket: null }, '[fe80::1]').authority).toBe('[fe80::1]:1');
  });

  it('adds placeholders for a login, except in URLs for browsers', () => {
    const all = texts(listener({ asks_for_password: true }));
    expect(all).toContain('git config --global http.proxy http://USER:PASSWORD@127.0.0.1:8080');
    expect(all).toContain('chromium --proxy-server=http://127.0.0.1:8080');
  });

  it('uses https for a listener that requires TLS, and no program for SOCKS5 inside TLS', () => {
    expect(texts(listener({ tls: 'required' }))).toContain('git config --global http.proxy https://127.0.0.1:8080');
    expect(texts(listener({ tls: 'optional' }))).toContain('chromium --proxy-server=http://127.0.0.1:8080');
    expect(texts(listener({ tls: 'required', mode: 'socks5' }))).toEqual([]);
  });

  it('shows curl for a Unix socket, by the protocols of the listener', () => {
    const socket = { host: null, port: null, socket: '/run/proxy.sock' };
    expect(texts(listener(socket))).toEqual(['curl --unix-socket /run/proxy.sock http://example.com/']);
    expect(texts(listener({ ...socket, mode: 'socks5' }))).toEqual([
      'curl --proxy socks5h://localhost/run/proxy.sock https://example.com/',
    ]);
  });

  it('resolves names remotely with SOCKS5', () => {
    expect(texts(listener({ mode: 'socks5' }))).toContain('curl --proxy socks5h://127.0.0.1:8080 https://example.com/');
  });

  it('lists no program for a tunnel, and a hint about containers for loopback', () => {
    expect(texts(listener({ mode: 'tunnel', to: 'db:5432' }))).toEqual([]);
    const hints = (host: string) => {
      const of = listener({ host });
      return programsFor(of, addressOf(of, host)).flatMap(({ name, hint }) =>
        name === 'docker' && hint ? [hint] : [],
      );
    };
    expect([hints('127.0.0.1').length, hints('::1').length, hints('10.0.0.1').length]).toEqual([1, 1, 0]);
  });
});
