import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { DamagedError } from '../../../errors/ledger.errors.js';
import { decodeBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { committedHistory } from '../simulation/committed-history.js';
import { headOf } from '../store/check-head.js';
import { HeadPin, readPin } from '../store/head-pin.js';
import { isEmpty, openForWriting, requireFormat } from '../store/open-store.js';
import { createTables } from '../store/schema.js';
import { StoreReader } from '../store/store-reader.js';
import { StoreWriter, type BlockRecord } from '../store/store-writer.js';
import type { BlockForge, ForgedBlock } from './block-forge.js';
import { BlockPipeline } from './block-pipeline.js';
import { FabricForge } from './fabric-forge.js';
import type { ChainHead, FromWriter, WriteRequest, WriterData } from './messages.js';
import type { OpenBlock } from './open-block.js';
import { transferError } from './transferred-error.js';

type Post = (message: FromWriter, transfer?: readonly ArrayBuffer[]) => void;

/** The writer thread's work: owns the store's only writing connection, the pin and the pipeline. */
export class WriterService {
  readonly #db: DatabaseSync;
  readonly #pin: HeadPin;
  readonly #writer: StoreWriter;
  readonly #pipeline: BlockPipeline;
  readonly #post: Post;
  #currentHash: string;
  #refusals: { readonly ticket: number; readonly error: ReturnType<typeof transferError> }[] = [];

  private constructor(opened: OpenedStore, forge: BlockForge, pin: HeadPin, post: Post) {
    const { db, reader, head } = opened;
    this.#db = db;
    this.#pin = pin;
    this.#writer = opened.writer;
    this.#post = post;
    this.#currentHash = head.currentHash;
    this.#pipeline = new BlockPipeline(
      forge,
      {
        reader,
        history: (key) => committedHistory(reader, key),
        commit: (record) => {
          this.#commit(record);
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
        failed: (reason) => {
          this.#post({ type: 'read-only', reason });
        },
      },
    );
  }

  /**
   * Opens the store, makes it when the ledger is new, and checks its head.
   * @throws {@link DamagedError}, {@link MisconfiguredError}
   */
  static open(data: WriterData, post: Post): WriterService {
    const forge = new FabricForge(data);
    const opened = openStore(data, forge);
    const pin = HeadPin.open(data.pinPath);
    pin.write({ number: opened.head.height - 1, hash: opened.head.currentHash });
    const service = new WriterService(opened, forge, pin, post);
    post({ type: 'ready', head: opened.head });
    return service;
  }

  submit(requests: readonly WriteRequest[]): void {
    this.#pipeline.submit(requests);
  }

  withdraw(tickets: readonly number[]): void {
    this.#pipeline.withdraw(tickets);
  }

  /** Lets what is under way finish, then closes the files. */
  async close(): Promise<void> {
    await this.#pipeline.drain();
    this.#flushRefusals();
    this.#pin.close();
    this.#db.close();
  }

  #commit(record: BlockRecord): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      this.#writer.write(record);
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
    this.#pin.write({ number: record.number, hash: Buffer.from(record.hash).toString('hex') });
  }

  #committed(block: OpenBlock, forged: ForgedBlock): void {
    const previousHash = this.#currentHash;
    this.#currentHash = Buffer.from(forged.hash).toString('hex');
    const head: ChainHead = { height: block.number + 1, currentHash: this.#currentHash, previousHash };
    const { tickets, payloads, ends } = joinPayloads(block);
    this.#post({ type: 'committed', head, blockNumber: block.number, tickets, payloads, ends }, [payloads.buffer]);
  }

  /** Refusals of one turn go over in one message. */
  #refused({ ticket }: WriteRequest, error: Error): void {
    if (this.#refusals.length === 0) {
      setImmediate(() => {
        this.#flushRefusals();
      });
    }
    this.#refusals.push({ ticket, error: transferError(error) });
  }

  #flushRefusals(): void {
    if (this.#refusals.length === 0) return;
    this.#post({ type: 'refused', refusals: this.#refusals });
    this.#refusals = [];
  }
}

interface OpenedStore {
  readonly db: DatabaseSync;
  readonly reader: StoreReader;
  readonly writer: StoreWriter;
  readonly head: ChainHead;
  readonly commitHash: Uint8Array;
  readonly nextEntry: number;
}

function openStore({ storePath, pinPath, isNew }: WriterData, forge: BlockForge): OpenedStore {
  if (!isNew && !existsSync(storePath)) throw new DamagedError(`${storePath} is missing: restore it from a backup.`);
  const db = openForWriting(storePath);
  if (isNew && isEmpty(db)) makeStore(db, forge);
  requireFormat(db, storePath);
  const reader = new StoreReader(db);
  const head = headOf(reader, readPin(pinPath), storePath);
  if (head === undefined) throw new DamagedError(`${storePath} holds no block: restore it from a backup.`);
  if (isNew && head.height > 1) {
    throw new DamagedError(`${storePath} holds a ledger, but its ledger.json is missing: restore it from a backup.`);
  }
  return {
    db,
    reader,
    writer: new StoreWriter(db, forge.dictionary),
    head,
    commitHash: newestCommitHash(reader, head),
    nextEntry: reader.lastEntry() + 1,
  };
}

function newestCommitHash(reader: StoreReader, { height }: ChainHead): Uint8Array {
  const newest = reader.block(height - 1);
  return newest === undefined ? new Uint8Array() : decodeBlock(newest.bytes).commitHash;
}

/** The tables and block 0, in one transaction: a store has both or is empty. */
function makeStore(db: DatabaseSync, forge: BlockForge): void {
  const { bytes, hash } = forge.genesis();
  db.exec('BEGIN IMMEDIATE');
  createTables(db);
  new StoreWriter(db, forge.dictionary).write({ number: 0, hash, bytes, transactionIds: [], writes: [] });
  db.exec('COMMIT');
}

/** All payloads in one buffer, which changes threads without a copy. */
function joinPayloads({ transactions }: OpenBlock): {
  readonly tickets: number[];
  readonly payloads: Uint8Array<ArrayBuffer>;
  readonly ends: number[];
} {
  const payloads = new Uint8Array(transactions.reduce((sum, { payload }) => sum + payload.length, 0));
  const tickets: number[] = [];
  const ends: number[] = [];
  let end = 0;
  for (const { request, payload } of transactions) {
    payloads.set(payload, end);
    end += payload.length;
    tickets.push(request.ticket);
    ends.push(end);
  }
  return { tickets, payloads, ends };
}
