import { RECORD_FIELDS_TABLE } from '#chain-pages';

/** Marks a file as an index of a chain: "Lidx" in `PRAGMA application_id`. */
export const INDEX_APPLICATION = 0x4c696478;

/** The version of the tables, in `PRAGMA user_version`. A file of another one is built again: there are no migrations. */
export const INDEX_VERSION = 3;

/**
 * docs/chain-index.md describes the tables for those who query them. Transactions are numbered from 1 on in the order of the
 * chain, so that one number is both the row and the place; `blocks.first` is the number of a block's first transaction.
 * - progress: one row, the cursor. `next` is the number of the first block that is missing.
 * - transactions: of every kind and code. `time` is as in the block; hours and the times of blocks are for searching. `created` is
 *   the JSON of what a call of CreateAssets created.
 * - keys: every key that was ever written. A key that contains a NUL, as composite keys do, is a BLOB.
 * - writes: those of VALID transactions; `value` is text where it is UTF-8 without NUL, NULL for a deletion.
 * - record_fields: the indexed values of the records of the chaincode `records`.
 * - namespaces: the number of keys that exist now.
 */
export const SCHEMA = `
  CREATE TABLE progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    channel TEXT NOT NULL,
    next INTEGER NOT NULL,
    transactions INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE blocks (
    number INTEGER PRIMARY KEY,
    first INTEGER NOT NULL,
    hash BLOB NOT NULL,
    previous_hash BLOB NOT NULL,
    data_hash BLOB NOT NULL,
    earliest INTEGER,
    latest INTEGER
  ) STRICT;
  CREATE INDEX block_hashes ON blocks (substr(hash, 1, 5));
  CREATE TABLE callers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    msp TEXT NOT NULL,
    UNIQUE (name, msp)
  ) STRICT;
  CREATE TABLE functions (
    id INTEGER PRIMARY KEY,
    chaincode TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (name, chaincode)
  ) STRICT;
  CREATE TABLE transactions (
    number INTEGER PRIMARY KEY,
    block INTEGER NOT NULL,
    id TEXT NOT NULL,
    time TEXT NOT NULL,
    type INTEGER NOT NULL,
    caller INTEGER NOT NULL,
    function INTEGER NOT NULL,
    code INTEGER NOT NULL,
    argument TEXT NOT NULL,
    created TEXT
  ) STRICT;
  CREATE INDEX transaction_ids ON transactions (substr(id, 1, 12));
  CREATE INDEX transactions_by_caller ON transactions (caller);
  CREATE INDEX transactions_by_function ON transactions (function);
  CREATE INDEX transactions_by_call ON transactions (caller, function);
  CREATE TABLE keys (
    id INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    key ANY NOT NULL,
    present INTEGER NOT NULL,
    owner TEXT,
    UNIQUE (namespace, key)
  ) STRICT;
  CREATE INDEX owners ON keys (namespace, owner) WHERE owner IS NOT NULL;
  CREATE TABLE writes (
    key INTEGER NOT NULL,
    number INTEGER NOT NULL,
    value ANY,
    PRIMARY KEY (key, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE namespaces (
    name TEXT PRIMARY KEY,
    keys INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE hours (
    hour INTEGER PRIMARY KEY,
    transactions INTEGER NOT NULL
  ) STRICT;
  ${RECORD_FIELDS_TABLE}
  CREATE VIEW calls AS
    SELECT t.number, t.block, t.number - b.first AS position, t.id, t.time, c.name AS caller, c.msp, f.chaincode,
      f.name AS function, t.argument, t.code
    FROM transactions t JOIN blocks b ON b.number = t.block JOIN callers c ON c.id = t.caller
      JOIN functions f ON f.id = t.function;
  CREATE VIEW changes AS
    SELECT k.namespace, k.key, w.value, t.block, t.id AS "transaction", t.time, c.name AS caller, c.msp,
      f.name AS function
    FROM writes w JOIN keys k ON k.id = w.key JOIN transactions t ON t.number = w.number
      JOIN callers c ON c.id = t.caller JOIN functions f ON f.id = t.function;
`;
