import type { Asset } from '#asset-contract';
import { blockPage, transactionPage } from '#chain-pages';
import type { CallOptions, LedgerChannel } from '#ledger-gateway';
import type { ChainLists, Suggestion } from '#ledger-gateway/driver';
import type { AssetHistory } from './asset-history.js';
import type { ChainQueries } from './chain.js';

/** What {@link ChainScans} reads of a channel. */
export interface ScannedChannel {
  readonly queries: ChainQueries;
  /** Undefined on a channel on which the configured chaincode need not be. */
  readonly assets: LedgerChannel['assets'] | undefined;
  readonly history: (id: string, options: CallOptions) => AssetHistory;
}

/**
 * Lists of a channel without an index: peers look up blocks and transactions by their numbers and ids, and the chaincode lists
 * the changes of an asset. Everything else is searched in the newest blocks.
 */
export class ChainScans implements ChainLists {
  readonly #channel: ScannedChannel;

  constructor(channel: ScannedChannel) {
    this.#channel = channel;
  }

  readonly blocks: ChainLists['blocks'] = (page) => blockPage(this.#channel.queries.reader(), page);

  readonly transactions: ChainLists['transactions'] = (page) => transactionPage(this.#channel.queries.reader(), page);

  readonly assetAt: ChainLists['assetAt'] = (id, block, options = {}) => this.#channel.history(id, options).at(block);

  readonly assetHistory: ChainLists['assetHistory'] = (id, page, options = {}) =>
    this.#channel.history(id, options).page(page);

  /** Finds what peers can look up: a block, a transaction by its whole id, and assets. */
  readonly search: ChainLists['search'] = async ({ text, limit }, options = {}) => {
    const { queries, assets } = this.#channel;
    const [block, transaction, page] = await Promise.all([
      /^(0|[1-9][0-9]{0,14})$/.test(text) ? queries.blockByNumber(Number(text)) : undefined,
      queries.transactionById(text.toLowerCase()),
      assets?.({ limit, prefix: text }, options),
    ]);
    const found: Suggestion[] = [];
    if (block !== undefined) found.push({ kind: 'block', value: String(block.number) });
    if (transaction !== undefined) found.push({ kind: 'transaction', value: transaction.transactionId });
    for (const asset of page?.items ?? []) found.push({ kind: 'asset', value: (JSON.parse(asset) as Asset).ID });
    return found.slice(0, limit);
  };
}
