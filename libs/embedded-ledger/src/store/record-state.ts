import type { ReadingConnection, RecordState } from '#chain-pages';
import { RECORDS_NAME } from '#records-contract';
import { storedKey } from './schema.js';
import { prepareRows } from './store-reader.js';

/**
 * Returns the state of the records contract in a store, without checking digests: the writer reads what it wrote, or what was checked
 * in the same transaction.
 */
export function recordStateOf(db: ReadingConnection): RecordState {
  const value = prepareRows(db, 'SELECT value FROM state WHERE qualified_key = ?');
  const keys = prepareRows(
    db,
    `SELECT qualified_key FROM state WHERE qualified_key >= ? AND qualified_key < ? AND value IS NOT NULL
      ORDER BY qualified_key LIMIT ?`,
  );
  const prefix = storedKey(RECORDS_NAME, '');
  return {
    value(key) {
      const row = value.get(prefix + key) as unknown as [Uint8Array | null] | undefined;
      return row?.[0] ?? undefined;
    },
    keys: (from, end, limit) =>
      (keys.all(prefix + from, prefix + end, limit) as unknown as [string][]).map(([key]) => key.slice(prefix.length)),
  };
}
