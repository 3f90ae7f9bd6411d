import { ownPath, requestRoute } from './request-route.js';

const isOwn = (authority: string) => authority === '127.0.0.1:8080';

describe('requestRoute', () => {
  it.each([
    ['/stats', '127.0.0.1:8080', 'monitoring'],
    ['/health', '127.0.0.1:8080', 'monitoring'],
    ['/stats?x=1', '127.0.0.1:8080', 'monitoring'],
    ['/stats', 'evil.example', 'monitoring'],
    ['/stats', undefined, 'monitoring'],
    ['/stats/', '127.0.0.1:8080', 'not_found'],
    ['/Stats', '127.0.0.1:8080', 'not_found'],
    ['/', '127.0.0.1:8080', 'not_found'],
    ['/docs', '127.0.0.1:8080', 'not_found'],
    ['*', '127.0.0.1:8080', 'not_found'],
    ['/', 'example.com', 'proxy'],
    ['/statsx', 'example.com', 'proxy'],
    ['/', undefined, 'proxy'],
    ['*', 'example.com', 'proxy'],
    ['http://example.com/stats', 'example.com', 'proxy'],
    ['http://example.com/health', '127.0.0.1:8080', 'proxy'],
    ['http://127.0.0.1:8080/stats', 'example.com', 'monitoring'],
    ['HTTP://127.0.0.1:8080/health?a', '127.0.0.1:8080', 'monitoring'],
    ['http://127.0.0.1:8080', '127.0.0.1:8080', 'not_found'],
    ['http://127.0.0.1:8080?/stats', '127.0.0.1:8080', 'not_found'],
    ['http://127.0.0.1:8080/x', '127.0.0.1:8080', 'not_found'],
    ['http://user@127.0.0.1:8080/stats', '127.0.0.1:8080', 'proxy'],
    ['http://127.0.0.1:80800/stats', '127.0.0.1:8080', 'proxy'],
    ['https://127.0.0.1:8080/stats', '127.0.0.1:8080', 'proxy'],
    ['example.com:443', '127.0.0.1:8080', 'proxy'],
  ])('sends %s with Host %s to %s', (url, host, route) => {
    expect(requestRoute({ url, host }, isOwn)).toBe(route);
  });
});

describe('ownPath', () => {
  it.each([
    ['http://h:1/stats', '/stats'],
    ['http://h:1/stats?a=/b', '/stats?a=/b'],
    ['http://h:1', '/'],
    ['http://h:1?q', '/?q'],
  ])('of %s is %s', (url, path) => {
    expect(ownPath(url)).toBe(path);
  });
});
