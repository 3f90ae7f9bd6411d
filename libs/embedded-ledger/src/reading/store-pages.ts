import { readAsset } from '#asset-contract';
import {
  assetAfter,
  assetChange,
  type AssetChunk,
  authoritiesOf,
  blockPage,
  type ChainReader,
  CreatorNames,
  hasBounds,
  isBefore,
  meetsConditions,
  type BlockPosition,
  type ReadingConnection,
  recordAfter,
  RecordFieldReader,
  requireBlockIn,
  searchAssets,
  timeFilter,
  upperBlock,
  transactionPage,
  suggestions,
} from '#chain-pages';
import { decodeBlock } from '#fabric-codec';
import { type KeyWrite, treeEntry } from '#fabric-codec/encode';
import { toolCommand } from '#files';
import {
  type AssetChange,
  type AssetFilter,
  type ChainPosition,
  damaged,
  type Ledger,
  type LedgerCall,
  LedgerError,
  type Page,
  type SearchQuery,
  type FoundRecord,
  type RecordFilter,
  type RecordName,
} from '#ledger-gateway';
import type {
  ChainLists,
  LedgerCapabilities,
  LedgerTotals,
  PageAfter,
  PageBefore,
  Suggestion,
  TimeRange,
  TransactionFilter,
} from '#ledger-gateway/driver';
import { recordKey, RECORDS_NAME } from '#records-contract';
import { CallIndexReader, END } from '../store/call-index.js';
import { type NamespaceReader, StateReaders } from '../store/namespace-reader.js';
import { ownContract } from '../store/own-contracts.js';
import { openForReading } from '../store/open-store.js';
import { ReadSnapshot, StoreReader } from '../store/store-reader.js';
import { type Pause, TaskScheduler } from './task-scheduler.js';

/** The store that pages are read from. */
export interface StorePagesOptions {
  readonly storePath: string;
  readonly chaincode: string;
}

/** The functions of the port that the reading thread executes: pages, and calls that read a list of any length. */
export type PageCalls = Required<ChainLists> &
  Pick<Required<LedgerCapabilities>, 'assets' | 'authorities'> &
  Pick<Ledger, 'evaluate'> & {
    /** Returns the entries of some blocks in the Merkle tree: from one on, below a height. */
    treeEntries(startBlock: number, height: number): Promise<readonly Uint8Array[]>;
  };

/** Blocks whose entries are computed in one call: about 40 ms. */
const MAX_ENTRIES = 128;
/** Assets read in one step, which takes about a millisecond. */
const ASSETS_PER_STEP = 200;
/** Records read in one step. */
const RECORDS_PER_STEP = 100;
/** Ids of transactions that are read for a prefix. With more, a page is found faster in the blocks. */
const MAX_PREFIXED = 10_000;
/** Places outside of the time that are skipped for one page. */
const MAX_SKIPPED = 20_000;
/** The hours that are counted. */
const HOURS = 48;

/** Reads pages of a store in small steps. Pages that are read at the same time take turns, see {@link TaskScheduler}. */
export class StorePages implements PageCalls {
  readonly #db: ReadingConnection;
  readonly #reader: StoreReader;
  readonly #state: NamespaceReader;
  readonly #states: StateReaders;
  readonly #calls: CallIndexReader;
  readonly #fields: RecordFieldReader;
  readonly #turns = new TaskScheduler();

  constructor({ storePath, chaincode }: StorePagesOptions) {
    this.#db = openForReading(storePath);
    this.#reader = new StoreReader(this.#db);
    this.#states = new StateReaders(this.#db, this.#reader);
    this.#state = this.#states.of(chaincode);
    this.#calls = new CallIndexReader(this.#db);
    this.#fields = new RecordFieldReader(this.#db);
  }

  readonly assets: PageCalls['assets'] = (page) => this.#turns.run((pause) => this.#assets(page, pause));
  readonly blocks: PageCalls['blocks'] = (page) =>
    this.#turns.run((pause) => blockPage(this.#chain(pause), page, this.#places(page, page.before)));
  readonly transactions: PageCalls['transactions'] = (page) =>
    this.#turns.run((pause) => transactionPage(this.#chain(pause), page, this.#places(page, upperBlock(page.before))));
  readonly assetHistory: PageCalls['assetHistory'] = (id, page) =>
    this.#turns.run((pause) => this.#assetHistory(id, page, pause));
  readonly search: PageCalls['search'] = (query) => this.#turns.run(async () => Promise.resolve(this.#search(query)));
  readonly totals: PageCalls['totals'] = () => this.#turns.run(async () => Promise.resolve(this.#totals()));
  readonly assetAt: PageCalls['assetAt'] = (id, block) => this.#turns.run((pause) => this.#assetAt(id, block, pause));
  readonly records: PageCalls['records'] = (page) => this.#turns.run((pause) => this.#records(page, pause));
  readonly recordAt: PageCalls['recordAt'] = (record, block) =>
    this.#turns.run((pause) => this.#recordAt(record, block, pause));
  readonly authorities: PageCalls['authorities'] = (mspId) =>
    this.#turns.run((pause) => authoritiesOf(this.#chain(pause), mspId));
  readonly evaluate: PageCalls['evaluate'] = (call) =>
    this.#turns.run(async () => Promise.resolve(this.#evaluate(call)));

