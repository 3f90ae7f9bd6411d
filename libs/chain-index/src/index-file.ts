import { rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { CreatorNames, inTransaction, type ReadingConnection, RecordFieldWriter } from '#chain-pages';
import { hex } from '#fabric-codec';
import { createPrivateFile } from '#files';
import { RECORDS_NAME } from '#records-contract';
import { blockRow, valueBytes, type BlockRow, type TransactionRow, type WriteRow } from './block-rows.js';
import type { DerivedData } from './chain-follower.js';
import { recordStateOf } from './record-state.js';
import { INDEX_APPLICATION, INDEX_VERSION, SCHEMA } from './schema.js';

/** SQLite's primary result codes of a file that is damaged or no database (https://www.sqlite.org/rescode.html). */
const [CORRUPT, NOTADB] = [11, 26] as const;
const HOUR_MS = 3_600_000;
/** Bytes that the file may grow before SQLite takes them from the write-ahead log, in pages of 4 KiB. */
const CHECKPOINT_PAGES = 1000;

/** The reason why a file is not the index of a channel. */
export class UnusableIndex extends Error {
  override readonly name = 'UnusableIndex';
  /** Whether the file may be another program's, or another channel's. */
  readonly isForeign: boolean;

  constructor(message: string, isForeign: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isForeign = isForeign;
  }
}

/** Returns whether SQLite reports a file as damaged. */
export function isDamage(error: unknown): boolean {
  if (error instanceof UnusableIndex) return true;
  const { errcode } = error as { readonly errcode?: unknown };
  return typeof errcode === 'number' && [CORRUPT, NOTADB].includes((errcode & 0xff) as 11);
}

/** Removes the files of an index. */
export function removeIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

/** Opens the file of an index to read it, while another process may write it. @throws {@link UnusableIndex} */
export function openForReading(path: string, channel: string): ReadingConnection {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    check(db, channel);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The file of an index, opened by the one process that writes it. */
export class IndexFile implements DerivedData {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #creators = new CreatorNames();
  readonly #statements: ReturnType<typeof statementsOf>;
  readonly #records: ReturnType<typeof recordStateOf>;
  #fields: RecordFieldWriter;
  /** Numbers of callers and functions that were looked up, by their columns. */
  readonly #numbers = new Map<string, number>();
  #cursor: Cursor;

  /**
   * Opens the file, or creates it, accessible by the owner only.
   * @throws {@link UnusableIndex} when it is damaged, has tables of another version, or is of another channel
   */
  constructor(path: string, channel: string) {
    this.#path = path;
    createPrivateFile(path);
    this.#db = new DatabaseSync(path);
    try {
      this.#db.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
      );
      create(this.#db, channel);
      check(this.#db, channel);
      this.#statements = statementsOf(this.#db);
      this.#records = recordStateOf(this.#db);
      this.#fields = new RecordFieldWriter(this.#db, this.#records);
      this.#cursor = readCursor(this.#db);
    } catch (error) {
      this.#db.close();
      throw isDamage(error) && !(error instanceof UnusableIndex)
        ? new UnusableIndex(`${path} is damaged or not a database`, true, { cause: error })
        : error;
    }
  }

  /** The connection for reading what was appended. */
  get db(): ReadingConnection {
    return this.#db;
  }

  get next(): number | undefined {
    return this.#cursor.next;
  }

  /** The first block that it has; undefined when it is empty. */
  get first(): number | undefined {
    return this.#cursor.first;
  }

  /** The number of its transactions. */
  get transactions(): number {
    return this.#cursor.transactions;
  }

  hashOf(block: number): string | undefined {
    const row = this.#statements.hash.get(block) as { readonly hash: Uint8Array } | undefined;
    return row && hex(row.hash);
  }

  append(blocks: readonly Uint8Array[]): boolean {
    const rows = blocks.map((bytes) => blockRow(bytes, this.#creators));
    if (!this.#areContinuing(rows)) return false;
    try {
      // A crash before the commit returns leaves the previous cursor, or this one with all its rows: both are followed further.
      // The commit need not survive a power loss, because blocks that are missing are read from the chain again.
      this.#cursor = inTransaction(this.#db, () => this.#write(rows));
      return true;
    } catch (error) {
      // The numbers that were assigned, and the types that were defined, are not in the file.
      this.#numbers.clear();
      this.#fields = new RecordFieldWriter(this.#db, this.#records);
      throw error;
    }
  }

  #write(rows: readonly BlockRow[]): Cursor {
    this.#requireCursor();
    let { transactions } = this.#cursor;
    for (const row of rows) transactions = this.#addBlock(row, transactions);
    const next = (rows.at(-1)?.number ?? 0) + 1;
    this.#statements.progress.run(next, transactions);
    return { first: this.#cursor.first ?? rows[0]?.number, next, transactions };
  }

  /** @throws when another process has written the file since it was opened */
  #requireCursor(): void {
    if (readCursor(this.#db).next === this.#cursor.next) return;
    throw new Error(`Another process writes ${this.#path}.`);
  }

  clear(): void {
    this.close();
    removeIndex(this.#path);
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #areContinuing(rows: readonly BlockRow[]): boolean {
    const { next } = this.#cursor;
    let previous = next === undefined ? undefined : this.hashOf(next - 1);
    let expected = next ?? rows[0]?.number ?? 0;
    for (const { number, previousHash, hash } of rows) {
      if (number !== expected || (previous !== undefined && hex(previousHash) !== previous)) return false;
      previous = hex(hash);
      expected += 1;
    }
    return true;
  }

  /** @returns the number of transactions including those of the block */
  #addBlock({ number, hash, previousHash, dataHash, transactions }: BlockRow, before: number): number {
    const hours = new Map<number, number>();
    let [earliest, latest] = [Infinity, -Infinity];
    for (const [position, row] of transactions.entries()) {
      this.#addTransaction(before + 1 + position, number, row);
      const time = Date.parse(row.time);
      if (Number.isNaN(time)) continue;
      [earliest, latest] = [Math.min(earliest, time), Math.max(latest, time)];
      const hour = Math.floor(time / HOUR_MS);
      hours.set(hour, (hours.get(hour) ?? 0) + 1);
    }
    for (const [hour, count] of hours) this.#statements.hour.run(hour, count);
    const times = hours.size === 0 ? ([null, null] as const) : ([earliest, latest] as const);
    this.#statements.block.run(number, before + 1, hash, previousHash, dataHash, ...times);
    return before + transactions.length;
  }

  #addTransaction(number: number, block: number, row: TransactionRow): void {
    const { id, time, type, creator, msp, chaincode, code, argument, created, writes } = row;
    const caller = this.#numberOf('caller', creator, msp);
    const called = this.#numberOf('function', row.function, chaincode);
    this.#statements.transaction.run(number, block, id, time, type, caller, called, code, argument, created);
    for (const write of writes) {
      if (write.namespace === RECORDS_NAME && typeof write.key === 'string')
        this.#addRecordWrite(number, write, write.key);
      else this.#addWrite(number, write);
    }
  }

  /** Adds a write of the records contract, and the change of the indexed fields. */
  #addRecordWrite(number: number, write: WriteRow, key: string): void {
    const before = this.#records.value(key);
    this.#addWrite(number, write);
    this.#fields.apply(key, valueBytes(write.value), before);
  }

  #addWrite(number: number, { namespace, key, value, owner }: WriteRow): void {
    const isPresent = Number(value !== null);
    const known = this.#statements.key.get(namespace, key) as
      | { readonly id: number; readonly present: number }
      | undefined;
    const id = known?.id ?? Number(this.#statements.newKey.run(namespace, key, isPresent, owner).lastInsertRowid);
    if (known !== undefined) this.#statements.keyChange.run(isPresent, owner, id);
    const more = isPresent - (known?.present ?? 0);
    // Composite keys are indexes of a chaincode, not records.
    if (more !== 0 && typeof key === 'string') this.#statements.namespace.run(namespace, more);
    this.#statements.write.run(id, number, value);
  }

  #numberOf(table: 'caller' | 'function', name: string, qualifier: string): number {
    const cached = JSON.stringify([table, name, qualifier]);
    let number = this.#numbers.get(cached);
    if (number === undefined) {
      const row = this.#statements[table].get(name, qualifier) as { readonly id: number };
      number = row.id;
      this.#numbers.set(cached, number);
    }
    return number;
  }
}

interface Cursor {
  readonly first: number | undefined;
  readonly next: number | undefined;
  readonly transactions: number;
}

/** Creates the tables in an empty file, in one transaction: a file has all of them or none. */
function create(db: DatabaseSync, channel: string): void {
  const { tables } = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number };
  if (tables > 0) return;
  inTransaction(db, (transaction) => {
    transaction.exec(`PRAGMA application_id = ${INDEX_APPLICATION}; PRAGMA user_version = ${INDEX_VERSION}; ${SCHEMA}`);
    transaction.prepare('INSERT INTO progress VALUES (1, ?, 0, 0)').run(channel);
  });
}

/** @throws {@link UnusableIndex} */
function check(db: ReadingConnection, channel: string): void {
  const [id, version] = [pragma(db, 'application_id'), pragma(db, 'user_version')];
  if (id !== INDEX_APPLICATION) throw new UnusableIndex('the file is no index of a chain', true);
  if (version !== INDEX_VERSION) {
    throw new UnusableIndex(`its tables are of version ${version}, not ${INDEX_VERSION}`, false);
  }
  const row = db.prepare('SELECT channel FROM progress').get() as { readonly channel: string } | undefined;
  if (row?.channel !== channel) throw new UnusableIndex(`it is of the channel ${row?.channel ?? '?'}`, true);
  if (!isWhole(db)) throw new UnusableIndex('it lacks blocks or transactions', false);
}

function pragma(db: ReadingConnection, name: 'application_id' | 'user_version'): number {
  return (db.prepare(`PRAGMA ${name}`).get() as Record<typeof name, number>)[name];
}

/** Returns whether the newest block and transaction are those of the cursor, and no block is missing. */
function isWhole(db: ReadingConnection): boolean {
  const { first = 0, next = 0, transactions } = readCursor(db);
  const counts = 'SELECT (SELECT count(*) FROM blocks) AS blocks, (SELECT max(number) FROM transactions) AS newest';
  const { blocks, newest } = db.prepare(counts).get() as { readonly blocks: number; readonly newest: number | null };
  return blocks === next - first && (newest ?? 0) === transactions;
}

/** Reads the cursor of an index. */
export function readCursor(db: ReadingConnection): Cursor {
  const { next, transactions } = db.prepare('SELECT next, transactions FROM progress').get() as {
    readonly next: number;
    readonly transactions: number;
  };
  const { first } = db.prepare('SELECT min(number) AS first FROM blocks').get() as { readonly first: number | null };
  return { first: first ?? undefined, next: first === null ? undefined : next, transactions };
}

function statementsOf(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql);
  return {
    progress: prepare('UPDATE progress SET next = ?, transactions = ?'),
    hash: prepare('SELECT hash FROM blocks WHERE number = ?'),
    block: prepare('INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?)'),
    transaction: prepare('INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    caller: prepare('INSERT INTO callers (name, msp) VALUES (?, ?) ON CONFLICT DO UPDATE SET msp = msp RETURNING id'),
    function: prepare(
      'INSERT INTO functions (name, chaincode) VALUES (?, ?) ON CONFLICT DO UPDATE SET name = name RETURNING id',
    ),
    key: prepare('SELECT id, present FROM keys WHERE namespace = ? AND key = ?'),
    newKey: prepare('INSERT INTO keys (namespace, key, present, owner) VALUES (?, ?, ?, ?)'),
    keyChange: prepare('UPDATE keys SET present = ?, owner = ? WHERE id = ?'),
    namespace: prepare('INSERT INTO namespaces VALUES (?, ?) ON CONFLICT DO UPDATE SET keys = keys + excluded.keys'),
    // Of several writes of a key by one transaction the last one counts.
    write: prepare('INSERT OR REPLACE INTO writes VALUES (?, ?, ?)'),
    hour: prepare(
      'INSERT INTO hours VALUES (?, ?) ON CONFLICT DO UPDATE SET transactions = transactions + excluded.transactions',
    ),
  };
}
