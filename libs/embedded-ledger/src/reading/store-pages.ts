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
  BlockSummary,
  ChainLists,
  LedgerCapabilities,
  LedgerTotals,
  PageAfter,
  PageBefore,
  Suggestion,
  TimeRange,
  TransactionFilter,
  TransactionSummary,
} from '#ledger-gateway/driver';
import { recordKey, RECORDS_NAME } from '#records-contract';
import { CallIndexReader, END } from '../store/call-index.js';
import { PrivateReader } from '../private/private-reader.js';
import { type NamespaceReader, StateReaders } from '../store/namespace-reader.js';
import { ownContract } from '../store/own-contracts.js';
import { openForReading } from '../store/open-store.js';
import { ReadSnapshot, StoreReader } from '../store/store-reader.js';
import { TimeSlices } from './time-slices.js';

/** The store that pages are read from. */
export interface StorePagesOptions {
  readonly storePath: string;
  readonly chaincode: string;
  /** The file of private values, which may not exist. */
  readonly valuesPath: string;
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

/** Reads pages of a store in small steps. Pages that are read at the same time take turns, see {@link TimeSlices}. */
export class StorePages implements PageCalls {
  readonly #db: ReadingConnection;
  readonly #reader: StoreReader;
  readonly #state: NamespaceReader;
  readonly #states: StateReaders;
  readonly #calls: CallIndexReader;
  readonly #fields: RecordFieldReader;
  readonly #chain: ChainReader;
  readonly #slices = new TimeSlices();

  constructor({ storePath, chaincode, valuesPath }: StorePagesOptions) {
    this.#db = openForReading(storePath);
    this.#reader = new StoreReader(this.#db);
    this.#states = new StateReaders(this.#db, this.#reader, new PrivateReader(valuesPath));
    this.#state = this.#states.of(chaincode);
    this.#calls = new CallIndexReader(this.#db);
    this.#fields = new RecordFieldReader(this.#db);
    this.#chain = {
      // A block is read synchronously.
      ahead: 1,
      pause: () => this.#slices.pause(),
      height: () => this.#reader.height(),
      block: async (number) => {
        await this.#slices.pause();
        return this.#reader.requireBlock(number);
      },
    };
  }

  blocks(page: PageBefore<number> & TimeRange): Promise<Page<BlockSummary, number>> {
    return blockPage(this.#chain, page, this.#places(page, page.before));
  }

  transactions(page: PageBefore & TransactionFilter): Promise<Page<TransactionSummary>> {
    return transactionPage(this.#chain, page, this.#places(page, upperBlock(page.before)));
  }

  authorities(mspId: string): Promise<string | undefined> {
    return authoritiesOf(this.#chain, mspId);
  }

  async treeEntries(startBlock: number, height: number): Promise<readonly Uint8Array[]> {
    const entries: Uint8Array[] = [];
    for (let number = startBlock; number < Math.min(startBlock + MAX_ENTRIES, height); number++) {
      await this.#slices.pause();
      entries.push(new Uint8Array(treeEntry(decodeBlock(this.#reader.requireBlock(number).bytes))));
    }
    return entries;
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

  async search(query: SearchQuery): Promise<Suggestion[]> {
    await this.#slices.pause();
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

  async totals(): Promise<LedgerTotals> {
    await this.#slices.pause();
    return { ...this.#calls.totals(), hours: this.#calls.hours(HOURS) };
  }

  assets(page: PageAfter & AssetFilter): Promise<Page<string, string>> {
    const { owner, color, size, limit } = page;
    // Without a filter that has no index every asset read is on the page; one more shows whether there is a next page.
    const perStep = (color ?? size) === undefined ? Math.min(limit + 1, ASSETS_PER_STEP) : ASSETS_PER_STEP;
    const read = async (after: string, count: number): Promise<AssetChunk> => {
      await this.#slices.pause();
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

  async assetHistory(id: string, { limit, before, ...range }: PageBefore & TimeRange): Promise<Page<AssetChange>> {
    const state = this.#state.state(id);
    if (state === undefined) throw new LedgerError('LEDGER.ASSET_NOT_FOUND', `the asset ${id} does not exist`);
    const versions: ChainPosition[] = [];
    const mayBeWanted = (version: ChainPosition): boolean =>
      isBefore(version, before) && (!hasBounds(range) || this.#calls.mayBeInTime(version.block, range));
    for (const version of this.#state.versions(id, state.entry)) {
      await this.#slices.pause();
      if (mayBeWanted(version)) versions.push(version);
      // One more shows whether there is a next page.
      if (versions.length > limit) break;
    }
    const creators = new CreatorNames();
    const items: AssetChange[] = [];
    const isWanted = timeFilter(range);
    for (const { envelope, block, write } of this.#state.writesAt(id, versions.slice(0, limit))) {
      if (isWanted(envelope.timestamp)) items.push(assetChange(envelope, block, write, creators));
      await this.#slices.pause();
    }
    const next = versions.length > limit ? versions[limit - 1] : undefined;
    return next === undefined ? { items } : { items, next };
  }

  async assetAt(id: string, block: number): Promise<string> {
    return assetAfter(block, id, await this.#writeAt(this.#state, id, block));
  }

  async recordAt(record: RecordName, block: number): Promise<string> {
    const key = recordKey(record.type, record.id);
    const write = await this.#writeAt(this.#states.of(RECORDS_NAME), key, block);
    return recordAfter(block, record, write?.value);
  }

  /**
   * Returns the newest write of a key up to a block. Entries of a history and blocks never change, so that commits between the steps
   * do not matter.
   */
  async #writeAt(state: NamespaceReader, key: string, block: number): Promise<KeyWrite | undefined> {
    requireBlockIn(this.#reader.height(), block);
    for (const version of state.versions(key)) {
      if (version.block <= block) {
        const [found] = state.writesAt(key, [version]);
        return found?.write;
      }
      await this.#slices.pause();
    }
    return undefined;
  }

  /** Reads a page of records in steps, each of one moment of the store: a record may change after it was found. */
  async records({ type, where, after = '', limit }: PageAfter & RecordFilter): Promise<Page<FoundRecord, string>> {
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
      await this.#slices.pause();
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
  async evaluate(call: LedgerCall): Promise<Uint8Array> {
    await this.#slices.pause();
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
