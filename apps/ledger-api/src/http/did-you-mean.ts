import { distance } from 'fastest-levenshtein';

/** Longest name for which a suggestion is searched. */
const MAX_LENGTH = 64;

/**
 * Returns a sentence that suggests the known name that is most similar to a misspelt one, to be appended to a message; empty
 * when none is similar.
 */
export function didYouMean(name: string, known: readonly string[]): string {
  if (name.length > MAX_LENGTH) return '';
  const candidates = known
    .filter((each) => Math.abs(each.length - name.length) <= 2)
    .map((each) => ({ each, edits: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, edits }) => edits <= Math.min(2, Math.floor(each.length / 2)))
    .sort((a, b) => a.edits - b.edits);
  const [nearest] = candidates;
  return nearest === undefined ? '' : `. Did you mean ${JSON.stringify(nearest.each)}?`;
}
