import { onDestroy } from 'svelte';
import { session } from '../api/session.svelte.ts';

interface Draft {
  readonly caller: string | undefined;
  readonly values: unknown;
}

/** What was typed when a session expired, by page and form. It is in memory only, and for the same caller only. */
const drafts = new Map<string, Draft>();

/**
 * Restores what was typed into a form before its session expired, and stores what is typed when this one expires. Called while a
 * component is created.
 *
 * @param form - its name, unique on the page
 * @param read - returns what was typed; undefined for nothing
 * @param restore - shows it again
 */
export function keepDraft<Values>(
  form: string,
  read: () => Values | undefined,
  restore: (values: Values) => void,
): void {
  const key = `${location.hash} ${form}`;
  const caller = session.caller?.name;
  const draft = drafts.get(key);
  drafts.delete(key);
  if (draft?.caller === caller && draft !== undefined) restore(draft.values as Values);
  onDestroy(() => {
    const values = read();
    if (session.hasExpired && values !== undefined) drafts.set(key, { caller, values });
  });
}
