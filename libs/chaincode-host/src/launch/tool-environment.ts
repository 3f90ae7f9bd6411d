import { homedir } from 'node:os';
import { delimiter } from 'node:path';

/** The variables that a build may need: where tools and their caches are, and how the network is reached. */
const VARIABLES =
  /^(?:PATH|HOME|TMPDIR|LANG|XDG_CACHE_HOME|GO[A-Z0-9_]*|CGO_[A-Z_]+|CC|CXX|(?:https?|no|all)_proxy|SSL_CERT_(?:FILE|DIR))$/i;

/** Returns the environment of a build. It contains no variable of the ledger, which may be secret. */
export function toolEnvironment(): Readonly<Record<string, string | undefined>> {
  const variables = Object.entries(process.env).filter(([name]) => VARIABLES.test(name));
  // A service may have no HOME, where tools have their caches.
  return { HOME: homedir(), ...Object.fromEntries(variables) };
}

/** Returns the directories of PATH. */
export function programDirectories(): readonly string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter((each) => each !== '');
}
