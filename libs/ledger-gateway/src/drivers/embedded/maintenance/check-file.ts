import type { DatabaseSync } from 'node:sqlite';
import { isSameDigest, recordDigest } from '../store/record-digest.js';
import { schemaFaults } from '../store/schema.js';
import type { FindingList } from './finding-list.js';

/** Most faults of the file's own structure that are listed. */
const MOST_FAULTS = 10;

/** Checks that the file holds the tables of its format alone, and lets SQLite check its structure: pages, order of keys, column types. */
export function checkFile(db: DatabaseSync, findings: FindingList): void {
  for (const what of schemaFaults(db)) findings.add('the store', { check: 'SCHEMA', what });
  for (const row of db.prepare(`PRAGMA integrity_check(${MOST_FAULTS})`).iterate()) {
    const what = String(Object.values(row)[0]);
    if (what !== 'ok') findings.add('the store', { check: 'RECORD', what: `SQLite finds: ${what}` });
  }
}

/** Checks the records that blocks are packed with, also those that no block needs any more. */
export function checkDictionaries(db: DatabaseSync, findings: FindingList): void {
  const rows = db.prepare('SELECT id, content, digest FROM dictionaries').all() as unknown as readonly {
    readonly id: number;
    readonly content: Uint8Array;
    readonly digest: Uint8Array;
  }[];
  for (const { id, content, digest } of rows) {
    if (isSameDigest(digest, recordDigest('dictionary', [id], [content]))) continue;
    findings.add(`dictionary ${id}`, { check: 'RECORD', what: 'it is not what was written' });
  }
}
