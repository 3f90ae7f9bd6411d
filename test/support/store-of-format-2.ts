import { DatabaseSync } from 'node:sqlite';

/** Converts the store of a closed ledger to format 2, which release 0.2 wrote. */
export function convertToFormat2(path: string): void {
  const db = new DatabaseSync(path);
  const owner = "CASE WHEN json_valid(CAST(value AS TEXT)) THEN CAST(value AS TEXT) ->> '$.owner' END";
  db.exec(`
    BEGIN;
    CREATE TABLE copy AS SELECT * FROM state;
    DROP TABLE state;
    DROP TABLE record_fields;
    CREATE TABLE state (
    qualified_key TEXT PRIMARY KEY NOT NULL,
    value BLOB,
    block INTEGER NOT NULL,
    position INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    digest BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
    INSERT INTO state SELECT qualified_key, value, block, position, entry, digest FROM copy;
    DROP TABLE copy;
    CREATE INDEX owners ON state (${owner}) WHERE ${owner} IS NOT NULL;
    PRAGMA user_version = 2;
    COMMIT;
    VACUUM;
  `);
  db.close();
}
