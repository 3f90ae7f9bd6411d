import type { DatabaseSync } from 'node:sqlite';
import { ContractError, decideOn, prepare } from '#asset-contract';
import { LedgerTimeoutError, ReadOnlyError } from '../../errors/ledger.errors.js';
import type {
  CallOptions,
  ChainInfo,
  LedgerBlock,
  LedgerCall,
  LedgerChannel,
  LedgerTransaction,
  SubmitResult,
} from '../../ports/ledger.port.js';
import { BlockFeed } from './block-feed.js';
import { CommittedState } from './simulation/committed-state.js';
import { contractRefusal } from './simulation/contract-refusal.js';
import { headAt } from './store/check-head.js';
import { ReadSnapshot } from './store/read-snapshot.js';
import { requireBlock, StoreReader } from './store/store-reader.js';
import { transactionInBlock } from './store/transaction-in-block.js';
import type { ChainHead } from './writer/messages.js';
import type { WriterClient } from './handover/writer-client.js';

const TRANSACTION_ID = /^[0-9a-f]{64}$/;

/** The one channel of an embedded ledger: reads on this thread, writes through the writer thread. */
export class EmbeddedChannel implements LedgerChannel {
  readonly name: string;
  readonly #reader: StoreReader;
  readonly #snapshot: ReadSnapshot;
  readonly #state: CommittedState;
  readonly #feed = new BlockFeed((number) => this.#block(number));
  #head: ChainHead;
  #writer: WriterClient | undefined;
  #readOnlyReason: string | undefined;
  #closed: Error | undefined;

  constructor(name: string, db: DatabaseSync, head: ChainHead) {
    const reader = new StoreReader(db);
    this.name = name;
    this.#reader = reader;
    this.#snapshot = new ReadSnapshot(db);
    this.#head = head;
    this.#state = new CommittedState(reader);
  }

  get readOnlyReason(): string | undefined {
    return this.#readOnlyReason;
  }

  /** Writes go there from now on. */
  writeThrough(writer: WriterClient): void {
    this.#writer = writer;
  }

  /** Writes are refused from now on. */
  becomeReadOnly(reason: string): void {
    this.#readOnlyReason ??= reason;
  }

  /** Every call is refused from now on. */
  refuseCalls(error: Error): void {
    this.#closed = error;
    this.#snapshot.end();
    this.#feed.end();
  }

  /** The chain has grown. */
  advance(head: ChainHead): void {
    if (head.height > this.#head.height) this.#head = head;
    this.#snapshot.end();
    this.#feed.advance(head.height);
  }

  /** Not an async function, which would put a promise and three turns of the microtask queue around the writer's. */
  submit(call: LedgerCall, options: CallOptions = {}): Promise<SubmitResult> {
    const refusal = this.#refusal(options);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#readOnlyReason !== undefined || this.#writer === undefined) {
      return Promise.reject(new ReadOnlyError(`The ledger takes no writes. ${this.#readOnlyReason ?? ''}`));
    }
    return this.#writer.submit(call, options.caller);
  }

  async evaluate(call: LedgerCall, options: CallOptions = {}): Promise<Uint8Array> {
    this.#requireOpen(options);
    this.#snapshot.begin();
    try {
      // As on a peer, what an evaluated call would write is dropped.
      return await Promise.resolve(decideOn(this.#state, prepare(call.function, call.arguments)).payload);
    } catch (error) {
      throw error instanceof ContractError ? contractRefusal(error) : error;
    }
  }

  async chainInfo(options: CallOptions = {}): Promise<ChainInfo> {
    this.#requireOpen(options);
    const { height, currentHash, previousHash } = this.#headSeen();
    return await Promise.resolve({
      channel: this.name,
      height,
      currentBlockHash: currentHash,
      previousBlockHash: previousHash,
    });
  }

  async blockByNumber(number: number, options: CallOptions = {}): Promise<LedgerBlock | undefined> {
    this.#requireOpen(options);
    return await Promise.resolve(this.#block(number));
  }

  async transactionById(transactionId: string, options: CallOptions = {}): Promise<LedgerTransaction | undefined> {
    this.#requireOpen(options);
    if (!TRANSACTION_ID.test(transactionId)) return undefined;
    this.#snapshot.begin();
    return await Promise.resolve(transactionInBlock(this.#reader, transactionId));
  }

  blockEvents(options: { readonly startBlock: number; readonly signal?: AbortSignal }): AsyncIterable<LedgerBlock> {
    return this.#feed.from(options.startBlock, this.#headSeen().height, options.signal);
  }

  queueLength(): number {
    return this.#writer?.length ?? 0;
  }

  #block(number: number): LedgerBlock | undefined {
    if (!Number.isSafeInteger(number) || number < 0) return undefined;
    if (number >= this.#head.height && number >= this.#headSeen().height) return undefined;
    return requireBlock(this.#reader, number);
  }

  /** Where the chain ends for what is read now: what stands in a block can be read before the writer's word of it is here. */
  #headSeen(): ChainHead {
    this.#snapshot.begin();
    const height = this.#reader.height();
    if (height > this.#head.height) this.#head = headAt(this.#reader, height);
    return this.#head;
  }

  #requireOpen(options: CallOptions): void {
    const refusal = this.#refusal(options);
    if (refusal !== undefined) throw refusal;
  }

  #refusal({ signal, deadline = Infinity }: CallOptions): Error | undefined {
    if (this.#closed !== undefined) return this.#closed;
    if (signal?.aborted !== true && deadline > Date.now()) return undefined;
    return new LedgerTimeoutError('The call had no time left when it came.');
  }
}
