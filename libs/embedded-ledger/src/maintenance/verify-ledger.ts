import { DatabaseSync } from 'node:sqlite';
import { readBlocksToLive } from '../store/blocks-to-live.js';
import { DataDirectory } from '../store/data-directory.js';
import { DerivedTables } from '../store/derived-tables.js';
import { type PinFault, readPin, type PinnedHead } from '../store/head-pin.js';
import { IdentityStore, membershipFaults } from '../store/identity-store.js';
import { formatOf, openForReading } from '../store/open-store.js';
import { isDigestOf } from '../store/record-digest.js';
import { createDerivedTables, schemaFaults } from '../store/schema.js';
import { prepareRows, StoreReader, type Row } from '../store/store-reader.js';
import { ChainCheck, ChannelState, type ChainNames } from './chain-check.js';
import {
  EXPORT_MANIFEST,
  fetchedChain,
  isExport,
  isIncompleteExport,
  openExport,
  storedChain,
  type ChainSource,
} from './chain-source.js';
import { examineChain } from './examine-chain.js';
import { checkPrivateValues, type PrivateValueCounts } from './private-check.js';
import { structureFaults } from './record-check.js';
import { FindingList, type ChainPins, type CheckedParts, type LedgerFinding } from './report.js';
import type { ReadingConnection } from '#chain-pages';

/** Reports the progress of a verification: first in blocks, then in rows of the derived tables. */
export type VerificationProgress = (done: number, total: number, unit: 'blocks' | 'rows') => void;

/** Options of {@link verifyLedger}. */
export interface LedgerVerification extends ChainPins {
  /** A data directory, a directory of exported blocks, or one of a channel's blocks. */
  readonly path: string;
  /** Whether the path is a directory of blocks of a Fabric channel, one per file. */
  readonly isChannel?: boolean | undefined;
  readonly progress?: VerificationProgress | undefined;
  /** See {@link examineChain}. */
  readonly threads?: number | undefined;
}

/** The result of a verification. */
export interface VerificationReport {
  /** Number of blocks. */
  readonly height: number;
  /** Number of transactions, including configurations. */
  readonly transactions: number;
  /** Hexadecimal hash of the newest block. */
  readonly hash: string;
  /** Empty when there is no error; at most 50. */
  readonly findings: readonly LedgerFinding[];
  readonly checked: CheckedParts;
  /** Whether the first blocks are those of the checkpoint in the options. */
  readonly hasCheckpoint: boolean;
  /** Undefined for the blocks of a channel. */
  readonly privateValues?: PrivateValueCounts | undefined;
}

/**
 * Verifies every byte of the blocks in a data directory or an export: strict encoding, hashes, links, transaction ids,
 * signatures, and by replay validation codes and commit hashes; in a data directory also every record of state, index and
 * histories. It writes nothing. A ledger in use is verified as of one moment.
 * @throws `LEDGER.DAMAGED` when no verification is possible
 */
export async function verifyLedger(options: LedgerVerification): Promise<VerificationReport> {
  // An anonymous file, deleted when it is closed: the chain may be larger than memory.
  const derived = new DatabaseSync('');
  try {
    derived.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -24576; BEGIN');
    return await new Verification(options, derived).run();
  } finally {
    derived.close();
  }
}

/** Rows compared between two reports of progress. */
const ROWS_PER_REPORT = 5000;

/** One run of {@link verifyLedger}. */
class Verification {
  readonly #options: LedgerVerification;
  /** Contains the records that follow from the blocks. */
  readonly #derived: DatabaseSync;
  readonly #findings = new FindingList();
  #privateValues: PrivateValueCounts | undefined;

  constructor(options: LedgerVerification, derived: DatabaseSync) {
    this.#options = options;
    this.#derived = derived;
  }

  async run(): Promise<VerificationReport> {
    const { head, transactions, checked, hasCheckpoint } = await this.#verify();
    const privateValues = this.#privateValues;
    return { ...head, transactions, findings: this.#findings.findings, checked, hasCheckpoint, privateValues };
  }

  async #verify(): Promise<ChainCheck> {
    const { path, isChannel } = this.#options;
    if (isExport(path)) {
      const { manifest, chain } = openExport(path);
      const check = await this.#checkChain(chain, manifest);
      this.#privateValues = checkPrivateValues(this.#derived, undefined, this.#findings);
      return check;
    }
    if (isChannel === true && isIncompleteExport(path)) {
      this.#findings.add(path, 'UNCHECKED', `the export did not finish: ${EXPORT_MANIFEST} is missing. Export again`);
    }
    // The blocks of any channel are verified by its own configuration and policies.
    return isChannel === true ? this.#checkChain(fetchedChain(path)) : this.#verifyDataDirectory();
  }

