import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeBlock, decodeIdentity, textOrBase64 } from '#fabric-codec';
import { treeEntry } from '#fabric-codec/encode';
import { LedgerError } from '#ledger-gateway';
import { type ByteText, byteText, transferError, type TransferredError } from '#threads';
import { type PrivateTransaction, PrivateValues } from '../private/private-values.js';
import { BlockWriter } from '../store/block-writer.js';
import type { BlocksToLive } from '../store/blocks-to-live.js';
import type { LedgerNames } from '../store/data-directory.js';
import { DerivedTables } from '../store/derived-tables.js';
import type { ExpiredKey } from '../store/expired-keys.js';
import { HeadPin, readPin } from '../store/head-pin.js';
import type { Identities } from '../store/identity-store.js';
import { StateReaders } from '../store/namespace-reader.js';
import { codeOf, formatOf, headOf, openForWriting } from '../store/open-store.js';
import { storeFailure } from '../store/store-failure.js';
import { StoreReader, type ChainHead } from '../store/store-reader.js';
import { WriteAheadLog } from '../store/write-ahead-log.js';
import { BlockForge, type ForgedBlock } from './block-forge.js';
import { BlockPipeline, type PipelineHost } from './block-pipeline.js';
import { privateTransactions, type SealedBlock, type SimulatedTransaction, type WriteRequest } from './open-block.js';
import { SERVICE_SIGNER, type SignerPem } from './signing.js';

/** Start data of the writer thread. */
export interface WriterData extends LedgerNames {
  readonly storePath: string;
  readonly pinPath: string;
  /** The file of private values. */
  readonly valuesPath: string;
  readonly identities: Identities;
  readonly blocksToLive: BlocksToLive;
  /** Whether commits are reported with the entries of their blocks in the channel's Merkle tree. */
  readonly hasTree: boolean;
}

/** A report of the writer thread. */
export type WriterEvent =
  /** The newest block, with the response payloads of its writes in the order of their positions. */
  | {
      readonly type: 'committed';
      readonly head: ChainHead;
      readonly writes: readonly {
        readonly transactionId: string;
        readonly result: ByteText;
        /** Set for a purge, which is not finished before `erased` reports it. */
        readonly isErasing?: true;
      }[];
      /** See {@link WriterData.hasTree}. */
      readonly entry: Uint8Array | undefined;
    }
  /** The values that committed transactions purged are gone from the disk, or still on it after an error. */
  | { readonly type: 'erased'; readonly transactionIds: readonly string[]; readonly error?: TransferredError }
  | { readonly type: 'refused'; readonly transactionId: string; readonly error: TransferredError }
  /** The simulation of a chaincode must be repeated; see {@link validate}. */
  | { readonly type: 'stale'; readonly transactionId: string; readonly keys: readonly string[] }
  /** The write-ahead log has become long, or short again; see `WriteAheadLogOptions.onLong`. */
  | { readonly type: 'log'; readonly isLong: boolean }
  /** A problem for the log, unexpected without a text. With `readOnly`, the reason, there are no more writes until a restart. */
  | { readonly type: 'failed'; readonly text?: string; readonly readOnly?: string; readonly error: TransferredError };

/** The writer thread's service: owns the store's only writing connection, the head pin and the pipeline. */
export class Writer implements PipelineHost {
  readonly assets: string;
  readonly states: StateReaders;
  readonly #db: DatabaseSync;
  readonly #emit: (event: WriterEvent) => void;
  readonly #forge: BlockForge;
  readonly #log: WriteAheadLog;
  readonly #blocks: BlockWriter;
  readonly #tables: DerivedTables;
  readonly #begin: StatementSync;
  readonly #commitAll: StatementSync;
  readonly #pipeline: BlockPipeline;
  readonly #pin: HeadPin;
  readonly #values: PrivateValues;
  readonly #hasTree: boolean;
  /** Common names of the signers, by their numbers. */
  readonly #names: string[] = [];
  #head: ChainHead;
  /** By the newest block. */
  #expired: readonly ExpiredKey[] = [];
  #pinFailure: LedgerError | undefined;

