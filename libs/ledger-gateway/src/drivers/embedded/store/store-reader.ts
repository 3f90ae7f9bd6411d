import type { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { decodeBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { decodeEnvelope } from '../../../fabric-blocks/decode/decode-envelope.js';
import { TxValidationCode } from '../../../fabric-blocks/messages/fabric-messages.js';
import type { LedgerTransaction } from '../../../ports/ledger.port.js';
import type { StoredVersion } from './namespace-reader.js';
import { PreparedStatements } from './prepared-statements.js';
import { REPAIR, requireDigest } from './record-digest.js';
import { storeFailure } from './store-failure.js';
import { toolCommand } from '../../../files/installation.js';

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

const TRANSACTION = 'SELECT hex(id), block, position, hex(digest) FROM transactions';

const SQL = {
  height: 'SELECT number + 1 FROM blocks ORDER BY number DESC LIMIT 1',
  block: 'SELECT number, hash, dictionary, packed, digest FROM blocks WHERE number = ?',
  dictionary: 'SELECT content, digest FROM dictionaries WHERE id = ?',
  // As text: `node:sqlite` creates an ArrayBuffer for each BLOB, which costs more than finding the row.
  transaction: `${TRANSACTION} WHERE id >= ? ORDER BY id LIMIT 1`,
  transactionBefore: `${TRANSACTION} WHERE id < ? ORDER BY id DESC LIMIT 1`,
  lastEntry: 'SELECT entry FROM history ORDER BY entry DESC LIMIT 1',
} as const;

/** Reads blocks and the index of transactions. The digest of every record is checked before it is used. */
export class StoreReader {
  readonly #rows: PreparedStatements<keyof typeof SQL>;
  readonly #dictionaries = new Map<number, Uint8Array>();

  constructor(db: DatabaseSync) {
    this.#rows = new PreparedStatements(db, SQL);
  }

  /** Returns the number of blocks. */
  height(): number {
    const row = this.#rows.get('height', 'the blocks');
    return row === undefined ? 0 : (row[0] as number);
  }

  /** Returns a block, or undefined when there is none with that number. */
  block(number: number): StoredBlock | undefined {
    const packed = this.packedBlock(number);
    return packed && unpackBlock(packed);
  }

  /** Returns a block for {@link unpackBlock}, which another thread may call. */
  packedBlock(number: number): PackedBlock | undefined {
    const row = this.#rows.get('block', `block ${number}`, number);
    if (row === undefined) return undefined;
    const [, hash, dictionary, packed, digest] = row as [number, Uint8Array, number, Uint8Array, unknown];
    return {
      number,
      hash,
      dictionary,
      shared: dictionary === 0 ? undefined : this.#dictionary(dictionary),
      packed,
      digest,
    };
  }

  /**
   * Returns block and position of a transaction. One that is not found may be one whose stored id was altered: its row is
   * still next to where it belongs, and its digest is wrong.
   */
  transaction(id: Uint8Array): StoredVersion | undefined {
    const found = this.#transaction('transaction', id);
    if (found?.id.equals(id) === true) return { block: found.block, position: found.position };
    this.#transaction('transactionBefore', id);
    return undefined;
  }

  #transaction(
    place: 'transaction' | 'transactionBefore',
    at: Uint8Array,
  ): (StoredVersion & { readonly id: Buffer }) | undefined {
    const name = 'the index of transactions';
    const row = this.#rows.get(place, name, at);
    if (row === undefined) return undefined;
    const [text, block, position, digest] = row as [string, number, number, unknown];
    const id = Buffer.from(text, 'hex');
    requireDigest('transaction', name, digest, [block, position], [id]);
    return { id, block, position };
  }

  /** Returns the number of the newest history entry of all keys; 0 when there is none. */
  lastEntry(): number {
    return (this.#rows.get('lastEntry', 'the histories')?.[0] as number | undefined) ?? 0;
  }

  #dictionary(id: number): Uint8Array {
    const cached = this.#dictionaries.get(id);
    if (cached !== undefined) return cached;
    const name = `dictionary ${id}`;
    const row = this.#rows.get('dictionary', name, id);
    if (row === undefined) throw new LedgerError('LEDGER.DAMAGED', `${name} is missing: ${REPAIR}`);
    const [content, digest] = row as [Uint8Array, unknown];
    requireDigest('dictionary', name, digest, [id], [content]);
    this.#dictionaries.set(id, content);
    return content;
  }
}

/**
 * Checks a block's row and decompresses it.
 * @throws `LEDGER.DAMAGED` when it is not as it was written
 */
export function unpackBlock({ number, hash, dictionary, shared, packed, digest }: PackedBlock): StoredBlock {
  requireDigest('block', `block ${number}`, digest, [number, dictionary], [hash, packed]);
  try {
    const bytes = zstdDecompressSync(packed, shared === undefined ? {} : { dictionary: shared });
    return { number, hash: Buffer.from(hash).toString('hex'), bytes };
  } catch (cause) {
    throw new LedgerError('LEDGER.DAMAGED', `block ${number} cannot be decompressed: ${REPAIR}`, { cause });
  }
}

/**
 * Returns a block below the height of the chain.
 * @throws `LEDGER.DAMAGED` when it is missing
 */
export function requireBlock(reader: StoreReader, number: number): StoredBlock {
  const block = reader.block(number);
  if (block === undefined) throw blockMissing(number);
  return block;
}

/** Creates the error for a block that should exist. */
export function blockMissing(number: number): LedgerError {
  return new LedgerError('LEDGER.DAMAGED', `Block ${number} is missing: restore a backup.`);
}

/**
 * Returns the transaction with an id, from the block that the index names.
 * @throws `LEDGER.DAMAGED` when the block contains another transaction at that position
 */
export function transactionInBlock(reader: StoreReader, transactionId: string): LedgerTransaction | undefined {
  const place = reader.transaction(Buffer.from(transactionId, 'hex'));
  if (place === undefined) return undefined;
  const stored = requireBlock(reader, place.block);
  const block = decodeBlock(stored.bytes);
  const envelope = block.envelopes[place.position];
  if (envelope === undefined || decodeEnvelope(envelope).transactionId !== transactionId) {
    throw misplaced(transactionId, place.block);
  }
  return {
    transactionId,
    blockNumber: place.block,
    position: place.position,
    blockHash: stored.hash,
    validationCode: block.validationCodes[place.position] ?? TxValidationCode.NOT_VALIDATED,
    envelope,
  };
}

/** Creates the error for an index entry that names the wrong block. */
export function misplaced(transactionId: string, block: number): LedgerError {
  return new LedgerError(
    'LEDGER.DAMAGED',
    `The index of transactions names the wrong block (${block}) for ${transactionId}: run "${toolCommand('ledger')} rebuild".`,
  );
}

/**
 * A read transaction for all reads in one turn of the event loop: they see one moment of the store and pay for its locks
 * once. It ends with the turn, so it never prevents the writer from reusing its log.
 */
export class ReadSnapshot {
  readonly #db: DatabaseSync;
  #end: NodeJS.Immediate | undefined;

  constructor(db: DatabaseSync) {
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
