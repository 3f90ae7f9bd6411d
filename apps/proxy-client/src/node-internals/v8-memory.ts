import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

/** `gc` of V8, as `--expose-gc` shows it. */
type Collect = (options: { readonly type: 'major'; readonly execution: 'async' }) => Promise<void> | undefined;

/**
 * Has V8 collect all garbage, young and old, once: behind such a collection, and only then, V8 gives the room back that a
 * peak has left, within seconds and by itself.
 *
 * @returns whether this Node lets itself be asked; if not, the room is kept until V8 collects of its own accord
 */
export async function collectGarbage(): Promise<boolean> {
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    setFlagsFromString('--no-expose-gc');
    if (typeof collect !== 'function') return false;
    await (collect as Collect)({ type: 'major', execution: 'async' });
    return true;
  } catch {
    return false;
  }
}