  private constructor(db: DatabaseSync, data: WriterData, emit: (event: WriterEvent) => void) {
    const { storePath, pinPath, valuesPath, chaincode, hasTree } = data;
    formatOf(db, storePath);
    const reader = new StoreReader(db);
    this.#db = db;
    this.#emit = emit;
    this.#hasTree = hasTree;
    this.#head = headOf(reader, readPin(pinPath), storePath);
    this.#log = new WriteAheadLog(db, {
      storePath,
      onFailure: (error) => {
        emit({ type: 'failed', error: transferError(error) });
      },
      onLong: (isLong) => {
        emit({ type: 'log', isLong });
      },
    });
    this.#log.recover();
    this.#forge = new BlockForge(data);
    this.#blocks = new BlockWriter(db, this.#forge.dictionary);
    this.#tables = new DerivedTables(db, chaincode, data.blocksToLive);
    this.#begin = db.prepare('BEGIN');
    this.#commitAll = db.prepare('COMMIT');
    this.states = new StateReaders(db, reader);
    this.assets = chaincode;
    const newest = decodeBlock(reader.requireBlock(this.#head.height - 1).bytes);
    this.#pipeline = new BlockPipeline(this.#forge, this, newest);
    this.#pin = new HeadPin(pinPath, { number: this.#head.height - 1, hash: this.#head.currentHash });
    this.#values = new PrivateValues({
      path: valuesPath,
      storePath,
      onProblem: (text, error) => {
        emit({ type: 'failed', text, error });
      },
    });
  }

  /**
   * Opens a store whose head was proven. Closes its files again on failure.
   * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`
   */
  static open(data: WriterData, emit: (event: WriterEvent) => void): Writer {
    const db = openForWriting(data.storePath);
    try {
      return new Writer(db, data, emit);
    } catch (error) {
      rollBack(db);
      db.close();
      throw storeFailure(error, data.storePath);
    }
  }

  /** Adds a client, which gets the next signer number. */
  addSigner(client: SignerPem): void {
    this.#forge.addSigner(client);
  }

  /** Executes writes; events report their results. */
  submit(requests: readonly WriteRequest[]): void {
    this.#pipeline.submit(requests);
  }

  /** Waits for in-flight writes, then closes the files. */
  async close(): Promise<void> {
    await this.#pipeline.drain();
    await this.#values.close();
    await this.#forge.close();
    this.#pin.close();
    rollBack(this.#db);
    this.#db.close();
  }

  storeValues(transactions: readonly SimulatedTransaction[]): Promise<void> | undefined {
    const written = privateTransactions(transactions);
    return written.length === 0 ? undefined : this.#values.store(written);
  }

  beginReading(): void {
    if (!this.#db.isTransaction) this.#begin.get();
  }

  commit({ number, transactions, writes }: SealedBlock, { hash, bytes }: ForgedBlock): void {
    // A block whose pin could not be written is still committed, but no further block may follow it.
    if (this.#pinFailure !== undefined) throw this.#pinFailure;
    // The reads for this block began the transaction. There is no other writer, so it can be upgraded to write.
    this.beginReading();
    try {
      this.#blocks.write(number, hash, bytes, this.#creatorsOf(transactions));
      for (const [position, { request }] of transactions.entries()) {
        const place = { blockNumber: number, transactionNumber: position };
        this.#tables.addTransaction(request.transactionId, place);
      }
      this.#expired = this.#tables.add(
        number,
        writes,
        transactions.map(({ request, timestamp }) => {
          return { creator: this.#nameOf(request.signer), function: functionOf(request), timestamp };
        }),
      );
      // A crash before COMMIT returns leaves the previous block as the newest one, or this block if its log record was
      // complete: no client was told either way, and a repeat with its key finds out. After it the block survives.
      this.#commitAll.get();
    } catch (error) {
      // What the writers of blocks and tables remember of this block is wrong now. The pipeline accepts no further block,
      // so the objects are never used again, and the next start reads everything from the disk.
      rollBack(this.#db);
      throw error;
    }
  }

  committed({ number, transactions, envelopes }: SealedBlock, forged: ForgedBlock): void {
    const hash = Buffer.from(forged.hash).toString('hex');
    this.#head = { height: number + 1, currentHash: hash, previousHash: this.#head.currentHash };
    const writes = transactions.map(({ request: { transactionId }, payload, privateWrites }) => {
      const write = { transactionId, result: byteText(payload) };
      return privateWrites?.isPurge === true ? ({ ...write, isErasing: true } as const) : write;
    });
    const entry = this.#hasTree ? new Uint8Array(treeEntry({ ...forged, envelopes })) : undefined;
    this.#emit({ type: 'committed', head: this.#head, writes, entry });
    this.#deleteValues(privateTransactions(transactions));
    // The block is durable, so writes are acknowledged before the rest is done. A crash before the pin is written leaves a
    // store that is longer than its pin, which the next start accepts.
    this.#pinHead(number, hash);
    this.#log.maintain();
  }

  /** Deletes the private values that a block has replaced, and those that have expired with it. */
  #deleteValues(transactions: readonly PrivateTransaction[]): void {
    if (transactions.length > 0) {
      const purges = transactions.filter(({ privateWrites }) => privateWrites.isPurge);
      const transactionIds = purges.map(({ transactionId }) => transactionId);
      this.#values.committed(transactions)?.then(
        () => {
          this.#emit({ type: 'erased', transactionIds });
        },
        (error: unknown) => {
          this.#emit({ type: 'erased', transactionIds, error: transferError(error) });
        },
      );
    }
    if (this.#expired.length > 0) this.#values.expire(this.#expired);
  }

  refused({ transactionId }: WriteRequest, error: Error): void {
    this.#emit({ type: 'refused', transactionId, error: transferError(error) });
  }

  stale({ transactionId }: WriteRequest, keys: readonly string[]): void {
    this.#emit({ type: 'stale', transactionId, keys });
  }

  failed(readOnly: string, error: unknown): void {
    this.#emit({ type: 'failed', readOnly, error: transferError(error) });
  }

  /** Returns the common name of a signer. */
  #nameOf(signer: number): string {
    let name = this.#names[signer];
    if (name === undefined) {
      const creator = decodeIdentity(this.#forge.creator(signer));
      this.#names[signer] = name = this.#tables.creators.of({ creator }).creatorId;
    }
    return name;
  }

  /** Returns the identities that signed a block's transactions, except the service, which every dictionary contains. */
  #creatorsOf(transactions: SealedBlock['transactions']): readonly Uint8Array[] {
    const signers = new Set(transactions.map(({ request }) => request.signer));
    signers.delete(SERVICE_SIGNER);
    return Array.from(signers, (signer) => this.#forge.creator(signer));
  }

  #pinHead(number: number, hash: string): void {
    try {
      this.#pin.write({ number, hash });
    } catch (cause) {
      const text = `Could not write the pin of block ${number} (${codeOf(cause)}). Check the disk.`;
      this.#pinFailure = new LedgerError('LEDGER.READ_ONLY', text, { cause });
    }
  }
}

/** Returns the function of a call as it is read from a block: that of a chaincode may be any text. */
function functionOf({ function: name, finished }: WriteRequest): string {
  return finished === undefined ? name : textOrBase64(Buffer.from(name));
}

/** Rolls back if possible: after some failures SQLite already has, and after others it cannot. */
function rollBack(db: DatabaseSync): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK');
  } catch {
    // The first error is reported. The ledger accepts no more writes, and recovery drops what was not committed.
  }
}