  async #verifyDataDirectory(): Promise<ChainCheck> {
    const directory = new DataDirectory(this.#options.path);
    const names = directory.names();
    // Read before the store, which may be in use and never ends before its pin.
    const pin = readPin(directory.pin(names.channel));
    const path = directory.store(names.channel);
    const db = openForReading(path);
    try {
      db.exec('BEGIN');
      const [reader, format] = [new StoreReader(db), formatOf(db, path)];
      this.#findings.attempt('the store', () => {
        this.#checkFile(db, format);
      });
      const height = this.#findings.attempt('the blocks', () => reader.height()) ?? 0;
      const blockToLive = readBlocksToLive(directory.collections);
      const check = await this.#checkChain(storedChain(reader, height), { ...names, blockToLive });
      this.#checkPin(reader, pin);
      this.#findings.attempt('the dictionaries', () => {
        this.#checkDictionaries(db);
      });
      this.#compareTables(db, format);
      this.#privateValues = checkPrivateValues(this.#derived, directory.valuesOf(names.channel), this.#findings);
      this.#checkIdentities(new IdentityStore(directory.identities, names.mspId), names.mspId, reader);
      return check;
    } finally {
      db.close();
    }
  }

  /** @param names - of an embedded ledger; its chain also fills the derived tables */
  async #checkChain(chain: ChainSource, names?: ChainNames): Promise<ChainCheck> {
    if (names !== undefined) createDerivedTables(this.#derived);
    const state =
      names === undefined
        ? new ChannelState(this.#derived, chain)
        : new DerivedTables(this.#derived, names.chaincode, names.blockToLive);
    const check = new ChainCheck({ pins: this.#options, findings: this.#findings, state, names });
    const { threads, checkpoint } = this.#options;
    for await (const examined of examineChain(chain, { threads, hasTree: checkpoint !== undefined })) {
      // The blocks after one that cannot be read cannot be verified.
      if (!examined.every((block) => !this.#findings.isFull && check.add(block))) break;
      this.#options.progress?.(check.head.height, chain.height, 'blocks');
    }
    check.end();
    return check;
  }

  /** Checks that a store has exactly the tables of its format, and its structure. */
  #checkFile(db: ReadingConnection, format: number): void {
    for (const what of schemaFaults(db, format)) this.#findings.add('the store', 'SCHEMA', what);
    for (const what of structureFaults(db)) this.#findings.add('the store', 'RECORD', `SQLite reports: ${what}`);
  }

  #checkPin(reader: StoreReader, pin: PinnedHead | PinFault): void {
    const add = (what: string): void => {
      this.#findings.add('the pin of the newest block', 'PIN', what);
    };
    if (typeof pin === 'string') add(`it is ${pin}`);
    else {
      this.#findings.attempt(`block ${pin.number}`, () => {
        const found = reader.block(pin.number)?.hash ?? 'missing';
        if (found !== pin.hash) add(`block ${pin.number} had the hash ${pin.hash} when it was written; it is ${found}`);
      });
    }
  }

  /** Checks the dictionaries of blocks, including those that no block uses any more. */
  #checkDictionaries(db: ReadingConnection): void {
    for (const row of prepareRows(db, 'SELECT id, content, hex(digest) FROM dictionaries').all()) {
      const [id, content, digest] = row as unknown as [number, Uint8Array, unknown];
      if (isDigestOf(digest, 'dictionary', [id], [content])) continue;
      this.#findings.add(`dictionary ${id}`, 'RECORD', 'it is not as it was written');
    }
  }

  /** Compares every column of every row of the derived tables with those that follow from the blocks. */
  #compareTables(stored: ReadingConnection, format: number): void {
    const tables = COMPARED_TABLES.filter(({ since = format }) => since <= format);
    const counts = tables.map(({ sql }) => `(SELECT count(*) FROM (${sql}))`);
    const [total] = prepareRows(this.#derived, `SELECT ${counts.join(' + ')}`).get() as unknown as [number];
    let rows = 0;
    for (const { name, sql, row } of tables) {
      this.#findings.attempt(name, () => {
        const [wanted, found] = [rowsOf(this.#derived, sql), rowsOf(stored, sql)];
        for (;;) {
          const [want, have] = [wanted.next(), found.next()];
          if (want.done === true && have.done === true) return;
          if (++rows % ROWS_PER_REPORT === 0) this.#options.progress?.(rows, total, 'rows');
          if (want.done !== true && have.done !== true && isSameRow(want.value, have.value)) continue;
          // The first difference is enough: a missing row shifts all rows after it.
          const [key] = (want.done === true ? have.value : want.value) as Row;
          this.#findings.add(row(key), 'DERIVED', 'it does not follow from the blocks');
          return;
        }
      });
    }
  }

  /** Checks the keys of a ledger that has any; an imported one may have none. */
  #checkIdentities(store: IdentityStore, mspId: string, reader: StoreReader): void {
    if (!store.exists()) return;
    const faults = store.faults();
    const firstBlock = this.#findings.attempt('block 0', () => reader.block(0)?.bytes);
    if (faults.length === 0 && firstBlock !== undefined) {
      faults.push(...membershipFaults(firstBlock, mspId, store.read()));
    }
    for (const what of faults) this.#findings.add('the identities', 'IDENTITY', what);
  }
}

