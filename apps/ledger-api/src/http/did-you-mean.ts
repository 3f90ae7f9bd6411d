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
    .map((each) => ({ each, distance: distanceOf(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= Math.min(2, Math.floor(each.length / 2)))
    .sort((a, b) => a.distance - b.distance);
  const [nearest] = candidates;
  return nearest === undefined ? '' : `. Did you mean ${JSON.stringify(nearest.each)}?`;
}

/** Returns the number of characters to insert, remove or replace (Levenshtein). */
function distanceOf(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
