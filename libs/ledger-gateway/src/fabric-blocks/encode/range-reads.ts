import type { Buffer } from 'node:buffer';
import { sha256 } from './hashes.js';
import { keyReadField, type KeyRead } from './key-read.js';
import { join } from './proto-fields.js';

/** A long range read as a few hashes: message `kvrwset.QueryReadsMerkleSummary`. */
export interface MerkleSummary {
  readonly maxDegree: number;
  readonly maxLevel: number;
  readonly hashes: readonly Uint8Array[];
}

/** Fabric's maxDegreeQueryReadsHashing: one read more than this begins to be hashed. */
const MAX_DEGREE = 50;

/**
 * Summarizes the reads of a range as Fabric's peers do (rwsetutil.RangeQueryResultsHelper): 51 reads make a leaf,
 * 51 hashes of one level make one of the next.
 * @returns undefined for 50 reads or fewer, which are kept as they are
 */
export function summarizeReads(reads: readonly KeyRead[]): MerkleSummary | undefined {
  if (reads.length <= MAX_DEGREE) return undefined;
  const levels: Buffer[][] = [[]];
  for (let start = 0; start < reads.length; start += MAX_DEGREE + 1) {
    addHash(levels, 0, sha256(join(reads.slice(start, start + MAX_DEGREE + 1).map((read) => keyReadField(1, read)))));
  }
  const hashes = topLevel(levels);
  if (hashes.length <= MAX_DEGREE) return { maxDegree: MAX_DEGREE, maxLevel: levels.length, hashes };
  return { maxDegree: MAX_DEGREE, maxLevel: levels.length + 1, hashes: [sha256(join(hashes))] };
}

/** Adds a hash to a level and folds each level that becomes too long into one hash of the next. */
function addHash(levels: Buffer[][], level: number, hash: Buffer): void {
  const hashes = (levels[level] ??= []);
  hashes.push(hash);
  if (hashes.length <= MAX_DEGREE) return;
  levels[level] = [];
  addHash(levels, level + 1, sha256(join(hashes)));
}

/** Folds what is left on the lower levels upwards: a lone hash rises as it is, several as the hash of them. */
function topLevel(levels: readonly Buffer[][]): readonly Buffer[] {
  let rising: readonly Buffer[] = [];
  for (const level of levels.slice(0, -1)) {
    const hashes = [...level, ...rising];
    rising = hashes.length > 1 ? [sha256(join(hashes))] : hashes;
  }
  return [...levels.slice(-1).flat(), ...rising];
}
