import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { decodeBlock, decodeEnvelope } from '#fabric-codec';
import { MetadataIndex, TxValidationCode } from '#fabric-codec/messages';
import { toolCommand } from '#files';
import { type ChainPosition, damaged, isLedgerError, type LedgerError, type LedgerTransaction } from '#ledger-gateway';
import { damagedRecord, isDigestOf, REPAIR } from './record-digest.js';
import { HASH_START } from './schema.js';
import { storeFailure } from './store-failure.js';
import type { ReadingConnection } from '#chain-pages';

/** A row with its columns in order. */
export type Row = readonly unknown[];

/** Prepares a statement that returns rows as arrays. */
export function prepareRows(db: ReadingConnection, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** Runs a query and returns its rows. */
export type Query = (...values: readonly SQLInputValue[]) => Row[];

/**
 * Creates a query of a store, prepared at its first use: a table that it reads may be missing from a damaged store.
 * @param what - is read, for the error
 */
export function queryOf(db: ReadingConnection, what: string, sql: string): Query {
  let statement: StatementSync | undefined;
  return (...values) => {
    try {
      return (statement ??= prepareRows(db, sql)).all(...values) as unknown as Row[];
    } catch (error) {
      throw queryFailure(error, what);
    }
  };
}

/**
 * Converts the failure of a query to an error of the ledger.
 * @param what - was being read
 */
export function queryFailure(error: unknown, what: string): LedgerError {
  const failure = storeFailure(error, what);
  if (isLedgerError(failure)) return failure;
  // It concerns an integer that JavaScript cannot represent; none is ever written.
  return damaged(`${what} contains an impossible value: ${REPAIR}`, error);
}

/** A stored block. */
export interface StoredBlock {
  readonly number: number;
  /** Hexadecimal hash of the header. */
  readonly hash: string;
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
}

/** The row of a block, unchecked, with the dictionary that it is compressed with. */
export interface PackedBlock {
  readonly number: number;
  readonly hash: Uint8Array;
  /** Number of the dictionary; 0 for none. */
  readonly dictionary: number;
  /** Content of the dictionary. */
  readonly shared: Uint8Array | undefined;
  readonly packed: Uint8Array;
  readonly digest: unknown;
}

/** The end of a chain. */
export interface ChainHead {
  readonly height: number;
  /** Hexadecimal. */
  readonly currentHash: string;
  /** Hexadecimal; empty at height 1. */
  readonly previousHash: string;
}

const TRANSACTION_ID = /^[0-9a-f]{64}$/;

// Ids and digests as text: `node:sqlite` creates an ArrayBuffer for each BLOB, which costs more than finding the row.
const TRANSACTION = 'SELECT hex(id), block, position, hex(digest) FROM transactions';
const INDEX = 'the index of transactions';

/** Returns the first and the last bytes, of 32, whose hexadecimal text begins with a prefix. */
function bytesWith(prefix: string): [Buffer, Buffer] {
  return [Buffer.from(prefix.padEnd(64, '0'), 'hex'), Buffer.from(prefix.padEnd(64, 'f'), 'hex')];
}

/** Reads blocks and the index of transactions. The digest of every record is checked before it is used. */
export class StoreReader {
  readonly #height: Query;
  readonly #block: Query;
  readonly #dictionary: Query;
  readonly #transactionAt: Query;
  readonly #transactionBefore: Query;
  readonly #transactionsFrom: Query;
  readonly #blocksFrom: Query;
  readonly #dictionaries = new Map<number, Uint8Array>();

  constructor(db: ReadingConnection) {
    this.#height = queryOf(db, 'the blocks', 'SELECT number + 1 FROM blocks ORDER BY number DESC LIMIT 1');
    this.#block = queryOf(
      db,
      'a block',
      'SELECT number, hash, dictionary, packed, hex(digest) FROM blocks WHERE number = ?',
    );
    this.#dictionary = queryOf(db, 'a dictionary', 'SELECT content, hex(digest) FROM dictionaries WHERE id = ?');
    this.#transactionAt = queryOf(db, INDEX, `${TRANSACTION} WHERE id >= ? ORDER BY id LIMIT 1`);
    this.#transactionBefore = queryOf(db, INDEX, `${TRANSACTION} WHERE id < ? ORDER BY id DESC LIMIT 1`);
    this.#transactionsFrom = queryOf(db, INDEX, `${TRANSACTION} WHERE id >= ? AND id <= ? ORDER BY id LIMIT ?`);
    this.#blocksFrom = queryOf(
      db,
      'the index of block hashes',
      `SELECT number, lower(hex(hash)) FROM blocks WHERE ${HASH_START} >= substr(?1, 1, 5) AND ${HASH_START} <= substr(?2, 1, 5)
        AND hash >= ?1 AND hash <= ?2 ORDER BY ${HASH_START}, hash LIMIT ?3`,
    );
  }

  /** Returns the number of blocks. */
  height(): number {
    return (this.#height()[0]?.[0] as number | undefined) ?? 0;
  }

  /**
   * Returns the end of a chain of that many blocks, at least one.
   * @throws `LEDGER.DAMAGED` when its newest blocks are missing or damaged
   */
  head(height: number): ChainHead {
    const { hash } = this.requireBlock(height - 1);
    return { height, currentHash: hash, previousHash: height === 1 ? '' : this.requireBlock(height - 2).hash };
  }

  /** Returns a block, or undefined when there is none with that number. */
  block(number: number): StoredBlock | undefined {
    const packed = this.packedBlock(number);
    return packed && unpackBlock(packed);
  }

  /**
   * Returns a block below the height of the chain.
   * @throws `LEDGER.DAMAGED` when it is missing
   */
  requireBlock(number: number): StoredBlock {
    const block = this.block(number);
    if (block === undefined) throw blockMissing(number);
    return block;
  }

  /** Returns a block for {@link unpackBlock}, which another thread may call. */
  packedBlock(number: number): PackedBlock | undefined {
    const [row] = this.#block(number);
    if (row === undefined) return undefined;
    const [, hash, dictionary, packed, digest] = row as [number, Uint8Array, number, Uint8Array, unknown];
    const shared = dictionary === 0 ? undefined : this.#contentOf(dictionary);
    return { number, hash, dictionary, shared, packed, digest };
  }

  /** Returns block and position of a transaction; undefined also for a text that is no id. */
  place(transactionId: string): ChainPosition | undefined {
    if (!TRANSACTION_ID.test(transactionId)) return undefined;
    const id = Buffer.from(transactionId, 'hex');
    const found = checkedPlace(this.#transactionAt(id));
    if (found?.id.equals(id) === true) return { block: found.block, position: found.position };
    // An entry whose stored id was altered is still next to where it belongs, and its digest is wrong.
    checkedPlace(this.#transactionBefore(id));
    return undefined;
  }

  /**
   * Returns transactions whose ids begin with a prefix, in the order of their ids.
   * @param prefix - 1 to 64 hexadecimal characters
   */
  placesFrom(prefix: string, limit: number): (ChainPosition & { readonly id: string })[] {
    const rows = this.#transactionsFrom(...bytesWith(prefix), limit);
    return rows
      .flatMap((row) => checkedPlace([row]) ?? [])
      .map((place) => ({ ...place, id: place.id.toString('hex') }));
  }

  /**
   * Returns blocks whose hashes begin with a prefix, in the order of their hashes. Their digests are not checked:
   * callers that rely on the content of a block must read it.
   * @param prefix - 1 to 64 hexadecimal characters
   */
  hashesFrom(prefix: string, limit: number): { readonly number: number; readonly hash: string }[] {
    const rows = this.#blocksFrom(...bytesWith(prefix), limit) as unknown as readonly [number, string][];
    return rows.map(([number, hash]) => ({ number, hash }));
  }

  /**
   * Returns the transaction with an id, from the block that the index names.
   * @throws `LEDGER.DAMAGED` when the block contains another transaction at that position
   */
  transaction(transactionId: string): LedgerTransaction | undefined {
    const place = this.place(transactionId);
    if (place === undefined) return undefined;
    const { hash, bytes } = this.requireBlock(place.block);
    const { envelopes, validationCodes, metadata } = decodeBlock(bytes);
    const envelope = envelopes[place.position];
    if (envelope === undefined || decodeEnvelope(envelope).transactionId !== transactionId) {
      throw misplaced(transactionId, place.block);
    }
    return {
      transactionId,
      blockNumber: place.block,
      position: place.position,
      blockHash: hash,
      validationCode: validationCodes[place.position] ?? TxValidationCode.NOT_VALIDATED,
      envelope,
      blockSignatures: metadata[MetadataIndex.SIGNATURES] ?? new Uint8Array(),
    };
  }

  #contentOf(id: number): Uint8Array {
    const cached = this.#dictionaries.get(id);
    if (cached !== undefined) return cached;
    const [row] = this.#dictionary(id);
    if (row === undefined) throw damaged(`dictionary ${id} is missing: ${REPAIR}`);
    const [content, digest] = row as [Uint8Array, unknown];
    if (!isDigestOf(digest, 'dictionary', [id], [content])) throw damagedRecord(`dictionary ${id}`);
    this.#dictionaries.set(id, content);
    return content;
  }
}

function checkedPlace([row]: readonly Row[]): (ChainPosition & { readonly id: Buffer }) | undefined {
  if (row === undefined) return undefined;
  const [text, block, position, digest] = row as [string, number, number, unknown];
  const id = Buffer.from(text, 'hex');
  if (!isDigestOf(digest, 'transaction', [block, position], [id])) throw damagedRecord(INDEX);
  return { id, block, position };
}

/**
 * Checks a block's row and decompresses it.
 * @throws `LEDGER.DAMAGED` when it is not as it was written
 */
export function unpackBlock({ number, hash, dictionary, shared, packed, digest }: PackedBlock): StoredBlock {
  if (!isDigestOf(digest, 'block', [number, dictionary], [hash, packed])) throw damagedRecord(`block ${number}`);
  try {
    const bytes = zstdDecompressSync(packed, shared === undefined ? {} : { dictionary: shared });
    return { number, hash: Buffer.from(hash).toString('hex'), bytes };
  } catch (cause) {
    throw damaged(`block ${number} cannot be decompressed: ${REPAIR}`, cause);
  }
}

/** Creates the error for a block that should exist. */
export function blockMissing(number: number): LedgerError {
  return damaged(`Block ${number} is missing: restore a backup.`);
}

/** Creates the error for an index entry that names the wrong block. */
export function misplaced(transactionId: string, block: number): LedgerError {
  const advice = `run "${toolCommand('ledger')} rebuild".`;
  return damaged(`The index of transactions names the wrong block (${block}) for ${transactionId}: ${advice}`);
}

/**
 * A read transaction for all reads in one turn of the event loop: they see one moment of the store and pay for its locks
 * once. It ends with the turn, so it never prevents the writer from reusing its log.
 */
export class ReadSnapshot {
  readonly #db: ReadingConnection;
  #end: NodeJS.Immediate | undefined;

  constructor(db: ReadingConnection) {
    this.#db = db;
  }

  /** Opens a snapshot unless one is open. */
  begin(): void {
    if (this.#end !== undefined) return;
    try {
      this.#db.exec('BEGIN');
    } catch (error) {
      throw storeFailure(error, 'the store');
    }
    this.#end = setImmediate(() => {
      this.end();
    });
  }

  /** Ends the snapshot: later reads see newer commits. */
  end(): void {
    if (this.#end === undefined) return;
    clearImmediate(this.#end);
    this.#end = undefined;
    // After some failures SQLite has rolled back already.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }
}
