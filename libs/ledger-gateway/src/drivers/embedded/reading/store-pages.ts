import type { DatabaseSync } from 'node:sqlite';
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
import { isBefore, NamespaceReader, type PresentState, type StoredVersion } from '../store/namespace-reader.js';
import { openForReading } from '../store/open-store.js';
import { ReadSnapshot, requireBlock, StoreReader } from '../store/store-reader.js';
import { RoundRobin, type Pause } from './round-robin.js';
import { toolCommand } from '../../../files/installation.js';

/** The store that pages are read from. */
export interface StorePagesOptions {
  readonly storePath: string;
  readonly chaincode: string;
}

/** The functions that the reading thread offers, as the port names them. */
export interface PageCalls {
  assets(page: PageAfter & AssetFilter): Promise<Page<string, string>>;
  blocks(page: PageBefore<number>): Promise<Page<BlockSummary, number>>;
  transactions(page: PageBefore & TransactionFilter): Promise<Page<TransactionSummary>>;
  assetHistory(id: string, page: PageBefore): Promise<Page<AssetChange>>;
  /** Evaluates a call that reads a list of any length, on one moment of the store. */
  evaluate(call: LedgerCall): Promise<Uint8Array>;
}

/** Assets read in one step, which takes about a millisecond. */
const ASSETS_PER_STEP = 200;
/** Most versions of an asset that are examined to find the start of a page. */
const MAX_VERSIONS = 5000;

/** Reads pages of a store in small steps. Pages that are read at the same time take turns, see {@link RoundRobin}. */
export class StorePages {
  readonly #db: DatabaseSync;
  readonly #reader: StoreReader;
  readonly #state: NamespaceReader;
  readonly #turns = new RoundRobin();

  constructor({ storePath, chaincode }: StorePagesOptions) {
    this.#db = openForReading(storePath);
    this.#reader = new StoreReader(this.#db);
    this.#state = new NamespaceReader(this.#db, chaincode);
  }

  /** Returns the functions that read pages; each waits for its turn. */
  calls(): PageCalls {
    return {
      assets: (page) => this.#turns.run((pause) => this.#assets(page, pause)),
      blocks: (page) => this.#turns.run((pause) => blockPage(this.#chain(pause), page)),
      transactions: (page) => this.#turns.run((pause) => transactionPage(this.#chain(pause), page)),
      assetHistory: (id, page) => this.#turns.run((pause) => this.#assetHistory(id, page, pause)),
      evaluate: (call) => this.#turns.run(async () => Promise.resolve(this.#evaluate(call))),
    };
  }

  #chain(pause: Pause): ChainReader {
    return {
      // A block is read synchronously.
      ahead: 1,
      pause,
      height: () => this.#reader.height(),
      block: async (number) => {
        await pause();
        return requireBlock(this.#reader, number);
      },
    };
  }

  #assets(page: PageAfter & AssetFilter, pause: Pause): Promise<Page<string, string>> {
    const { owner, color, size, limit } = page;
    // By owner alone every asset read is on the page; one more shows whether there is a next page.
    const isOwnerOnly = owner !== undefined && color === undefined && size === undefined;
    const perStep = isOwnerOnly ? Math.min(limit + 1, ASSETS_PER_STEP) : ASSETS_PER_STEP;
    const read = async (after: string, count: number): Promise<AssetChunk> => {
      await pause();
      const found = owner === undefined ? this.#state.after(after, count) : this.#state.ownedBy(owner, after, count);
      return chunkOf(found, count, owner);
    };
    return searchAssets(page, read, perStep);
  }

  async #assetHistory(id: string, page: PageBefore, pause: Pause): Promise<Page<AssetChange>> {
    const newest = this.#state.state(id)?.entry;
    if (newest === undefined) throw new LedgerError('LEDGER.ASSET_NOT_FOUND', `the asset ${id} does not exist`);
    const { versions, next } = this.#versions(id, newest, page);
    const creators = new CreatorNames();
    const items: AssetChange[] = [];
    for (const { envelope, block, write } of committedWrites(this.#reader, this.#state, id, versions)) {
      items.push(assetChange(envelope, block, write, creators));
      await pause();
    }
    return next === undefined ? { items } : { items, next };
  }

  #evaluate(call: LedgerCall): Uint8Array {
    const snapshot = new ReadSnapshot(this.#db);
    snapshot.begin();
    try {
      return new CommittedState(this.#reader, this.#state).evaluate(call);
    } finally {
      snapshot.end();
    }
  }

  /** Finds the versions of a page; their blocks are read later. */
  #versions(id: string, newest: number, { limit, before }: PageBefore): VersionsOnPage {
    const versions: StoredVersion[] = [];
    // A page that begins where the previous one ended is found at once; for any other start the history is searched.
    const entry = before === undefined ? newest : this.#state.entryBefore(id, before);
    let examined = 0;
    let next: ChainPosition | undefined;
    for (const { block, position } of this.#state.history(id, entry ?? newest)) {
      if (versions.length === limit || examined === MAX_VERSIONS) return { versions, next };
      next = { block, position };
      examined += 1;
      if (entry !== undefined || before === undefined || isBefore(next, before)) versions.push(next);
    }
    return { versions, next: undefined };
  }
}

interface VersionsOnPage {
  readonly versions: readonly StoredVersion[];
  /** Undefined when there are no older ones. */
  readonly next: ChainPosition | undefined;
}

/** @param owner - that the index returned the records for */
function chunkOf(found: readonly PresentState[], limit: number, owner: string | undefined): AssetChunk {
  const assets = found.flatMap(({ key, value }) => {
    const asset = readAsset(value);
    if (owner !== undefined && asset?.owner !== owner) throw ownersDamaged(key);
    return asset === undefined ? [] : [{ key, asset }];
  });
  return { assets, bookmark: found.length < limit ? '' : (found.at(-1)?.key ?? '') };
}

function ownersDamaged(key: string): LedgerError {
  return new LedgerError(
    'LEDGER.DAMAGED',
    `The index of owners is damaged at ${JSON.stringify(key)}: run "${toolCommand('ledger')} rebuild".`,
  );
}
