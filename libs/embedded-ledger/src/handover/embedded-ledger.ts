import type { Contract } from '#contract-kit';
import { bytesToEndorse } from '#fabric-codec/encode';
import type { FileLock } from '#files';
import {
  type CallOptions,
  type ChainInfo,
  type Ledger,
  type LedgerBlock,
  type LedgerCall,
  type LedgerChannel,
  LedgerError,
  type LedgerTransaction,
  type SubmitResult,
} from '#ledger-gateway';
import {
  type BlockRange,
  type ChainLists,
  type ConnectionState,
  type LedgerCapabilities,
  unknownOrganization,
  writesDisabled,
} from '#ledger-gateway/driver';
import { blockPosition, receiptText, statementOf } from '#receipts';
import { RECORDS_NAME } from '#records-contract';
import type { ChaincodeCalls } from '../chaincode/chaincode-calls.js';
import type { ReadingThread } from '../reading/reading-thread.js';
import type { PageCalls } from '../reading/store-pages.js';
import type { LedgerNames } from '../store/data-directory.js';
import { StateReaders } from '../store/namespace-reader.js';
import { ownContract } from '../store/own-contracts.js';
import { misplaced, ReadSnapshot, StoreReader, type ChainHead } from '../store/store-reader.js';
import type { PrivateReader } from '../private/private-reader.js';
import type { Signer } from '../writer/signing.js';
import type { WriterClient } from '../writer/writer-client.js';
import { BlockFeed } from './block-feed.js';
import { RecentEntries } from './recent-entries.js';
import { Writes, type WritesOptions } from './writes.js';
import type { ReadingConnection } from '#chain-pages';

/** The reason why a ledger without keys is read-only. */
export const NO_KEYS =
  'Its data directory contains no keys, as after an import: copy the "identities" directory of a backup there and restart.';

const REPLACED = 'Its store was replaced, as by a rebuild, and new blocks are not read from the old one: restart.';

const PUBLIC_ONLY =
  'The driver embedded does not support transient data for its own contract, which has no private data.';

type Capabilities = Required<LedgerCapabilities>;

/** An opened store. */
export interface EmbeddedStore {
  readonly db: ReadingConnection;
  readonly head: ChainHead;
  /** Executes the reads that would block the event loop for too long. */
  readonly reading: ReadingThread;
  readonly privateReader: PrivateReader;
  /** Of the data directory; undefined for a ledger that was opened to be read only. */
  readonly lock?: FileLock;
  /** Returns whether another file is in the place of the store, as after a rebuild: what it gets is not read here. */
  readonly isReplaced?: () => boolean;
}

/** The additional parts of a ledger that has keys. */
export interface EmbeddedKeys {
  /** Signs receipts. */
  readonly peer: Signer;
  /** Undefined for a ledger that was opened to be read only. */
  readonly writing?: Omit<WritesOptions, 'lookUp' | keyof LedgerNames>;
}

/** The ledger of a data directory: reads on this thread, long reads on the reading thread, writes on the writer thread. */
export class EmbeddedLedger implements Ledger {
  readonly channel: string;
  /** Only this one: a data directory contains one chain. */
  readonly channels: ReadonlyMap<string, LedgerChannel>;
  readonly #names: LedgerNames;
  readonly #store: EmbeddedStore;
  readonly #reader: StoreReader;
  readonly #snapshot: ReadSnapshot;
  readonly #states: StateReaders;
  readonly #feed: BlockFeed;
  readonly #entries = new RecentEntries();
  #head: ChainHead;
  readonly #writer: WriterClient | undefined;
  readonly #writes: Writes | undefined;
  readonly #chaincodes: ChaincodeCalls | undefined;
  #closing: Promise<void> | undefined;

  /** @param keys - undefined for a ledger without keys, which accepts no writes */
  constructor(names: LedgerNames, store: EmbeddedStore, keys: EmbeddedKeys | undefined) {
    this.channel = names.channel;
    this.channels = new Map([[names.channel, this]]);
    this.#names = names;
    this.#store = store;
    this.#reader = new StoreReader(store.db);
    this.#snapshot = new ReadSnapshot(store.db);
    this.#head = store.head;
    this.#states = new StateReaders(store.db, this.#reader, store.privateReader);
    // No writer of this process reports the blocks of a ledger that is only read.
    const readHeight = this.#isReadOnly ? (): number => this.#newestHead().height : undefined;
    this.#feed = new BlockFeed((number) => this.#block(number), readHeight);
    const { peer, writing } = keys ?? {};
    if (peer !== undefined) this.receipt = (id) => this.#read(() => this.#receipt(id, peer));
    this.#writer = writing?.writer;
    this.#chaincodes = writing?.chaincodes;
    this.#writes = writing && new Writes({ ...names, ...writing, lookUp: (id) => this.#transaction(id) });
  }

