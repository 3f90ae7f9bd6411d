import { OwnPages, type PacPage } from './own-pages.js';

const isOwn = (authority: string) => authority === '127.0.0.1:8080';

const pac = (): PacPage => ({ status: 200, type: 'text/plain', text: '' });
const monitoring = { stats: () => ({}), health: () => ({}) };
const pages = new OwnPages({ monitoring, allowedHosts: [], pac, isOwn });

describe('OwnPages', () => {
  it.each([
    ['/stats', '127.0.0.1:8080', 'own'],
    ['/health', '127.0.0.1:8080', 'own'],
    ['/stats?x=1', '127.0.0.1:8080', 'own'],
    ['/stats', 'evil.example', 'own'],
    ['/stats', undefined, 'own'],
    ['/proxy.pac', 'example.com', 'own'],
    ['/stats/', '127.0.0.1:8080', 'own'],
    ['/Stats', '127.0.0.1:8080', 'own'],
    ['/', '127.0.0.1:8080', 'own'],
    ['/docs', '127.0.0.1:8080', 'own'],
    ['*', '127.0.0.1:8080', 'own'],
    ['/', 'example.com', 'proxy'],
    ['/statsx', 'example.com', 'proxy'],
    ['/', undefined, 'proxy'],
    ['*', 'example.com', 'proxy'],
    ['http://example.com/stats', 'example.com', 'proxy'],
    ['http://example.com/health', '127.0.0.1:8080', 'proxy'],
    ['http://127.0.0.1:8080/stats', 'example.com', 'own'],
    ['HTTP://127.0.0.1:8080/health?a', '127.0.0.1:8080', 'own'],
    ['http://127.0.0.1:8080', '127.0.0.1:8080', 'own'],
    ['http://127.0.0.1:8080?/stats', '127.0.0.1:8080', 'own'],
    ['http://127.0.0.1:8080/x', '127.0.0.1:8080', 'own'],
    ['http://user@127.0.0.1:8080/stats', '127.0.0.1:8080', 'proxy'],
    ['http://127.0.0.1:80800/stats', '127.0.0.1:8080', 'proxy'],
    ['https://127.0.0.1:8080/stats', '127.0.0.1:8080', 'proxy'],
    ['example.com:443', '127.0.0.1:8080', 'proxy'],
  ])('sends %s with Host %s to %s', (target, host, route) => {
    expect(pages.find({ target, host }) === undefined ? 'proxy' : 'own').toBe(route);
  });

  it.each([
    ['/stats', '/stats', 'h'],
    ['/stats?a=/b', '/stats', 'h'],
    ['http://127.0.0.1:8080/stats', '/stats', '127.0.0.1:8080'],
    ['http://127.0.0.1:8080/stats?a=/b', '/stats', '127.0.0.1:8080'],
    ['http://127.0.0.1:8080', '/', '127.0.0.1:8080'],
    ['HTTP://127.0.0.1:8080?q', '/', '127.0.0.1:8080'],
  ])('%s is the page %s under %s', (target, path, host) => {
    expect(pages.find({ target, host: 'h' })).toEqual({ path, host });
  });
});
