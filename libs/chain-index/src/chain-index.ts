import { setTimeout as delay } from 'node:timers/promises';
import { isLedgerError, LedgerError, type LedgerChannel, type LedgerLogger } from '#ledger-gateway';
import type { ChainLists, IndexState } from '#ledger-gateway/driver';
import { ChainFollower } from './chain-follower.js';
import { firstBlock } from './first-block.js';
import { FollowedIndex, IndexLocked, IndexThread } from './index-thread.js';
import type { IndexServiceOptions } from './index-service.js';

/** The least time between two commits, unless a reader waits. */
const COMMIT_EVERY_MS = 250;
/** Bytes of blocks that are committed at once, at most; about as many are received meanwhile. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** The time for which a peer may lag before its chain counts as another one. */
const SHORTER_MS = 10_000;
/** How long a list waits for the newest blocks. */
const FRESH_MS = 1000;
/** Interval at which a process reads the cursor of an index that another one writes. */
const POLL_MS = 25;

/** What an index reads of a channel. */
export type IndexedChannel = Pick<
  LedgerChannel,
  'channel' | 'chainInfo' | 'blockByNumber' | 'blockEvents' | 'authorize'
>;

/** Options of a {@link ChainIndex}. */
export interface ChainIndexOptions extends Omit<IndexServiceOptions, 'channel'> {
  readonly source: IndexedChannel;
  /** Answers while the index cannot. */
  readonly scans: ChainLists;
  readonly logger?: LedgerLogger | undefined;
}

/**
 * The lists of a channel of a Fabric network, from an index that follows its chain. While the index is being built, or cannot
 * be written, the newest blocks are searched instead.
 */
export class ChainIndex implements ChainLists {
  readonly #source: IndexedChannel;
  readonly #scans: ChainLists;
  readonly #logger: LedgerLogger | undefined;
  readonly #thread: IndexThread;
  readonly #follower: ChainFollower<FollowedIndex>;
  #isLocked = false;
  /** Whether it has caught up with the chain since it was opened. */
  #isReady = false;
  #newestError = '';
  /** Why it is not continued; undefined after the next commit. */
  #fault: string | undefined;

