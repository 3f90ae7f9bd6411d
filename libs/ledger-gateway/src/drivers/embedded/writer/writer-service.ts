import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { decodeBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { transferError } from '../../../threads/transferred-error.js';
import { BlockWriter } from '../store/block-writer.js';
import { CommittedState } from '../store/committed-state.js';
import { DerivedWriter } from '../store/derived-tables.js';
import { HeadPin, readPin } from '../store/head-pin.js';
import { NamespaceReader } from '../store/namespace-reader.js';
import { formatOf, headOf, openForWriting, type ChainHead } from '../store/open-store.js';
import { storeFailure } from '../store/store-failure.js';
import { StoreReader } from '../store/store-reader.js';
import { WriteAheadLog } from '../store/write-ahead-log.js';
import { FabricForge, type BlockForge, type ForgedBlock } from './block-forge.js';
import { BlockPipeline } from './block-pipeline.js';
import { SERVICE_SIGNER, type FromWriter, type WriterData, type WriteRequest } from './messages.js';
import type { SealedBlock } from './open-block.js';
import type { SignerPem } from './signing.js';

type Post = (message: FromWriter) => void;

/** The writer thread: owns the store's only writing connection, the head pin and the pipeline. */
export class WriterService {
  readonly #db: DatabaseSync;
  readonly #forge: BlockForge;
  readonly #pin: HeadPin;
  readonly #blocks: BlockWriter;
  readonly #derived: DerivedWriter;
  readonly #log: WriteAheadLog;
  readonly #begin: StatementSync;
  readonly #commitAll: StatementSync;
  readonly #pipeline: BlockPipeline;
  readonly #post: Post;
  #currentHash: string;
  #pinFailure: LedgerError | undefined;
  #refusals: { readonly transactionId: string; readonly error: ReturnType<typeof transferError> }[] = [];

  private constructor(opened: OpenedStore, forge: BlockForge, pin: HeadPin, post: Post) {
    const { db, reader, head } = opened;
    this.#db = db;
    this.#forge = forge;
    this.#pin = pin;
    this.#blocks = opened.blocks;
    this.#derived = opened.derived;
    this.#begin = opened.begin;
    this.#commitAll = db.prepare('COMMIT');
    this.#log = new WriteAheadLog(db, {
      storePath: opened.path,
      onFailure: (error) => {
        this.#post({ type: 'trouble', error: transferError(error) });
      },
    });
    this.#log.recover();
    this.#post = post;
    this.#currentHash = head.currentHash;
    const state = new NamespaceReader(db, opened.chaincode);
    const committed = new CommittedState(reader, state);
    this.#pipeline = new BlockPipeline(
      forge,
      {
        reader: state,
        beginReading: () => {
          if (!db.isTransaction) opened.begin.get();
        },
        history: (key) => committed.history(key),
        commit: (block, forged) => {
          this.#commit(block, forged);
        },
      },
      {
        nextBlock: head.height,
        previousHash: Buffer.from(head.currentHash, 'hex'),
        previousCommitHash: opened.commitHash,
        nextEntry: opened.nextEntry,
      },
      {
        committed: (block, forged) => {
          this.#committed(block, forged);
        },
        refused: (request, error) => {
          this.#refused(request, error);
        },
        failed: (reason, error) => {
          this.#post({ type: 'read-only', reason, error: transferError(error) });
        },
      },
    );
  }

  /**
   * Opens a store whose head was proven. Closes its files again on failure.
   * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`
   */
  static open(data: WriterData, post: Post): WriterService {
    const forge = new FabricForge(data);
    const db = openForWriting(data.storePath);
    try {
      const opened = openStore(db, data, forge);
      const pin = HeadPin.open(data.pinPath, { number: opened.head.height - 1, hash: opened.head.currentHash });
      const service = new WriterService(opened, forge, pin, post);
      post({ type: 'ready', head: opened.head });
      return service;
    } catch (error) {
      rollBack(db);
      db.close();
      throw storeFailure(error, data.storePath);
    }
  }

  addSigner(client: SignerPem): void {
    this.#forge.addSigner(client);
  }

  submit(requests: readonly WriteRequest[]): void {
    this.#pipeline.submit(requests);
  }

  /** Waits for in-flight writes, then closes the files. */
  async close(): Promise<void> {
    await this.#pipeline.drain();
    await this.#forge.close();
    this.#flushRefusals();
    this.#pin.close();
    rollBack(this.#db);
    this.#db.close();
  }

  #commit({ number, transactions, writes }: SealedBlock, { hash, bytes }: ForgedBlock): void {
    // A block whose pin could not be written is still committed, but no further block may follow it.
    if (this.#pinFailure !== undefined) throw this.#pinFailure;
    // The reads for this block began the transaction. There is no other writer, so it can be upgraded to write.
    if (!this.#db.isTransaction) this.#begin.get();
    try {
      this.#blocks.write(number, hash, bytes, this.#creatorsOf(transactions));
      for (const [position, { request }] of transactions.entries()) {
        this.#derived.writeTransaction(Buffer.from(request.transactionId, 'hex'), number, position);
      }
      this.#derived.writeState(number, writes);
      this.#commitAll.get();
    } catch (error) {
      rollBack(this.#db);
      throw error;
    }
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
      const { code = 'unknown' } = cause as NodeJS.ErrnoException;
      this.#pinFailure = new LedgerError(
        'LEDGER.READ_ONLY',
        `Could not write the pin of block ${number} (${code}). Check the disk.`,
        {
          cause,
        },
      );
    }
  }

  #committed(block: SealedBlock, forged: ForgedBlock): void {
    const previousHash = this.#currentHash;
    this.#currentHash = Buffer.from(forged.hash).toString('hex');
    const head: ChainHead = { height: block.number + 1, currentHash: this.#currentHash, previousHash };
    // Copies, because a message would clone the whole buffer pool that a payload is a view of.
    const writes = block.transactions.map(({ request: { transactionId }, payload }) => {
      return { transactionId, result: new Uint8Array(payload) };
    });
    this.#post({ type: 'committed', head, blockNumber: block.number, writes });
    // The block is durable, so writes are acknowledged before the rest is done.
    this.#pinHead(block.number, this.#currentHash);
    this.#log.maintain();
  }

  /** Refusals of one turn of the event loop share a message. */
  #refused({ transactionId }: WriteRequest, error: Error): void {
    if (this.#refusals.length === 0) {
      setImmediate(() => {
        this.#flushRefusals();
      });
    }
    this.#refusals.push({ transactionId, error: transferError(error) });
  }

  #flushRefusals(): void {
    if (this.#refusals.length === 0) return;
    this.#post({ type: 'refused', refusals: this.#refusals });
    this.#refusals = [];
  }
}

