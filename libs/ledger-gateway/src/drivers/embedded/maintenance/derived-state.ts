import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Version } from '../../../fabric-blocks/encode/hashes.js';
import type { KeyRead } from '../../../fabric-blocks/encode/read-write-set.js';
import type { ReplayState } from '../../../fabric-blocks/verify/replay/block-replay.js';
import { deriveWrites, type RecordedWrites } from '../store/derive-records.js';
import { DerivedWriter } from '../store/store-writer.js';

/** The newest row of a key. */
interface KeyRow extends Version {
  readonly isPresent: boolean;
  readonly entry: number;
}

/**
 * The replayed state of a chain in the tables that a store keeps beside its blocks, written block by block beside the
 * verifier: a chain of any length is verified in constant memory, and the store's own tables can be compared with these.
 */
export class DerivedState implements ReplayState {
  readonly #chaincode: string;
  readonly #writer: DerivedWriter;
  readonly #key: StatementSync;
  readonly #range: StatementSync;
  readonly #rangeToEnd: StatementSync;
  /** Keys that the block under way was asked for. */
  readonly #known = new Map<string, KeyRow | undefined>();
  #entry = 0;
  #otherRows = 0;

  /** @param db - holds the tables, empty at first; nobody else writes there, so their digests need not be checked */
  constructor(db: DatabaseSync, chaincode: string) {
    this.#chaincode = chaincode;
    this.#writer = new DerivedWriter(db);
    this.#key = rows(db, 'SELECT block, position, value IS NOT NULL, entry FROM state WHERE key = ?');
    const range = 'SELECT key, block, position FROM state WHERE value IS NOT NULL AND key >= ?';
    this.#range = rows(db, `${range} AND key < ? ORDER BY key`);
    this.#rangeToEnd = rows(db, `${range} ORDER BY key`);
  }

  /** How many rows the tables have. */
  get rows(): number {
    return this.#entry + this.#otherRows;
  }

  version(namespace: string, key: string): Version | undefined {
    // The ledger's blocks write in one namespace alone: any other is refused below.
    const row = namespace === this.#chaincode ? this.#row(key) : undefined;
    return row?.isPresent === true ? row : undefined;
  }

  setVersion(): void {
    // It comes into the tables with the rest of its block.
  }

  *range(namespace: string, start: string, end: string): Generator<KeyRead> {
    if (namespace !== this.#chaincode) return;
    const found = end === '' ? this.#rangeToEnd.iterate(start) : this.#range.iterate(start, end);
    for (const row of found as unknown as Iterable<[string, number, number]>) {
      const [key, blockNumber, transactionNumber] = row;
      yield { key, version: { blockNumber, transactionNumber } };
    }
  }

  addTransaction(transactionId: string, { blockNumber, transactionNumber }: Version): boolean {
    const isNew = this.#writer.writeTransaction(Buffer.from(transactionId, 'hex'), blockNumber, transactionNumber);
    if (isNew) this.#otherRows++;
    return isNew;
  }

  /**
   * Writes what follows from a block that was verified.
   * @throws `LEDGER.DAMAGED` when it writes in another namespace
   */
  write(number: number, transactions: readonly RecordedWrites[]): void {
    const writes = deriveWrites(transactions, this.#chaincode, {
      previous: (key) => this.#row(key)?.entry ?? 0,
      next: () => ++this.#entry,
    });
    this.#writer.writeState(number, writes);
    this.#otherRows += new Set(writes.filter(({ previous }) => previous === 0).map(({ key }) => key)).size;
    this.#known.clear();
  }

  #row(key: string): KeyRow | undefined {
    if (this.#known.has(key)) return this.#known.get(key);
    const found = this.#key.get(key) as unknown as [number, number, number, number] | undefined;
    const row = found && {
      blockNumber: found[0],
      transactionNumber: found[1],
      isPresent: found[2] === 1,
      entry: found[3],
    };
    this.#known.set(key, row);
    return row;
  }
}

function rows(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