  constructor({ source, scans, logger, ...options }: ChainIndexOptions) {
    this.#source = source;
    this.#scans = scans;
    this.#logger = logger;
    this.#thread = new IndexThread({ ...options, channel: source.channel });
    this.#follower = new ChainFollower({
      chain: {
        chainInfo: () => source.chainInfo(),
        blockByNumber: (number) => source.blockByNumber(number),
        firstBlock: () => firstBlock(source),
        items: (startBlock, signal) => this.#items(startBlock, signal),
      },
      open: () => this.#open(),
      intervalMs: COMMIT_EVERY_MS,
      batchBytes: BATCH_BYTES,
      shorterMs: SHORTER_MS,
      onCommit: ({ next = 0 }) => {
        this.#fault = undefined;
        this.#newestError = '';
        if (next >= this.#follower.height) this.#becomeReady(next);
      },
      onRebuild: (reason) => {
        this.#isReady = false;
        this.#logRebuild(reason);
      },
      onError: (error) => {
        this.#fail(error);
      },
    });
  }

  /** Returns how far the index is. */
  state(): IndexState {
    const { height, data } = this.#follower;
    const { first = 0, next = 0 } = data ?? {};
    const progress = height <= first ? 0 : Math.min(1, Math.max(0, next - first) / (height - first));
    if (this.#isLocked) return { status: 'reading', blocks: next, progress: 1 };
    if (this.#fault !== undefined) return { status: 'stopped', blocks: next, progress, reason: this.#fault };
    return { status: this.#isReady ? 'ready' : 'building', blocks: next, progress };
  }

  readonly blocks: ChainLists['blocks'] = (page) =>
    this.#answer(
      () => this.#thread.call('blocks', page),
      () => this.#scans.blocks(page),
    );

  readonly transactions: ChainLists['transactions'] = (page) =>
    this.#answer(
      () => this.#thread.call('transactions', page),
      () => this.#scans.transactions(page),
    );

  readonly assetHistory: ChainLists['assetHistory'] = async (id, page, options = {}) => {
    await this.#authorize(options);
    const scan = () => this.#scans.assetHistory(id, page, options);
    // A key without a change may have one in a block that no peer has; a chaincode's own refusal is also its own text.
    return (await this.#answer(() => this.#thread.call('assetHistory', id, page), scan)) ?? scan();
  };

  readonly assetAt: ChainLists['assetAt'] = async (id, block, options = {}) => {
    await this.#authorize(options);
    const scan = () => this.#scans.assetAt(id, block, options);
    return (await this.#answer(() => this.#thread.call('assetAt', id, block), scan)) ?? scan();
  };

  readonly search: ChainLists['search'] = async (query, options = {}) => {
    await this.#authorize(options);
    return this.#answer(
      () => this.#thread.call('search', query),
      () => this.#scans.search(query, options),
    );
  };

  readonly totals: Required<ChainLists>['totals'] = () =>
    this.#answer(
      () => this.#thread.call('totals'),
      () => this.#refuse('There are no totals yet.'),
    );

  readonly records: Required<ChainLists>['records'] = async (page, options = {}) => {
    await this.#authorize(options);
    return this.#answer(
      () => this.#thread.call('records', page),
      () => this.#refuse('Records cannot be filtered yet.'),
    );
  };

  readonly recordAt: Required<ChainLists>['recordAt'] = async (record, block, options = {}) => {
    await this.#authorize(options);
    return this.#answer(
      () => this.#thread.call('recordAt', record, block),
      () => this.#refuse('Earlier states of records are not available yet.'),
    );
  };

  async close(): Promise<void> {
    await this.#follower.close();
    await this.#thread.close();
  }

  #refuse(text: string): never {
    throw new LedgerError('LEDGER.NOT_SUPPORTED', `${text} ${stateText(this.state())}`);
  }

  /** The index answers without the peers, which may refuse a caller: a chaincode may refuse such reads, too. */
  async #authorize({ caller }: { readonly caller?: string | undefined }): Promise<void> {
    if (caller !== undefined) await this.#source.authorize(caller);
  }

  /** Answers from the index if it has every block, else by a scan. */
  async #answer<T>(index: () => Promise<T>, scan: () => T | Promise<T>): Promise<T> {
    // The peer is asked first: a list fails when the network does, and contains what any replica has written.
    const { height } = await this.#source.chainInfo();
    if (!(await this.#reaches(height))) return scan();
    try {
      return await index();
    } catch (error) {
      if (error instanceof LedgerError) throw error;
      this.#isReady = false;
      this.#follower.restart(error as Error);
      return scan();
    }
  }

  /** Waits until the index has every block, at most for a while. */
  async #reaches(height: number): Promise<boolean> {
    if (this.#isLocked) return this.#othersReach(height);
    if (!this.#isReady) return false;
    if ((this.#follower.data?.next ?? 0) >= height) return true;
    return this.#follower.reach(height, AbortSignal.timeout(FRESH_MS));
  }

  /** Waits until the process that writes the index has committed every block. */
  async #othersReach(height: number): Promise<boolean> {
    const end = performance.now() + FRESH_MS;
    do {
      const cursor = await this.#thread.call('cursor').catch(() => undefined);
      if (cursor?.next !== undefined && cursor.next >= height) return true;
      await delay(POLL_MS);
    } while (performance.now() < end);
    return false;
  }

  async *#items(startBlock: number, signal: AbortSignal): AsyncGenerator<readonly Uint8Array[], void> {
    for await (const { bytes } of this.#source.blockEvents({ startBlock, signal })) yield [bytes];
  }

  async #open(): Promise<FollowedIndex> {
    this.#isReady = false;
    try {
      const opened = await FollowedIndex.open(this.#thread);
      this.#isLocked = false;
      if (opened.replaced !== undefined) this.#logRebuild(opened.replaced);
      return opened;
    } catch (error) {
      this.#isLocked = error instanceof IndexLocked;
      throw error;
    }
  }

  #becomeReady(blocks: number): void {
    if (!this.#isReady) this.#logger?.info({ ...this.#facts(), blocks }, 'the index of the channel is complete');
    this.#isReady = true;
  }

  #logRebuild(reason: string): void {
    this.#logger?.warn({ ...this.#facts(), reason }, 'the index of the channel is built again');
  }

  #fail(error: Error): void {
    this.#isReady = false;
    const isLocked = error instanceof IndexLocked;
    const isNew = error.message !== this.#newestError;
    this.#newestError = error.message;
    this.#fault = isLocked ? undefined : error.message;
    // The ledger itself reports that the network is unavailable.
    if (!isNew || isLedgerError(error, 'LEDGER.UNAVAILABLE')) return;
    const facts = { ...this.#facts(), err: error };
    if (isLocked) this.#logger?.info(facts, 'another process writes the index of the channel');
    else this.#logger?.error(facts, 'the index of the channel has stopped; lists search the newest blocks');
  }

  #facts(): { readonly channel: string } {
    return { channel: this.#source.channel };
  }
}

/** Describes how far an index is, for people. */
function stateText({ status, progress, reason = '' }: IndexState): string {
  if (status === 'stopped') return `The index of the channel has stopped: ${reason}`;
  return `The index of the channel is being built: ${Math.floor(progress * 100)} %.`;
}
