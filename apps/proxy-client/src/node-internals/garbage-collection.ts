import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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
