import type {
  BlockSummary,
  ChainPosition,
  Page,
  PageBefore,
  TransactionFilter,
  TransactionSummary,
} from '../ports/pages.js';
import {
  blocksBelow,
  MOST_BLOCKS,
  MOST_TRANSACTIONS,
  transactionsOf,
  type ChainReader,
  type ChainTransaction,
} from './chain-transactions.js';
import { CreatorNames, summarizeBlock, summarizeTransaction } from './summaries.js';

/** A page of the blocks of a chain. */
export async function blockPage(
  chain: ChainReader,
  { limit, before = Infinity }: PageBefore<number>,
): Promise<Page<BlockSummary, number>> {
  const creators = new CreatorNames();
  const blocks: BlockSummary[] = [];
  let transactions = 0;
  const from = Math.min(before, await chain.height());
  for await (const block of blocksBelow(chain, from, Math.min(limit, MOST_BLOCKS))) {
    const summary = await summarizeBlock(block, creators, chain.pause);
    blocks.push(summary);
    transactions += summary.transactions.length;
    if (transactions >= MOST_TRANSACTIONS) break;
  }
  const last = blocks.at(-1)?.number ?? 0;
  return last === 0 ? { items: blocks } : { items: blocks, next: last };
}

/** A page of the transactions of a chain, or of those that a filter lets through. */
export function transactionPage(
  chain: ChainReader,
  { creator, function: name, ...page }: PageBefore & TransactionFilter,
): Promise<Page<TransactionSummary>> {
  const creators = new CreatorNames();
  return searchChain(chain, page, (transaction) => {
    const summary = summarizeTransaction(transaction, creators);
    const isWanted =
      (creator === undefined || summary.creatorId === creator) && (name === undefined || summary.function === name);
    return isWanted ? summary : undefined;
  });
}

/**
 * A page of what is found in the transactions of a chain, newest first.
 * @param find - what is looked for in a transaction, or undefined when it is not there
 */
export async function searchChain<T>(
  chain: ChainReader,
  { limit, before }: PageBefore,
  find: (transaction: ChainTransaction) => T | undefined,
): Promise<Page<T>> {
  const found: T[] = [];
  let looked = 0;
  let last: ChainPosition | undefined;
  const top = before === undefined ? Infinity : before.block + Math.sign(before.position);
  for await (const block of blocksBelow(chain, Math.min(top, await chain.height()), MOST_BLOCKS)) {
    for await (const transaction of transactionsOf(block, chain.pause)) {
      if (!isBefore(transaction, before)) continue;
      const item = find(transaction);
      if (item !== undefined) found.push(item);
      looked += 1;
      if (found.length >= limit || looked >= MOST_TRANSACTIONS) return pageUpTo(found, transaction);
    }
    last = { block: block.number, position: 0 };
  }
  return pageUpTo(found, last);
}

/** Whether a transaction is older than the page before. */
function isBefore({ block, position }: ChainPosition, limit: ChainPosition | undefined): boolean {
  return limit === undefined || block < limit.block || position < limit.position;
}

/** A page that ends with a transaction, the last that was looked at. */
export function pageUpTo<T>(items: readonly T[], last: ChainPosition | undefined): Page<T> {
  const isEnd = last === undefined || (last.block === 0 && last.position === 0);
  return isEnd ? { items } : { items, next: { block: last.block, position: last.position } };
}
