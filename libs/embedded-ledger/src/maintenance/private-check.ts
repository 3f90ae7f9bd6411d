import { partsOfSpace } from '#fabric-codec/encode';
import type { ReadingConnection } from '#chain-pages';
import { PrivateReader } from '../private/private-reader.js';
import { prepareRows } from '../store/store-reader.js';
import type { FindingList } from './report.js';

/** Counts of the private values to which the state refers. */
export interface PrivateValueCounts {
  /** Those that are stored next to the blocks. */
  readonly present: number;
  readonly total: number;
}

/** The keys of private collections with a value: NUL is part of their namespace, which a slash ends. */
const KEYS = `SELECT qualified_key, value FROM state WHERE value IS NOT NULL
  AND instr(CAST(qualified_key AS BLOB), x'00') BETWEEN 1 AND instr(CAST(qualified_key AS BLOB), x'2f')`;

/**
 * Compares the private values of a ledger with their hashes.
 * @param state - contains the table `state`
 * @param values - the file of private values, which may not exist; undefined for blocks alone
 */
export function checkPrivateValues(
  state: ReadingConnection,
  values: string | undefined,
  findings: FindingList,
): PrivateValueCounts {
  const reader = values === undefined ? undefined : new PrivateReader(values);
  const counts = { present: 0, total: 0 };
  try {
    for (const row of prepareRows(state, KEYS).iterate()) {
      const [stored, hash] = row as unknown as [string, Uint8Array];
      const [space = '', keyHash = ''] = stored.split('/', 2);
      const { namespace, collection } = partsOfSpace(space);
      // The row contains metadata of a key.
      if (collection === '' || collection.endsWith('\0')) continue;
      counts.total += 1;
      const place = `the private value with the key hash ${keyHash} in ${collection} of ${namespace}`;
      const value = findings.attempt(place, () => reader?.value(space, Buffer.from(keyHash, 'hex'), hash));
      if (value !== undefined) counts.present += 1;
    }
  } finally {
    reader?.close();
  }
  return counts;
}
