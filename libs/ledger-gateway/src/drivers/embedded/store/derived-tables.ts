import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { damaged } from '../../../errors/ledger.errors.js';
import type { DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import {
  decodeActions,
  decodeEnvelope,
  decodeReadWriteSets,
  type NamespaceSets,
} from '../../../fabric-blocks/decode/decode-envelope.js';
import type { Version } from '../../../fabric-blocks/encode/hashes.js';
import type { KeyRead } from '../../../fabric-blocks/encode/read-write-set.js';
import { HeaderType, TxValidationCode } from '../../../fabric-blocks/messages/fabric-messages.js';
import type { ReplayState } from '../../../fabric-blocks/verify/replay/block-replay.js';
import { recordDigest } from './record-digest.js';
import { endOf, STORE_FORMAT, storedKey } from './schema.js';
import { prepareRows } from './store-reader.js';

/** A write of a key by the transaction at a position in its block. */
export interface StateWrite {
  readonly position: number;
  readonly key: string;
  /** Null deletes the key. */
  readonly value: Uint8Array | null;
}

/** A transaction as far as records follow from it. */
export interface RecordedWrites {
  readonly transactionId: string;
  /** Its writes; empty unless it is VALID. */
  readonly namespaces: readonly NamespaceSets[];
}

/** The newest row of a key. */
interface KeyRow extends Version {
  readonly isPresent: boolean;
  /** Number of its newest history entry. */
  readonly entry: number;
}

/**
 * Writes the rows that follow from the blocks of a chain: index of transactions, state and histories. The caller opens and
 * commits the transaction. It is also the state that a verifier replays the chain on: a chain of any length is verified in
 * constant memory, and a store's own tables can be compared with these. Digests are not checked, because the rows that it
 * reads were written here, or were read with their digests in the same transaction.
 */
export class DerivedTables implements ReplayState {
  readonly namespace: string;
  readonly #insertTransaction: StatementSync;
  readonly #insertEntry: StatementSync;
  readonly #insertState: StatementSync;
  readonly #key: StatementSync;
  readonly #range: StatementSync;
  /** Keys that were read from the table since the last block. */
  readonly #cached = new Map<string, KeyRow | undefined>();
  #entry: number;

  /** @param namespace - name of the chaincode that the writes belong to */
  constructor(db: DatabaseSync, namespace: string) {
    this.namespace = namespace;
    // A chain may contain two transactions with one id (DUPLICATE_TXID): a lookup returns the first.
    this.#insertTransaction = db.prepare('INSERT OR IGNORE INTO transactions VALUES (?, ?, ?, ?)');
    this.#insertEntry = db.prepare('INSERT INTO history VALUES (?, ?, ?, ?, ?)');
    this.#insertState = db.prepare('INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?, ?, ?)');
    this.#key = prepareRows(db, 'SELECT block, position, value IS NOT NULL, entry FROM state WHERE qualified_key = ?');
    const range = 'SELECT qualified_key, block, position FROM state WHERE value IS NOT NULL AND qualified_key >= ?';
    this.#range = prepareRows(db, `${range} AND qualified_key < ? ORDER BY qualified_key`);
    const { newest } = db.prepare('SELECT coalesce(max(entry), 0) AS newest FROM history').get() as { newest: number };
    this.#entry = newest;
  }

  version(namespace: string, key: string): Version | undefined {
    // The ledger's blocks write in one namespace; any other is refused.
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

  /** Records the place of a transaction; returns false when another one with its id is recorded already. */
  addTransaction(transactionId: string, { blockNumber, transactionNumber }: Version): boolean {
    const id = Buffer.from(transactionId, 'hex');
    const digest = recordDigest('transaction', [blockNumber, transactionNumber], [id]);
    return this.#insertTransaction.run(id, blockNumber, transactionNumber, digest).changes === 1;
  }

  /** Records the writes of a block, in order. Each history entry names the previous one of its key, 0 when it is new. */
  add(number: number, writes: readonly StateWrite[]): void {
    for (const { position, key, value } of writes) {
      const stored = storedKey(STORE_FORMAT, this.namespace, key);
      const previous = this.#row(key)?.entry ?? 0;
      const entry = ++this.#entry;
      const historyDigest = recordDigest('history', [entry, previous, number, position], [stored]);
      this.#insertEntry.run(entry, previous, number, position, historyDigest);
      const digest = recordDigest('state', [number, position, entry], [stored, value]);
      this.#insertState.run(stored, value, number, position, entry, digest);
      this.#cached.delete(key);
    }
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
    return { transactionId, namespaces: actions.flatMap(({ results }) => decodeReadWriteSets(results)) };
  });
  tables.add(blockNumber, stateWrites(transactions, tables.namespace));
}

/**
 * Returns the writes of a block's transactions in a namespace.
 * @throws `LEDGER.DAMAGED` when one writes in another namespace
 */
export function stateWrites(transactions: readonly RecordedWrites[], namespace: string): StateWrite[] {
  return transactions.flatMap(({ transactionId, namespaces }, position) => {
    const foreign = namespaces.find((sets) => sets.namespace !== namespace && sets.writes.length > 0);
    if (foreign !== undefined) {
      const names = `writes in the namespace "${foreign.namespace}"; this ledger's is "${namespace}".`;
      throw damaged(`Transaction ${transactionId} ${names}`);
    }
    const writes = namespaces.flatMap((sets) => sets.writes);
    return writes.map(({ key, value = null }) => ({ position, key, value }));
  });
}
