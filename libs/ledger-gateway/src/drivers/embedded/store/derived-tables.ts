import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { damaged } from '../../../errors/ledger.errors.js';
import type { DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { decodeActions, decodeEnvelope } from '../../../fabric-blocks/decode/decode-envelope.js';
import { decodeReadWriteSets, type NamespaceSets } from '../../../fabric-blocks/decode/decode-read-write-sets.js';
import type { Version } from '../../../fabric-blocks/encode/hashes.js';
import type { KeyRead, KeyWrite } from '../../../fabric-blocks/encode/read-write-set.js';
import { HeaderType, TxValidationCode } from '../../../fabric-blocks/messages/fabric-messages.js';
import type { ReplayState } from '../../../fabric-blocks/verify/replay/block-replay.js';
import { recordDigest } from './record-digest.js';
import { endOf, STORE_FORMAT, storedKey } from './schema.js';
import { prepareRows } from './store-reader.js';

/** A write of a key. */
export interface StateWrite {
  readonly position: number;
  readonly key: string;
  /** Null deletes the key. */
  readonly value: Uint8Array | null;
  /** Number of the history entry of the previous write of this key, 0 when the key is new. */
  readonly previous: number;
  /** Number of this write's history entry. */
  readonly entry: number;
}

/** A transaction as far as records follow from it. */
export interface RecordedWrites {
  readonly transactionId: string;
  /** Its writes; empty unless it is VALID. */
  readonly namespaces: readonly NamespaceSets[];
}

/** Writes the rows of the derived tables. The caller opens and commits the transaction. */
export class DerivedWriter {
  readonly #namespace: string;
  readonly #state: StatementSync;
  readonly #transaction: StatementSync;
  readonly #entry: StatementSync;

  /** @param namespace - name of the chaincode that the writes belong to */
  constructor(db: DatabaseSync, namespace: string) {
    this.#namespace = namespace;
    this.#state = db.prepare('INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?, ?, ?)');
    // A chain may contain two transactions with one id (DUPLICATE_TXID): a lookup returns the first.
    this.#transaction = db.prepare('INSERT OR IGNORE INTO transactions VALUES (?, ?, ?, ?)');
    this.#entry = db.prepare('INSERT INTO history VALUES (?, ?, ?, ?, ?)');
  }

  /** Records block and position of a transaction; returns false when another one with its id is recorded already. */
  writeTransaction(transactionId: string, number: number, position: number): boolean {
    const id = Buffer.from(transactionId, 'hex');
    const digest = recordDigest('transaction', [number, position], [id]);
    return this.#transaction.run(id, number, position, digest).changes === 1;
  }

  /** Records the writes of a block in state and histories. */
  writeState(number: number, writes: readonly StateWrite[]): void {
    for (const { position, key, value, previous, entry } of writes) {
      const stored = storedKey(STORE_FORMAT, this.#namespace, key);
      const historyDigest = recordDigest('history', [entry, previous, number, position], [stored]);
      this.#entry.run(entry, previous, number, position, historyDigest);
      const digest = recordDigest('state', [number, position, entry], [stored, value]);
      this.#state.run(stored, value, number, position, entry, digest);
    }
  }
}

/** The newest row of a key. */
interface KeyRow extends Version {
  readonly isPresent: boolean;
  readonly entry: number;
}

/**
 * Fills the derived tables from the blocks of a chain. It is also the state that a verifier replays the chain on: a chain
 * of any length is verified in constant memory, and a store's own tables can be compared with these.
 */
export class DerivedTables implements ReplayState {
  readonly namespace: string;
  readonly #writer: DerivedWriter;
  readonly #key: StatementSync;
  readonly #range: StatementSync;
  /** Keys of the current block that were read from the table. */
  readonly #cached = new Map<string, KeyRow | undefined>();
  #entry = 0;
  #otherRows = 0;

  /** @param db - contains the tables, empty; digests are not checked because only this object writes there */
  constructor(db: DatabaseSync, chaincode: string) {
    this.namespace = chaincode;
    this.#writer = new DerivedWriter(db, chaincode);
    this.#key = prepareRows(db, 'SELECT block, position, value IS NOT NULL, entry FROM state WHERE qualified_key = ?');
    const range = 'SELECT qualified_key, block, position FROM state WHERE value IS NOT NULL AND qualified_key >= ?';
    this.#range = prepareRows(db, `${range} AND qualified_key < ? ORDER BY qualified_key`);
  }

  /** The number of rows in the tables. */
  get rows(): number {
    return this.#entry + this.#otherRows;
  }

  version(namespace: string, key: string): Version | undefined {
    // The ledger's blocks write in one namespace; add() refuses any other.
    const row = namespace === this.namespace ? this.#row(key) : undefined;
    return row?.isPresent === true ? row : undefined;
  }

  setVersion(): void {
    // add() writes it with the rest of the block.
  }

  *range(namespace: string, start: string, end: string): Generator<KeyRead> {
    const stored = (key: string): string => storedKey(STORE_FORMAT, namespace, key);
    for (const row of this.#range.iterate(stored(start), end === '' ? endOf(namespace) : stored(end))) {
      const [key, blockNumber, transactionNumber] = row as unknown as [string, number, number];
      yield { key: key.slice(namespace.length + 1), version: { blockNumber, transactionNumber } };
    }
  }

  addTransaction(transactionId: string, { blockNumber, transactionNumber }: Version): boolean {
    const isNew = this.#writer.writeTransaction(transactionId, blockNumber, transactionNumber);
    if (isNew) this.#otherRows++;
    return isNew;
  }

  /**
   * Adds the writes of a block.
   * @throws `LEDGER.DAMAGED` when it writes in another namespace
   */
  add(number: number, transactions: readonly RecordedWrites[]): void {
    const newest = new Map<string, number>();
    const writes: StateWrite[] = [];
    transactions.forEach((transaction, position) => {
      for (const { key, value = null } of writesOf(transaction, this.namespace)) {
        const entry = ++this.#entry;
        const previous = newest.get(key) ?? this.#row(key)?.entry ?? 0;
        writes.push({ position, key, value, previous, entry });
        newest.set(key, entry);
        if (previous === 0) this.#otherRows++;
      }
    });
    this.#writer.writeState(number, writes);
    this.#cached.clear();
  }

  #row(key: string): KeyRow | undefined {
    if (this.#cached.has(key)) return this.#cached.get(key);
    const found = this.#key.get(storedKey(STORE_FORMAT, this.namespace, key));
    const [blockNumber, transactionNumber, isPresent, entry] = (found ?? []) as unknown as [
      number,
      number,
      0 | 1,
      number,
    ];
    const row = found && { blockNumber, transactionNumber, isPresent: isPresent === 1, entry };
    this.#cached.set(key, row);
    return row;
  }
}

/**
 * Adds the records that follow from a block, whose validation codes are used as they are.
 * @throws `LEDGER.DAMAGED` when it cannot be decoded or writes in another namespace
 */
export function addBlock(tables: DerivedTables, { header, envelopes, validationCodes }: DecodedBlock): void {
  const blockNumber = header.number;
  const transactions = envelopes.map((bytes, transactionNumber): RecordedWrites => {
    const { transactionId, type, data } = decodeEnvelope(bytes);
    tables.addTransaction(transactionId, { blockNumber, transactionNumber });
    const isValid = validationCodes[transactionNumber] === TxValidationCode.VALID;
    const actions = isValid && type === HeaderType.ENDORSER_TRANSACTION ? decodeActions(data) : [];
    return { transactionId, namespaces: actions.flatMap(({ result }) => decodeReadWriteSets(result.results)) };
  });
  tables.add(blockNumber, transactions);
}

function writesOf({ transactionId, namespaces: sets }: RecordedWrites, chaincode: string): readonly KeyWrite[] {
  const foreign = sets.find(({ namespace, writes }) => namespace !== chaincode && writes.length > 0);
  if (foreign !== undefined) {
    const namespaces = `writes in the namespace "${foreign.namespace}"; this ledger's is "${chaincode}".`;
    throw damaged(`Transaction ${transactionId} ${namespaces}`);
  }
  return sets.flatMap(({ writes }) => writes);
}
