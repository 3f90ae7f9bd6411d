import type { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { decodeBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { decodeEnvelope } from '../../../fabric-blocks/decode/decode-envelope.js';
import type { LedgerTransaction } from '../../../ports/ledger.port.js';
import { PreparedStatements, REPAIR } from './prepared-statements.js';
import { isDigestOf, type RecordKind } from './record-digest.js';
import { type PresentState, StateReader, type StoredState, type StoredVersion } from './state-reader.js';
import { storeFailure } from './store-failure.js';

export type { StoredState, StoredVersion } from './state-reader.js';

/** A block as it is stored. */
export interface StoredBlock {
  readonly number: number;
  /** Hexadecimal hash of the header. */
  readonly hash: string;
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
}

/** A block's row as it stands in the store, unchecked, with the dictionary that it is packed with. */
export interface PackedBlock {
  readonly number: number;
  readonly hash: Uint8Array;
  /** Number of the dictionary; 0 for none. */
  readonly dictionary: number;
  /** What that dictionary holds. */
  readonly shared: Uint8Array | undefined;
  readonly packed: Uint8Array;
  readonly digest: unknown;
}

const TRANSACTION = 'SELECT hex(id), block, position, hex(digest) FROM transactions';

const SQL = {
  height: 'SELECT number + 1 FROM blocks ORDER BY number DESC LIMIT 1',
  block: 'SELECT number, hash, dictionary, packed, digest FROM blocks WHERE number = ?',
  dictionary: 'SELECT content, digest FROM dictionaries WHERE id = ?',
  // As texts: `node:sqlite` gives each BLOB an ArrayBuffer of its own, which costs more than finding the row.
  transaction: `${TRANSACTION} WHERE id >= ? ORDER BY id LIMIT 1`,
  transactionBefore: `${TRANSACTION} WHERE id < ? ORDER BY id DESC LIMIT 1`,
  lastEntry: 'SELECT entry FROM history ORDER BY entry DESC LIMIT 1',
  entry: 'SELECT previous, block, position, digest FROM history WHERE entry = ?',
} as const;

/** Reads the store through prepared statements and checks the digest of every record before it is believed. */
export class StoreReader {
  readonly #rows: PreparedStatements<keyof typeof SQL>;
  readonly #state: StateReader;
  readonly #dictionaries = new Map<number, Uint8Array>();

  constructor(db: DatabaseSync) {
    this.#rows = new PreparedStatements(db, SQL);
    this.#state = new StateReader(db);
  }

  /** Number of blocks. */
  height(): number {
    const row = this.#rows.get('height', 'the blocks');
    return row === undefined ? 0 : (row[0] as number);
  }

  block(number: number): StoredBlock | undefined {
    const packed = this.packedBlock(number);
    return packed && unpackBlock(packed);
  }

  /** The same for {@link unpackBlock}, which another thread may do. */
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

  /** The newest row of a key, or undefined when it was never written. */
  state(key: string): StoredState | undefined {
    return this.#state.state(key);
  }

  /** Present keys from `start` on, below `end` (empty: no end), in byte order. */
  range(start: string, end: string, limit: number): PresentState[] {
    return this.#state.range(start, end, limit);
  }

  /** Present keys behind one, in byte order; behind the empty one, which nothing has, from the first on. */
  behind(key: string, limit: number): PresentState[] {
    return this.#state.behind(key, limit);
  }

  /**
   * Where the transaction of that id stands. One that is not found may be one whose stored id was altered: its row still
   * stands beside where it belongs, and its digest tells.
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

  /** Number of the newest entry of all histories; 0 when there is none. */
  lastEntry(): number {
    return (this.#rows.get('lastEntry', 'the histories')?.[0] as number | undefined) ?? 0;
  }

  /**
   * The versions of a key, newest first.
   * @param from - the number of the entry to begin with; 0 for none
   */
  *history(key: string, from = this.state(key)?.entry ?? 0): Generator<StoredVersion & { readonly entry: number }> {
    for (let entry = from; entry !== 0;) {
      const { previous, block, position, digest } = this.#entry(entry);
      const name = `entry ${entry} of the history of ${JSON.stringify(key)}`;
      requireDigest('history', name, digest, [entry, previous, block, position], [key]);
      yield { entry, block, position };
      entry = previous;
    }
  }

  /**
   * The entry of a key's history before the one that a transaction made, without walking there from the newest.
   * @returns its number, 0 when there is none before; undefined when that transaction has not written the key
   */
  entryBefore(key: string, at: StoredVersion): number | undefined {
    // Entries stand in the order of the writes.
    const last = this.lastEntry();
    let [low, high] = [1, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (isBefore(this.#entry(middle), at)) low = middle + 1;
      else high = middle;
    }
    for (let number = low; number <= last; number++) {
      const entry = this.#entry(number);
      if (entry.block !== at.block || entry.position !== at.position) return undefined;
      const { previous, block, position, digest } = entry;
      // Whose it is only its digest tells.
      if (isDigestOf(digest, 'history', [number, previous, block, position], [key])) return previous;
    }
    return undefined;
  }

  #entry(number: number): StoredVersion & { readonly previous: number; readonly digest: unknown } {
    const name = `entry ${number} of the histories`;
    const row = this.#rows.get('entry', name, number);
    if (row === undefined) throw new LedgerError('LEDGER.DAMAGED', `${name} is missing: ${REPAIR}`);
    const [previous, block, position, digest] = row as [number, number, number, unknown];
    return { previous, block, position, digest };
  }

  #dictionary(id: number): Uint8Array {
    const known = this.#dictionaries.get(id);
    if (known !== undefined) return known;
    const name = `dictionary ${id}`;
    const row = this.#rows.get('dictionary', name, id);
    if (row === undefined) throw new LedgerError('LEDGER.DAMAGED', `${name} is missing: ${REPAIR}`);
    const [content, digest] = row as [Uint8Array, unknown];
    requireDigest('dictionary', name, digest, [id], [content]);
    this.#dictionaries.set(id, content);
    return content;
  }
}

/** Whether a write stands before another in the chain. */
export function isBefore(a: StoredVersion, b: StoredVersion): boolean {
  return a.block < b.block || (a.block === b.block && a.position < b.position);
}

/**
 * Checks a block's row and unpacks it.
 * @throws `LEDGER.DAMAGED` when it is not what was written
 */
export function unpackBlock({ number, hash, dictionary, shared, packed, digest }: PackedBlock): StoredBlock {
  requireDigest('block', `block ${number}`, digest, [number, dictionary], [hash, packed]);
  try {
    const bytes = zstdDecompressSync(packed, shared === undefined ? {} : { dictionary: shared });
    return { number, hash: Buffer.from(hash).toString('hex'), bytes };
  } catch (cause) {
    throw new LedgerError('LEDGER.DAMAGED', `block ${number} cannot be unpacked: ${REPAIR}`, { cause });
  }
}

function requireDigest(
  kind: RecordKind,
  name: string,
  digest: unknown,
  numbers: readonly number[],
  texts: readonly (string | Uint8Array | null)[],
): void {
  if (!isDigestOf(digest, kind, numbers, texts))
    throw new LedgerError('LEDGER.DAMAGED', `${name} is not what was written: ${REPAIR}`);
}

/**
 * A block below the height of the chain.
 * @throws `LEDGER.DAMAGED` when it is not there
 */
export function requireBlock(reader: StoreReader, number: number): StoredBlock {
  const block = reader.block(number);
  if (block === undefined) throw blockMissing(number);
  return block;
}

export function blockMissing(number: number): LedgerError {
  return new LedgerError('LEDGER.DAMAGED', `Block ${number} is missing: restore a backup.`);
}

/**
 * The transaction of that id, from the block that the index names.
 * @throws `LEDGER.DAMAGED` when another transaction stands there
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
    validationCode: block.validationCodes[place.position] ?? NOT_VALIDATED,
    envelope,
  };
}

/** A transaction does not stand in the block that the index names. */
export function misplaced(transactionId: string, block: number): LedgerError {
  return new LedgerError(
    'LEDGER.DAMAGED',
    `The index puts transaction ${transactionId} where it is not (block ${block}): run "npm run ledger -- rebuild".`,
  );
}

/** `TxValidationCode.NOT_VALIDATED`. */
const NOT_VALIDATED = 254;

/**
 * One read transaction for all that is read in one turn of the event loop: every call sees one moment, and the locks of
 * a transaction are paid once. It ends with the turn, so it never keeps the writer from reusing its log.
 */
export class ReadSnapshot {
  readonly #db: DatabaseSync;
  #end: NodeJS.Immediate | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Makes sure that a snapshot is open. */
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

  /** What is read from here on is new again. */
  end(): void {
    if (this.#end === undefined) return;
    clearImmediate(this.#end);
    this.#end = undefined;
    // After some failures SQLite has ended the transaction by itself.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }
}
