import type { FileSource } from '../routing/rules/loaded-file.js';
import type { ConfigLocation } from './config-faults.js';

const SHORTEST_REFRESH = 60_000;

/** The keys of a file that is loaded after the configuration was read. */
interface SourceKeys {
  readonly file?: string | undefined;
  readonly url?: string | undefined;
  readonly refresh: number;
  readonly via?: string | undefined;
}

/**
 * Returns where a file is, and reports faults.
 *
 * @param given - the keys without their defaults
 */
export function fileSourceOf(
  { file, url, refresh, via }: SourceKeys,
  given: Partial<SourceKeys>,
  location: ConfigLocation,
): FileSource | undefined {
  if (url === undefined) return localSource(file, given, location);
  if (file !== undefined) location.child('url').report('cannot be combined with file');
  if (refresh < SHORTEST_REFRESH) location.child('refresh').report('must be at least 1m');
  const problem = problemOfUrl(url);
  if (problem === undefined) return { url, refresh, via };
  location.child('url').report(problem);
  return undefined;
}

function localSource(
  file: string | undefined,
  { refresh, via }: Partial<SourceKeys>,
  location: ConfigLocation,
): FileSource | undefined {
  if (file === undefined) {
    location.report('must have file or url');
    return undefined;
  }
  for (const [name, value] of Object.entries({ refresh, via })) {
    if (value !== undefined) location.child(name).report('has no effect with file: omit it');
  }
  const { references } = location;
  if (references === undefined) return undefined;
  const path = references.locate(file, location.child('file'));
  return { file: path, mark: references.note(path) };
}

/** Returns the error in a URL, without its text. */
function problemOfUrl(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:\/\/[^/]/i.test(url)) return 'must be a URL such as https://lists.example/hosts.txt';
  if (parsed.username !== '' || parsed.password !== '') return 'must not contain a user name or password';
  return parsed.hash === '' ? undefined : 'must not contain a fragment (#)';
}

/** A query may contain a token. */
export function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? '';
}