  readonly treeEntries: PageCalls['treeEntries'] = (start, height) =>
    this.#turns.run((pause) => this.#treeEntries(start, Math.min(start + MAX_ENTRIES, height), pause));

  async #treeEntries(start: number, end: number, pause: Pause): Promise<readonly Uint8Array[]> {
    const entries: Uint8Array[] = [];
    for (let number = start; number < end; number++) {
      await pause();
      entries.push(new Uint8Array(treeEntry(decodeBlock(this.#reader.requireBlock(number).bytes))));
    }
    return entries;
  }

  #chain(pause: Pause): ChainReader {
    return {
      // A block is read synchronously.
      ahead: 1,
      pause,
      height: () => this.#reader.height(),
      block: async (number) => {
        await pause();
        return this.#reader.requireBlock(number);
      },
    };
  }

  /**
   * Returns the places below a block where an index finds what a filter selects, or more.
   * @returns undefined if no index applies: every block must be examined
   */
  #places(filter: TransactionFilter, below = Infinity): Iterable<BlockPosition> | undefined {
    const { creator, function: name, prefix } = filter;
    const height = Math.min(below, this.#reader.height());
    const bounds = hasBounds(filter) ? this.#calls.blocksInTime(filter) : { first: 0, last: Infinity };
    if (bounds === undefined) return [END];
    const top = Math.min(height, bounds.last + 1);
    const isCall = creator !== undefined || name !== undefined;
    const prefixed = prefix === undefined ? undefined : this.#prefixed(prefix, top);
    const places = prefixed ?? (isCall ? this.#calls.calls(filter, top) : undefined);
    if (!hasBounds(filter)) return places;
    return places === undefined
      ? this.#calls.inTime(filter, bounds.first, top)
      : this.#placesInTime(places, filter, bounds.first);
  }

  /** Returns the transactions whose ids begin with a prefix; undefined if they are too many. */
  #prefixed(prefix: string, below: number): BlockPosition[] | undefined {
    const found = this.#reader.placesFrom(prefix, MAX_PREFIXED + 1);
    if (found.length > MAX_PREFIXED) return undefined;
    const blocks = Map.groupBy(
      found.filter(({ block }) => block < below),
      ({ block }) => block,
    );
    const places = Array.from(blocks, ([block, those]) => {
      return { block, positions: those.map(({ position }) => position).sort((a, b) => b - a) };
    });
    return [...places.sort((a, b) => b.block - a.block), END];
  }

  *#placesInTime(places: Iterable<BlockPosition>, range: TimeRange, first: number): Generator<BlockPosition> {
    let skipped = 0;
    for (const place of places) {
      if (place.block < first) break;
      if (this.#calls.mayBeInTime(place.block, range)) yield place;
      // An empty place lets others read, and is where the next page may begin.
      else if (++skipped % ASSETS_PER_STEP === 0) yield { block: place.block, positions: [] };
      if (skipped >= MAX_SKIPPED) return;
    }
    yield END;
  }

  #search(query: SearchQuery): Suggestion[] {
    const named = (value: string | undefined): { readonly value: string } | undefined =>
      value === undefined ? undefined : { value };
    return suggestions(query, {
      height: this.#reader.height(),
      blocks: (prefix, limit) => this.#reader.hashesFrom(prefix, limit),
      transactions: (prefix, limit) => this.#reader.placesFrom(prefix, limit).map(({ id }) => id),
      texts: {
        asset: (text) => {
          const found = this.#state.keyFrom(text);
          return found && { value: found.key, isPresent: found.isPresent };
        },
        owner: (text) => named(this.#state.ownerFrom(text)),
        caller: (text) => named(this.#calls.creatorFrom(text)),
        function: (text) => named(this.#calls.functionFrom(text)),
      },
    });
  }

  #totals(): LedgerTotals {
    return { ...this.#calls.totals(), hours: this.#calls.hours(HOURS) };
  }

  #assets(page: PageAfter & AssetFilter, pause: Pause): Promise<Page<string, string>> {
    const { owner, color, size, limit } = page;
    // Without a filter that has no index every asset read is on the page; one more shows whether there is a next page.
    const perStep = (color ?? size) === undefined ? Math.min(limit + 1, ASSETS_PER_STEP) : ASSETS_PER_STEP;
    const read = async (after: string, count: number): Promise<AssetChunk> => {
      await pause();
      return this.#chunk(after, count, owner);
    };
    return searchAssets(page, read, perStep);
  }

  #chunk(after: string, count: number, owner: string | undefined): AssetChunk {
    const found = owner === undefined ? this.#state.after(after, count) : this.#state.ownedBy(owner, after, count);
    const assets = found.flatMap(({ key, value }) => {
      const asset = readAsset(value);
      if (owner !== undefined && asset?.owner !== owner) {
        const advice = `run "${toolCommand('ledger')} rebuild".`;
        throw damaged(`The index of owners is damaged at ${JSON.stringify(key)}: ${advice}`);
      }
      return asset === undefined ? [] : [{ key, asset }];
    });
    return { assets, bookmark: found.length < count ? '' : (found.at(-1)?.key ?? '') };
  }

  async #assetHistory(
    id: string,
    { limit, before, ...range }: PageBefore & TimeRange,
    pause: Pause,
  ): Promise<Page<AssetChange>> {
    const state = this.#state.state(id);
    if (state === undefined) throw new LedgerError('LEDGER.ASSET_NOT_FOUND', `the asset ${id} does not exist`);
    const versions: ChainPosition[] = [];
    const mayBeWanted = (version: ChainPosition): boolean =>
      isBefore(version, before) && (!hasBounds(range) || this.#calls.mayBeInTime(version.block, range));
    for (const version of this.#state.versions(id, state.entry)) {
      await pause();
      if (mayBeWanted(version)) versions.push(version);
      // One more shows whether there is a next page.
      if (versions.length > limit) break;
    }
    const creators = new CreatorNames();
    const items: AssetChange[] = [];
    const isWanted = timeFilter(range);
    for (const { envelope, block, write } of this.#state.writesAt(id, versions.slice(0, limit))) {
      if (isWanted(envelope.timestamp)) items.push(assetChange(envelope, block, write, creators));
      await pause();
    }
    const next = versions.length > limit ? versions[limit - 1] : undefined;
    return next === undefined ? { items } : { items, next };
  }

  async #assetAt(id: string, block: number, pause: Pause): Promise<string> {
    return assetAfter(block, id, await this.#writeAt(this.#state, id, { block, pause }));
  }

  async #recordAt(record: RecordName, block: number, pause: Pause): Promise<string> {
    const key = recordKey(record.type, record.id);
    const write = await this.#writeAt(this.#states.of(RECORDS_NAME), key, { block, pause });
    return recordAfter(block, record, write?.value);
  }

  /**
   * Returns the newest write of a key up to a block. Entries of a history and blocks never change, so that commits between the steps
   * do not matter.
   */
  async #writeAt(
    state: NamespaceReader,
    key: string,
    { block, pause }: { readonly block: number; readonly pause: Pause },
  ): Promise<KeyWrite | undefined> {
    requireBlockIn(this.#reader.height(), block);
    for (const version of state.versions(key)) {
      if (version.block <= block) {
        const [found] = state.writesAt(key, [version]);
        return found?.write;
      }
      await pause();
    }
    return undefined;
  }

  /** Reads a page of records in steps, each of one moment of the store: a record may change after it was found. */
  async #records(
    { type, where, after = '', limit }: PageAfter & RecordFilter,
    pause: Pause,
  ): Promise<Page<FoundRecord, string>> {
    const items: FoundRecord[] = [];
    for (let from = after; ;) {
      const step = this.#recordStep({
        type,
        where,
        after: from,
        limit: Math.min(limit - items.length, RECORDS_PER_STEP),
      });
      items.push(...step.items);
      if (step.next === undefined) return { items };
      if (items.length === limit || step.items.length < RECORDS_PER_STEP) return { items, next: step.next };
      from = step.next;
      await pause();
    }
  }

  #recordStep({ type, where, after = '', limit }: PageAfter & RecordFilter): Page<FoundRecord, string> {
    const snapshot = new ReadSnapshot(this.#db);
    snapshot.begin();
    try {
      const state = this.#states.of(RECORDS_NAME);
      const { ids, next } = this.#fields.find(type, where, { after, limit });
      const items = ids.map((id) => {
        const value = state.value(recordKey(type, id));
        if (value === undefined || !meetsConditions(value, where)) throw damagedFields(type, id);
        return { id, record: Buffer.from(value).toString() };
      });
      return next === undefined ? { items } : { items, next };
    } finally {
      snapshot.end();
    }
  }

  /** Evaluates a call on one moment of the store. */
  #evaluate(call: LedgerCall): Uint8Array {
    const snapshot = new ReadSnapshot(this.#db);
    snapshot.begin();
    try {
      const { chaincode = this.#state.namespace } = call;
      const contract = ownContract(chaincode, this.#state.namespace);
      if (contract === undefined) throw new TypeError(`${chaincode} is no contract of this ledger`);
      return this.#states.of(chaincode).evaluate(contract, call);
    } finally {
      snapshot.end();
    }
  }
}

function damagedFields(type: string, id: string): LedgerError {
  const advice = `run "${toolCommand('ledger')} rebuild".`;
  return damaged(`The indexed fields of the record ${JSON.stringify(id)} of ${type} are damaged: ${advice}`);
}
