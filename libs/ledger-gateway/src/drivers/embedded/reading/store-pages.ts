import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readAsset } from '#asset-contract';
import { assetChange } from '../../../chain-pages/asset-changes.js';
import { searchAssets, type AssetChunk } from '../../../chain-pages/asset-search.js';
import { blockPage, transactionPage } from '../../../chain-pages/chain-pages.js';
import type { ChainReader } from '../../../chain-pages/chain-transactions.js';
import { CreatorNames } from '../../../chain-pages/summaries.js';
import { LedgerError } from '../../../errors/ledger.errors.js';
import type { LedgerCall } from '../../../ports/ledger.port.js';
import type {
  AssetChange,
  AssetFilter,
  BlockSummary,
  ChainPosition,
  Page,
  PageAfter,
  PageBefore,
  TransactionFilter,
  TransactionSummary,
} from '../../../ports/pages.js';
import { CommittedState, committedWrites } from '../store/committed-state.js';
import { openForReading } from '../store/open-store.js';
import { isBefore, ReadSnapshot, requireBlock, StoreReader, type StoredVersion } from '../store/store-reader.js';

/** What pages are read from. */
export interface StorePagesOptions {
  readonly storePath: string;
  readonly chaincode: string;
}

/** About a millisecond's work. */
const ASSETS_AT_ONCE = 200;
/** Most versions of an asset that are looked at for one that a page begins behind. */
const MOST_VERSIONS = 5000;

/** Pages of what a store holds, as the port has them, each read in small steps, between which other pages are. */
export class StorePages {
  readonly #db: DatabaseSync;
  readonly #reader: StoreReader;
  readonly #chaincode: string;
  readonly #chain: ChainReader;

  constructor({ storePath, chaincode }: StorePagesOptions) {
    this.#db = openForReading(storePath);
    this.#reader = new StoreReader(this.#db);
    this.#chaincode = chaincode;
    this.#chain = {
      // Reading one waits for nothing.
      ahead: 1,
      height: () => this.#reader.height(),
      block: (number) => requireBlock(this.#reader, number),
    };
  }

  assets(page: PageAfter & AssetFilter): Promise<Page<string, string>> {
    return searchAssets(page, (after, limit) => this.#assetsBehind(after, limit), ASSETS_AT_ONCE);
  }

  blocks(page: PageBefore<number>): Promise<Page<BlockSummary, number>> {
    return blockPage(this.#chain, page);
  }

  transactions(page: PageBefore & TransactionFilter): Promise<Page<TransactionSummary>> {
    return transactionPage(this.#chain, page);
  }

  async assetHistory(id: string, page: PageBefore): Promise<Page<AssetChange>> {
    const newest = this.#reader.state(id)?.entry;
    if (newest === undefined) {
      throw new LedgerError('LEDGER.ASSET_NOT_FOUND', `the asset ${id} does not exist`);
    }
    const { versions, next } = this.#versions(id, newest, page);
    const creators = new CreatorNames();
    const items: AssetChange[] = [];
    for (const { envelope, block, write } of committedWrites(this.#reader, id, versions, this.#chaincode)) {
      items.push(assetChange(envelope, block, write, creators));
      await nextTurn();
    }
    return next === undefined ? { items } : { items, next };
  }

  /** Gives the response payload of a call of the contract that reads a list of any length, from one moment of the store. */
  async evaluate(call: LedgerCall): Promise<Uint8Array> {
    const snapshot = new ReadSnapshot(this.#db);
    snapshot.begin();
    try {
      return await Promise.resolve(new CommittedState(this.#reader, this.#chaincode).evaluate(call));
    } finally {
      snapshot.end();
    }
  }

  close(): void {
    this.#db.close();
  }

  #assetsBehind(after: string, limit: number): AssetChunk {
    const found = this.#reader.behind(after, limit);
    const assets = found.flatMap(({ key, value }) => {
      const asset = readAsset(value);
      return asset === undefined ? [] : [{ key, asset }];
    });
    return { assets, bookmark: found.length < limit ? '' : (found.at(-1)?.key ?? '') };
  }

  /** Where the versions of a page stand; they are read from their blocks after that. */
  #versions(id: string, newest: number, { limit, before }: PageBefore): VersionsOnPage {
    const versions: StoredVersion[] = [];
    // Of a place that a page ended with the next one begins at once; for any other the history is walked down to it.
    const entry = before === undefined ? newest : this.#reader.entryBefore(id, before);
    let looked = 0;
    let next: ChainPosition | undefined;
    for (const { block, position } of this.#reader.history(id, entry ?? newest)) {
      if (versions.length === limit || looked === MOST_VERSIONS) return { versions, next };
      next = { block, position };
      looked += 1;
      if (entry !== undefined || before === undefined || isBefore(next, before)) versions.push(next);
    }
    return { versions, next: undefined };
  }
}

interface VersionsOnPage {
  readonly versions: readonly StoredVersion[];
  /** Undefined when there are no others behind them. */
  readonly next: ChainPosition | undefined;
}