  /**
   * Publishes a new head of the chain.
   * @param entry - of its newest block in the Merkle tree, if there is one
   */
  advance(head: ChainHead, entry?: Uint8Array): void {
    if (head.height > this.#head.height) this.#head = head;
    if (entry !== undefined) this.#entries.add(head.height - 1, entry);
    this.#snapshot.end();
    this.#feed.advance(head.height);
  }

  /** Not an async function, which would add a promise and three turns of the microtask queue to each write. */
  submit(call: LedgerCall, options: CallOptions = {}): Promise<SubmitResult> {
    const refusal = this.#refusal(call);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#writes !== undefined) return this.#writes.submit(call, options);
    if (this.#isReadOnly) return Promise.reject(writesDisabled());
    return Promise.reject(new LedgerError('LEDGER.READ_ONLY', `The ledger accepts no writes. ${NO_KEYS}`));
  }

  async evaluate(call: LedgerCall, { caller }: CallOptions = {}): Promise<Uint8Array> {
    const refusal = this.#refusal(call);
    if (refusal !== undefined) throw refusal;
    const contract = this.#ownContract(call);
    if (contract === undefined) {
      if (this.#writes === undefined) throw this.#unknownChaincode();
      return this.#writes.evaluate(call, caller);
    }
    if (contract.functions.get(call.function)?.isLong === true) return this.#store.reading.read('evaluate', call);
    this.#snapshot.begin();
    const { chaincode = this.#names.chaincode } = call;
    return await Promise.resolve(this.#states.of(chaincode).evaluate(contract, call));
  }

  /** Accepts every caller: a caller without an identity is issued one. */
  authorize(): Promise<void> {
    return Promise.resolve();
  }

  chainInfo(): Promise<ChainInfo> {
    return this.#read(() => {
      const { height, currentHash: currentBlockHash, previousHash: previousBlockHash } = this.#newestHead();
      return { channel: this.channel, height, currentBlockHash, previousBlockHash };
    });
  }

  blockByNumber(number: number): Promise<LedgerBlock | undefined> {
    return this.#read(() => this.#block(number));
  }

  transactionById(transactionId: string): Promise<LedgerTransaction | undefined> {
    return this.#read(() => this.#transaction(transactionId));
  }

  readonly lists: Required<ChainLists> = {
    blocks: (page) => this.#page('blocks', page),
    transactions: (page) => this.#page('transactions', page),
    assetAt: (id, block) => this.#page('assetAt', id, block),
    assetHistory: (id, page) => this.#page('assetHistory', id, page),
    search: (query) => this.#page('search', query),
    totals: () => this.#page('totals'),
    records: (page) => this.#page('records', page),
    recordAt: (record, block) => this.#page('recordAt', record, block),
  };

  readonly assets: Capabilities['assets'] = (page) => this.#page('assets', page);
  readonly authorities: Capabilities['authorities'] = (mspId) => this.#page('authorities', mspId);
  readonly treeEntries: Capabilities['treeEntries'] = (range) => this.#treeEntries(range);
  /** Absent without keys: a receipt needs the signature of a peer. */
  readonly receipt?: Capabilities['receipt'];

  blockEvents({ startBlock, signal }: BlockRange): AsyncIterable<LedgerBlock> {
    return this.#feed.from(startBlock, this.#newestHead().height, signal);
  }

  async *#treeEntries({ startBlock, signal }: BlockRange): AsyncGenerator<readonly Uint8Array[], void> {
    let next = startBlock;
    for await (const height of this.#feed.heights(() => next, this.#newestHead().height, signal)) {
      const entries = this.#entries.from(next) ?? (await this.#page('treeEntries', next, height));
      next += entries.length;
      yield entries;
    }
  }

  queueLength(): number {
    return this.#writer?.length ?? 0;
  }

  connectionState(): Promise<ConnectionState> {
    if (this.#closing !== undefined) return Promise.resolve({ status: 'unavailable', reason: 'The ledger is closed.' });
    if (this.#store.isReplaced?.() === true) return Promise.resolve({ status: 'unavailable', reason: REPLACED });
    if (this.#isReadOnly) return Promise.resolve({ status: 'ready' });
    const reason = this.#writer === undefined ? NO_KEYS : this.#writer.readOnlyReason;
    return Promise.resolve(reason === undefined ? { status: 'ready' } : { status: 'read-only', reason });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const { db, reading, privateReader, lock } = this.#store;
    this.#snapshot.end();
    this.#feed.end();
    try {
      await this.#chaincodes?.close();
      await reading.close();
      // The writer's connection closes last: it then checkpoints the write-ahead log.
      db.close();
      privateReader.close();
      await this.#writer?.close();
    } finally {
      lock?.release();
    }
  }

  /** Whether it was opened to be read only; such a ledger does not lock its directory. */
  get #isReadOnly(): boolean {
    return this.#store.lock === undefined;
  }

  async #read<T>(read: () => T): Promise<T> {
    this.#requireOpen();
    this.#snapshot.begin();
    return await Promise.resolve(read());
  }

  async #page<M extends keyof PageCalls>(
    method: M,
    ...parameters: Parameters<PageCalls[M]>
  ): Promise<Awaited<ReturnType<PageCalls[M]>>> {
    this.#requireOpen();
    return this.#store.reading.read(method, ...parameters);
  }

  #transaction(transactionId: string): LedgerTransaction | undefined {
    this.#snapshot.begin();
    return this.#reader.transaction(transactionId);
  }

  #receipt(transactionId: string, peer: Signer): string | undefined {
    const found = this.#reader.place(transactionId);
    if (found === undefined) return undefined;
    const { bytes } = this.#reader.requireBlock(found.block);
    const place = blockPosition(bytes, transactionId);
    if (place?.position !== found.position) throw misplaced(transactionId, found.block);
    const { identity: endorser } = peer;
    const statement = statementOf(place);
    const signature = peer.sign(bytesToEndorse(Buffer.from(statement), endorser));
    return receiptText(place, bytes, { kind: 'statement', statement, endorser, signature });
  }