/** A derived table: a query for all columns of each row as one text, since a BLOB would cost an ArrayBuffer each. */
interface ComparedTable {
  /** The format that introduced it, if it is not the oldest one. */
  readonly since?: number;
  readonly name: string;
  /** Selects the row's key and its text, in order. */
  readonly sql: string;
  /** Names a row by its key. */
  readonly row: (key: unknown) => string;
}

const COMPARED_TABLES: readonly ComparedTable[] = [
  {
    name: 'the state',
    sql: `SELECT qualified_key, hex(qualified_key) || quote(value) || quote(block) || ' ' || quote(position) || ' '
      || quote(entry) || quote(digest) FROM state ORDER BY qualified_key`,
    row: (stored) => `the state of ${JSON.stringify(stored)}`,
  },
  {
    name: 'the index of transactions',
    sql: `SELECT hex(id), quote(id) || quote(block) || ' ' || quote(position) || quote(digest)
      FROM transactions ORDER BY id`,
    row: (id) => `the index entry of transaction ${String(id).toLowerCase()}`,
  },
  {
    name: 'the histories',
    sql: `SELECT entry, quote(previous) || ' ' || quote(block) || ' ' || quote(position) || quote(digest)
      FROM history ORDER BY entry`,
    row: (entry) => `entry ${String(entry)} of the histories`,
  },
  {
    name: 'the callers',
    sql: "SELECT id, quote(creator) || quote(function) || ' ' || quote(id) FROM callers ORDER BY id, creator, function",
    row: (id) => `caller ${String(id)} in the index of calls`,
  },
  {
    name: 'the index of calls',
    sql: "SELECT block, quote(caller) || ' ' || quote(block) || quote(positions) FROM calls ORDER BY caller, block",
    row: (block) => `the index of calls of block ${String(block)}`,
  },
  {
    name: 'the totals',
    sql: `SELECT block, quote(block) || ' ' || quote(earliest) || ' ' || quote(latest) || ' ' || quote(transactions) || ' '
      || quote(assets) FROM totals ORDER BY block`,
    row: (block) => `the totals of block ${String(block)}`,
  },
  {
    name: 'the hours',
    sql: "SELECT hour, quote(hour) || ' ' || quote(transactions) FROM hours ORDER BY hour",
    row: (hour) => `the count of hour ${String(hour)}`,
  },
  {
    since: 3,
    name: 'the indexed fields of records',
    sql: `SELECT type || '/' || id, quote(type) || quote(field) || quote(value) || quote(id)
      FROM record_fields ORDER BY type, field, value, id`,
    row: (record) => `the indexed fields of record ${JSON.stringify(record)}`,
  },
];

function rowsOf(db: ReadingConnection, sql: string): Iterator<Row> {
  return prepareRows(db, sql).iterate() as unknown as Iterator<Row>;
}

function isSameRow(a: Row, b: Row): boolean {
  return a.every((value, index) => value === b[index]);
}
