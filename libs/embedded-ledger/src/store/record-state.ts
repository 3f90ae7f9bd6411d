import type { RecordState } from '#chain-pages';
import { RECORDS_NAME } from '#records-contract';
import { storedKey } from './schema.js';
import { prepareRows } from './store-reader.js';
import type { ReadingConnection } from '#chain-pages';

/** Keys that are read at once. */
const KEYS_PER_QUERY = 500;

/**
 * Returns the state of the records contract in a store, without checking digests: the writer reads what it wrote, or what was checked
 * in the same transaction.
 */
export function recordStateOf(db: ReadingConnection): RecordState {
  const value = prepareRows(db, 'SELECT value FROM state WHERE qualified_key = ?');
  const keys = prepareRows(
    db,
    `SELECT qualified_key FROM state WHERE qualified_key >= ? AND qualified_key < ? AND value IS NOT NULL
      ORDER BY qualified_key LIMIT ${KEYS_PER_QUERY}`,
  );
  const prefix = storedKey(RECORDS_NAME, '');
  return {
    value(key) {
      const row = value.get(prefix + key) as unknown as [Uint8Array | null] | undefined;
      return row?.[0] ?? undefined;
    },
    *keysFrom(start) {
      // `0` follows the `/` with which the text ends.
      const end = `${prefix}${start.slice(0, -1)}0`;
      // In steps: the caller may iterate over other keys meanwhile, and a statement has one iterator.
      for (let from = prefix + start; ;) {
        const found = (keys.all(from, end) as unknown as [string][]).map(([key]) => key);
        for (const key of found) yield key.slice(prefix.length);
        const last = found.at(-1);
        if (last === undefined || found.length < KEYS_PER_QUERY) return;
        from = `${last}\u0000`;
      }
    },
  };
}