  #block(number: number): LedgerBlock | undefined {
    if (!Number.isSafeInteger(number) || number < 0) return undefined;
    if (number >= this.#head.height && number >= this.#newestHead().height) return undefined;
    return this.#reader.requireBlock(number);
  }

  /** Returns the head of the store, which a read can see before the writer reports the commit. */
  #newestHead(): ChainHead {
    this.#snapshot.begin();
    const height = this.#reader.height();
    if (height > this.#head.height) this.#head = this.#reader.head(height);
    return this.#head;
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw closedError();
  }

  #refusal(call: LedgerCall): LedgerError | undefined {
    if (this.#closing !== undefined) return closedError();
    const own = this.#ownContract(call);
    const isOwn = own !== undefined;
    const isPublic = isOwn && own.functions.get(call.function)?.acceptsTransient !== true;
    if (isPublic && call.transient !== undefined) return new LedgerError('LEDGER.NOT_SUPPORTED', PUBLIC_ONLY);
    const unknown = call.endorsingOrganizations?.find((mspId) => mspId !== this.#names.mspId);
    if (unknown !== undefined) return unknownOrganization(this.channel, unknown);
    return isOwn || this.#chaincodes !== undefined ? undefined : this.#unknownChaincode();
  }

  #unknownChaincode(): LedgerError {
    const text = `This ledger has only the chaincodes "${this.#names.chaincode}" and "${RECORDS_NAME}".`;
    const reason = this.#writes === undefined ? ' It is read-only: other chaincodes are not started.' : '';
    return new LedgerError('LEDGER.CHAINCODE_UNKNOWN', text + reason);
  }

  /** Returns the contract of the ledger's own that a call names. A chaincode of the configuration replaces one of the same name. */
  #ownContract({ chaincode }: LedgerCall): Contract | undefined {
    if (chaincode !== undefined && this.#chaincodes?.names.includes(chaincode) === true) return undefined;
    return ownContract(chaincode, this.#names.chaincode);
  }
}

function closedError(): LedgerError {
  return new LedgerError('LEDGER.UNAVAILABLE', 'The ledger is closed.');
}
