import { copiesDirectory } from './copies-directory.js';

describe('copiesDirectory', () => {
  it.each([
    [{ CACHE_DIRECTORY: '/var/cache/a:/var/cache/b', XDG_CACHE_HOME: '/x' }, '/var/cache/a/lists'],
    [{ XDG_CACHE_HOME: '/x', HOME: '/home/me' }, '/x/proxy-client/lists'],
    [{ XDG_CACHE_HOME: 'relative', HOME: '/home/me' }, '/home/me/.cache/proxy-client/lists'],
    [{ HOME: '' }, undefined],
    [{}, undefined],
  ])('of %j is %s', (environment, expected) => {
    expect(copiesDirectory(environment)).toBe(expected);
  });
});
