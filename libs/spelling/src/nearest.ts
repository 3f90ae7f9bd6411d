import { distance } from 'fastest-levenshtein';

/** The maximum length of a word for which a similar one is searched. */
const MAX_LENGTH = 64;
/** The maximum number of edits between a word and the one that was probably intended: an exchange of two letters is two. */
const MAX_EDITS = 2;

/**
 * Returns the candidate that was probably intended by a misspelt word: the one with the fewest edits, of which there are at most two, and
 * in a short candidate at most half of its letters. Case is ignored.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.min(MAX_EDITS, Math.ceil(candidate.length / 2)))
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.candidate;
}
