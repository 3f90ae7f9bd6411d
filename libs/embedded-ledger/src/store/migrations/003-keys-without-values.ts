import { setImmediate as nextTurn } from 'node:timers/promises';
import { RecordFieldWriter } from '#chain-pages';
import { recordStateOf } from '../record-state.js';
import { createTablesSince } from '../schema.js';
import { prepareRows } from '../store-reader.js';
import type { Migration } from './migration.js';

/** Keys that are copied between two turns of the event loop. */
const KEYS_PER_STEP = 500;
const STEPS_PER_REPORT = 10;
/** Bytes of a row apart from its key and its value, with its entries in the indexes. */
const ROW_BYTES = 120;

/**
 * Moves the state to a table with an index of its keys, in which a key is found without the value of another one, and adds the
 * indexed values of records. The rows keep their digests, which are checked when they are read.
 */
export const KEYS_WITHOUT_VALUES: Migration = {
  format: 3,
  addedBytes(db) {
    // The old rows are freed in the file at the end, and reused by later blocks.
    const size = `SELECT coalesce(sum(2 * length(qualified_key) + coalesce(length(value), 0) + ${ROW_BYTES}), 0) FROM state`;
    const [bytes] = prepareRows(db, size).get() as unknown as [number];
    return bytes;
  },
  async run(db, { progress }) {
    const [total] = prepareRows(db, 'SELECT count(*) FROM state').get() as unknown as [number];
    db.exec('DROP INDEX owners; ALTER TABLE state RENAME TO former_state');
    createTablesSince(db, 3);
    const keys = prepareRows(
      db,
      `SELECT qualified_key FROM former_state WHERE qualified_key > ? ORDER BY qualified_key LIMIT ${KEYS_PER_STEP}`,
    );
    const copy = db.prepare(`INSERT INTO state (entry, qualified_key, block, position, digest, value)
      SELECT entry, qualified_key, block, position, digest, value FROM former_state
      WHERE qualified_key > ? AND qualified_key <= ?`);
    let after = '';
    for (let done = 0; done < total;) {
      const step = keys.all(after) as unknown as [string][];
      const last = step.at(-1)?.[0];
      if (last === undefined) break;
      copy.run(after, last);
      after = last;
      done += step.length;
      if (done % (KEYS_PER_STEP * STEPS_PER_REPORT) === 0) progress(done, total, 'keys');
      await nextTurn();
    }
    db.exec('DROP TABLE former_state');
    new RecordFieldWriter(db, recordStateOf(db)).fill();
  },
};
