import { nearest } from '#spelling';

/**
 * Returns a sentence that suggests the known name that is most similar to a misspelt one, to be appended to a message; empty
 * when none is similar.
 */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? '' : `. Did you mean ${JSON.stringify(meant)}?`;
}
