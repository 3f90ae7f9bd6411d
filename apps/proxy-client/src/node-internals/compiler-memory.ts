import { setFlagsFromString } from 'node:v8';

/** The V8 of Node 24, in which the flag was tried: of one that it does not know, V8 complains on stderr. */
const KNOWN = '13.6.';

/**
 * Has V8 take the work of its compiler Maglev apart on the thread that it was made for. By default another thread does
 * that, and the memory of both stays in pieces: 10 to 15 MiB that the process does not get rid of after its first second
 * under load.
 *
 * @returns whether this V8 is one that can be told
 */
export function spareCompilerMemory(version = process.versions.v8, setFlags = setFlagsFromString): boolean {
  const isKnown = version.startsWith(KNOWN);
  if (isKnown) setFlags('--no-maglev-destroy-on-background');
  return isKnown;
}