interface OpenedStore {
  readonly path: string;
  readonly chaincode: string;
  readonly db: DatabaseSync;
  readonly begin: StatementSync;
  readonly reader: StoreReader;
  readonly blocks: BlockWriter;
  readonly derived: DerivedWriter;
  readonly head: ChainHead;
  readonly commitHash: Uint8Array;
  readonly nextEntry: number;
}

function openStore(db: DatabaseSync, data: WriterData, forge: BlockForge): OpenedStore {
  const { storePath, pinPath, chaincode } = data;
  formatOf(db, storePath);
  const reader = new StoreReader(db);
  const head = headOf(reader, readPin(pinPath), storePath);
  return {
    path: storePath,
    chaincode,
    db,
    begin: db.prepare('BEGIN'),
    reader,
    blocks: new BlockWriter(db, forge.dictionary),
    derived: new DerivedWriter(db, chaincode),
    head,
    commitHash: newestCommitHash(reader, head),
    nextEntry: reader.lastEntry() + 1,
  };
}

function newestCommitHash(reader: StoreReader, { height }: ChainHead): Uint8Array {
  const newest = reader.block(height - 1);
  return newest === undefined ? new Uint8Array() : decodeBlock(newest.bytes).commitHash;
}

/** Rolls back if possible: after some failures SQLite already has, and after others it cannot. */
function rollBack(db: DatabaseSync): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK');
  } catch {
    // The first error is reported. The ledger accepts no more writes, and recovery drops what was not committed.
  }
}
