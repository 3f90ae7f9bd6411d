import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CONTRACT_FUNCTIONS, contractMetadata, METADATA_FUNCTION } from '#asset-contract';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { bytesToEndorse } from '../../../fabric-blocks/encode/transaction-encoder.js';
import { placeInBlock, receiptText, statementOf } from '../../../fabric-blocks/receipt/receipt.js';
import type {
  CallOptions,
  ChainInfo,
  ConnectionState,
  Ledger,
  LedgerBlock,
  LedgerCall,
  LedgerChannel,
  LedgerTransaction,
  SubmitResult,
} from '../../../ports/ledger.port.js';
import type {
  AssetChange,
  AssetFilter,
  BlockSummary,
  Page,
  PageAfter,
  PageBefore,
  TransactionFilter,
  TransactionSummary,
} from '../../../ports/pages.js';
import type { ReadingThread } from '../reading/reading-thread.js';
import { headAt, type ChainHead } from '../store/prove-store.js';
import { CommittedState } from '../store/committed-state.js';
import { misplaced, ReadSnapshot, requireBlock, StoreReader, transactionInBlock } from '../store/store-reader.js';
import type { LedgerNames } from '../store/directory/data-directory.js';
import type { Signer } from '../writer/signing.js';
import { KeyedWrites } from './keyed-writes.js';
import type { WriterClient } from './writer-client.js';

/** What a ledger gives back when it is closed, in this order. */
export interface EmbeddedResources {
  readonly closeReading: () => Promise<void>;
  readonly closeStore: () => void;
  readonly closeWriter: () => Promise<void>;
  readonly releaseLock: () => void;
}

/** The ledger in a data directory. */
export class EmbeddedLedger implements Ledger {
  readonly #channel: EmbeddedChannel;
  readonly #resources: EmbeddedResources;
  #closing: Promise<void> | undefined;

  constructor(channel: EmbeddedChannel, resources: EmbeddedResources) {
    this.#channel = channel;
    this.#resources = resources;
  }

  channel(name: string = this.#channel.name): LedgerChannel {
    if (name === this.#channel.name) return this.#channel;
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `This ledger has the channel "${this.#channel.name}", not "${name}".`,
    );
  }

  connectionState(): Promise<ConnectionState> {
    if (this.#closing !== undefined) return Promise.resolve({ status: 'unavailable', reason: 'The ledger is closed.' });
    const reason = this.#channel.readOnlyReason;
    return Promise.resolve(reason === undefined ? { status: 'ready' } : { status: 'read-only', reason });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { closeReading, closeStore, closeWriter, releaseLock } = this.#resources;
    this.#channel.refuseCalls(new LedgerError('LEDGER.UNAVAILABLE', 'The ledger is closed.'));
    try {
      await closeReading();
      // The writer's connection closes last: it then takes the write-ahead log into the store's file.
      closeStore();
      await closeWriter();
    } finally {
      releaseLock();
    }
  }
}

const TRANSACTION_ID = /^[0-9a-f]{64}$/;

/** The one channel of an embedded ledger: reads on this thread, writes through the writer thread. */
export class EmbeddedChannel implements LedgerChannel {
  readonly name: string;
  readonly #chaincode: string;
  readonly #reader: StoreReader;
  readonly #snapshot: ReadSnapshot;
  readonly #reading: ReadingThread;
  readonly #state: CommittedState;
  readonly #feed = new BlockFeed((number) => this.#block(number));
  #head: ChainHead;
  #writer: WriterClient | undefined;
  #keyed: KeyedWrites | undefined;
  #peer: Signer | undefined;
  #readOnlyReason: string | undefined;
  #closed: Error | undefined;

  /** @param reading - reads what takes longer than a turn of the event loop may */
  constructor(
    { channel, chaincode }: Pick<LedgerNames, 'channel' | 'chaincode'>,
    { db, head, reading }: { readonly db: DatabaseSync; readonly head: ChainHead; readonly reading: ReadingThread },
  ) {
    const reader = new StoreReader(db);
    this.name = channel;
    this.#chaincode = chaincode;
    this.#reader = reader;
    this.#snapshot = new ReadSnapshot(db);
    this.#reading = reading;
    this.#head = head;
    this.#state = new CommittedState(reader, chaincode);
  }

  get readOnlyReason(): string | undefined {
    return this.#readOnlyReason;
  }

