import type { ListenerStatus } from './api.js';
import { listenerName, placeOf, programsFor } from './setup.js';

const listener = (more: Partial<ListenerStatus> = {}): ListenerStatus => ({
  ...{ mode: 'http', host: '127.0.0.1', port: 8080, to: null, asks_for_password: false },
  ...more,
});
const texts = (of: ListenerStatus, shownBy = 'localhost'): string[] =>
  programsFor(of, placeOf(of, shownBy)).flatMap(({ snippets }) => snippets.map(({ text }) => text));

describe('how programs are set up', () => {
  it('names the address that the listener really has', () => {
    expect(texts(listener())).toContain('git config --global http.proxy http://127.0.0.1:8080');
    expect(texts(listener({ host: '::1' }))).toContain('git config --global http.proxy http://[::1]:8080');
  });

  it('names a listener on every address as the page was reached', () => {
    expect(placeOf({ host: '0.0.0.0', port: 1 }, 'proxy.lan').authority).toBe('proxy.lan:1');
    expect(placeOf({ host: '::', port: 1 }, '[fe80::1]').authority).toBe('[fe80::1]:1');
  });

  it('leaves room for a login where one is asked for, but not where a browser would not take it', () => {
    const all = texts(listener({ asks_for_password: true }));
    expect(all).toContain('git config --global http.proxy http://USER:PASSWORD@127.0.0.1:8080');
    expect(all).toContain('chromium --proxy-server=http://127.0.0.1:8080');
  });

  it('has names looked up at the other end of SOCKS5', () => {
    expect(texts(listener({ mode: 'socks5' }))).toContain('curl --proxy socks5h://127.0.0.1:8080 https://example.com/');
  });

  it('has no program for a tunnel, and says of docker what containers reach', () => {
    expect(texts(listener({ mode: 'tunnel', to: 'db:5432' }))).toEqual([]);
    const hints = (host: string) => {
      const of = listener({ host });
      return programsFor(of, placeOf(of, host)).flatMap(({ name, hint }) => (name === 'docker' && hint ? [hint] : []));
    };
    expect([hints('127.0.0.1').length, hints('::1').length, hints('10.0.0.1').length]).toEqual([1, 1, 0]);
  });

  it('tells listeners apart', () => {
    const of = listener({ mode: 'mixed' });
    expect(listenerName(of, placeOf(of, 'localhost'))).toBe('mixed 127.0.0.1:8080');
  });
});
