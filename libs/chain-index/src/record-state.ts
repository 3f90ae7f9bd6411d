import type { ReadingConnection, RecordState } from '#chain-pages';
import { RECORDS_NAME } from '#records-contract';
import { valueBytes } from './block-rows.js';

/** Returns the state of the records contract in an index. */
export function recordStateOf(db: ReadingConnection): RecordState {
  const value = db.prepare(
    `SELECT w.value FROM keys k JOIN writes w ON w.key = k.id WHERE k.namespace = '${RECORDS_NAME}' AND k.key = ?
      ORDER BY w.number DESC LIMIT 1`,
  );
  const keys = db.prepare(
    `SELECT key FROM keys WHERE namespace = '${RECORDS_NAME}' AND key >= ? AND key < ? AND present = 1
      ORDER BY key LIMIT ?`,
  );
  return {
    value(key) {
      const row = value.get(key) as { readonly value: string | Uint8Array | null } | undefined;
      return row && valueBytes(row.value);
    },
    keys: (from, end, limit) =>
      (keys.all(from, end, limit) as unknown as readonly { readonly key: string }[]).map(({ key }) => key),
  };
}