  /** Writes go there from now on, and the peer signs receipts. */
  writeThrough(writer: WriterClient, peer: Signer): void {
    this.#writer = writer;
    this.#peer = peer;
    const lookUp = (transactionId: string): LedgerTransaction | undefined => this.#transaction(transactionId);
    this.#keyed = new KeyedWrites({ channel: this.name, chaincode: this.#chaincode, writer, lookUp });
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
    const refusal = this.#refusal(options) ?? this.#strangerIn(call);
    if (refusal !== undefined) return Promise.reject(refusal);
    const { idempotency } = options;
    // What is recorded under a key is told also when nothing more can be written.
    if (idempotency !== undefined && this.#keyed !== undefined) {
      return this.#keyed.submit(call, { ...options, idempotency });
    }
    if (this.#readOnlyReason !== undefined || this.#writer === undefined) {
      return Promise.reject(this.#readOnlyError());
    }
    return this.#writer.submit(call, options.caller);
  }

  async evaluate(call: LedgerCall, options: CallOptions = {}): Promise<Uint8Array> {
    this.#requireOpen(options);
    const stranger = this.#strangerIn(call);
    if (stranger !== undefined) throw stranger;
    // On a peer the contract API answers it.
    if (call.function === METADATA_FUNCTION) return Buffer.from(contractMetadata());
    // It would take longer than a turn of the event loop may.
    if (CONTRACT_FUNCTIONS.get(call.function)?.isLong === true) return this.#reading.read('evaluate', call);
    this.#snapshot.begin();
    return await Promise.resolve(this.#state.evaluate(call));
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
    return await Promise.resolve(this.#transaction(transactionId));
  }

  async assets(page: PageAfter & AssetFilter, options: CallOptions = {}): Promise<Page<string, string>> {
    this.#requireOpen(options);
    return this.#reading.read('assets', page);
  }

  async blocks(page: PageBefore<number>, options: CallOptions = {}): Promise<Page<BlockSummary, number>> {
    this.#requireOpen(options);
    return this.#reading.read('blocks', page);
  }

  async transactions(
    page: PageBefore & TransactionFilter,
    options: CallOptions = {},
  ): Promise<Page<TransactionSummary>> {
    this.#requireOpen(options);
    return this.#reading.read('transactions', page);
  }

  async assetHistory(id: string, page: PageBefore, options: CallOptions = {}): Promise<Page<AssetChange>> {
    this.#requireOpen(options);
    return this.#reading.read('assetHistory', id, page);
  }

  async receipt(transactionId: string, options: CallOptions = {}): Promise<string | undefined> {
    this.#requireOpen(options);
    return await Promise.resolve(TRANSACTION_ID.test(transactionId) ? this.#receipt(transactionId) : undefined);
  }

  blockEvents(options: { readonly startBlock: number; readonly signal?: AbortSignal }): AsyncIterable<LedgerBlock> {
    return this.#feed.from(options.startBlock, this.#headSeen().height, options.signal);
  }

  /** Accepts every caller: the writer issues an identity to each one it does not know. */
  authorize(): Promise<void> {
    return Promise.resolve();
  }

  async creators(caller: string | undefined, endedAfter: number): Promise<readonly Uint8Array[]> {
    this.#requireOpen({});
    if (this.#writer === undefined) throw this.#readOnlyError();
    return this.#writer.creators(caller, endedAfter);
  }

  queueLength(): number {
    return this.#writer?.length ?? 0;
  }

  #transaction(transactionId: string): LedgerTransaction | undefined {
    this.#snapshot.begin();
    return transactionInBlock(this.#reader, transactionId);
  }

  #receipt(transactionId: string): string | undefined {
    this.#snapshot.begin();
    const found = this.#reader.transaction(Buffer.from(transactionId, 'hex'));
    if (found === undefined) return undefined;
    if (this.#peer === undefined) {
      throw new LedgerError(
        'LEDGER.NOT_SUPPORTED',
        'A receipt needs a peer that signs it, and there are no keys in the data directory.',
      );
    }
    const { bytes } = requireBlock(this.#reader, found.block);
    const place = placeInBlock(bytes, transactionId);
    if (place?.position !== found.position) throw misplaced(transactionId, found.block);
    const { identity: endorser } = this.#peer;
    const statement = statementOf(place);
    const signature = this.#peer.sign(bytesToEndorse(Buffer.from(statement), endorser));
    return receiptText(place, bytes, { kind: 'statement', statement, endorser, signature });
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

  #readOnlyError(): LedgerError {
    return new LedgerError('LEDGER.READ_ONLY', `The ledger takes no writes. ${this.#readOnlyReason ?? ''}`);
  }

  #requireOpen(options: CallOptions): void {
    const refusal = this.#refusal(options);
    if (refusal !== undefined) throw refusal;
  }

  #strangerIn({ chaincode }: LedgerCall): Error | undefined {
    if (chaincode === undefined || chaincode === this.#chaincode) return undefined;
    return new LedgerError('LEDGER.CHAINCODE_UNKNOWN', `This ledger has the chaincode "${this.#chaincode}" only.`);
  }

  #refusal({ signal, deadline = Infinity }: CallOptions): Error | undefined {
    if (this.#closed !== undefined) return this.#closed;
    if (signal?.aborted !== true && deadline > Date.now()) return undefined;
    return new LedgerError('LEDGER.TIMEOUT', 'The call had no time left when it came.');
  }
}

/** Tells readers of blocks how far the chain has grown; each reads at its own pace, so none can miss a block or hold memory. */
export class BlockFeed {
  readonly #read: (number: number) => LedgerBlock | undefined;
  #height = 0;
  #hasEnded = false;
  #lastTurn = Promise.resolve();
  #wake = Promise.withResolvers<undefined>();

  constructor(read: (number: number) => LedgerBlock | undefined) {
    this.#read = read;
  }

  /** The chain has that many blocks now. */
  advance(height: number): void {
    this.#height = height;
    this.#wakeAll();
  }

  /** No more blocks: every reader ends. */
  end(): void {
    this.#hasEnded = true;
    this.#wakeAll();
  }

  /** Blocks from `start` on, in order, until the signal or the end. */
  async *from(start: number, height: number, signal?: AbortSignal): AsyncGenerator<LedgerBlock, void, undefined> {
    this.#height = Math.max(this.#height, height);
    const onAbort = (): void => {
      this.#wakeAll();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const isOver = (): boolean => this.#hasEnded || signal?.aborted === true;
    try {
      let next = Math.max(0, Math.trunc(start));
      while (!isOver()) {
        await (next < this.#height ? this.#turn() : this.#wake.promise);
        const block = next < this.#height && !isOver() ? this.#read(next) : undefined;
        if (block === undefined) continue;
        next += 1;
        yield block;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Reading a block waits for nothing: a reader of a long chain would else have the event loop to itself. All readers
   * together read one block in a turn of it.
   */
  #turn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(async () => nextTurn());
    return this.#lastTurn;
  }

  #wakeAll(): void {
    this.#wake.resolve(undefined);
    this.#wake = Promise.withResolvers<undefined>();
  }
}
