import type { ReadingConnection, RecordState } from '#chain-pages';
import { RECORDS_NAME } from '#records-contract';
import { valueBytes } from './block-rows.js';

/** Keys that are read at once. */
const KEYS_PER_QUERY = 500;

/** Returns the state of the records contract in an index. */
export function recordStateOf(db: ReadingConnection): RecordState {
  const value = db.prepare(
    `SELECT w.value FROM keys k JOIN writes w ON w.key = k.id WHERE k.namespace = '${RECORDS_NAME}' AND k.key = ?
      ORDER BY w.number DESC LIMIT 1`,
  );
  const keys = db.prepare(
    `SELECT key FROM keys WHERE namespace = '${RECORDS_NAME}' AND key >= ? AND key < ? AND present = 1
      ORDER BY key LIMIT ${KEYS_PER_QUERY}`,
  );
  return {
    value(key) {
      const row = value.get(key) as { readonly value: string | Uint8Array | null } | undefined;
      return row && valueBytes(row.value);
    },
    *keysFrom(start) {
      // `0` follows the `/` with which the text ends.
      const end = `${start.slice(0, -1)}0`;
      // In steps: the caller may iterate over other keys meanwhile, and a statement has one iterator.
      for (let from = start; ;) {
        const found = (keys.all(from, end) as unknown as readonly { readonly key: string }[]).map(({ key }) => key);
        yield* found;
        const last = found.at(-1);
        if (last === undefined || found.length < KEYS_PER_QUERY) return;
        from = `${last}\u0000`;
      }
    },
  };
}
