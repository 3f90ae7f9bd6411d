import { join } from 'node:path';

/** Returns the directory for copies of lists: that of systemd, or the user's cache directory; undefined if there is none. */
export function copiesDirectory(environment: NodeJS.ProcessEnv): string | undefined {
  const { CACHE_DIRECTORY: ofUnit = '', XDG_CACHE_HOME: ofUser = '', HOME: home = '' } = environment;
  const [first = ''] = ofUnit.split(':');
  if (first.startsWith('/')) return join(first, 'lists');
  if (ofUser.startsWith('/')) return join(ofUser, 'proxy-client', 'lists');
  return home.startsWith('/') ? join(home, '.cache', 'proxy-client', 'lists') : undefined;
}
