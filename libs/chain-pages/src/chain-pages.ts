import {
  calledFunction,
  certificateName,
  decodeBlock,
  type DecodedEnvelope,
  headerTypeName,
  hex,
  validationCodeName,
} from '#fabric-codec';
import type { LedgerBlock, Page } from '#ledger-gateway';
import type {
  BlockSummary,
  PageBefore,
  TimeRange,
  TransactionCreator,
  TransactionFilter,
  TransactionSummary,
} from '#ledger-gateway/driver';
import {
  blocksAt,
  MAX_BLOCKS,
  MAX_TRANSACTIONS,
  searchChain,
  transactionsOf,
  type ChainReader,
  type ChainTransaction,
  type BlockPosition,
} from './chain-reader.js';
import { createdAssets } from './created-assets.js';

/**
 * Returns a page of the blocks of a chain.
 * @param places - blocks that may have a timestamp in the range; the default is every block
 */
export async function blockPage(
  chain: ChainReader,
  { limit, before = Infinity, ...range }: PageBefore<number> & TimeRange,
  places?: Iterable<BlockPosition>,
): Promise<Page<BlockSummary, number>> {
  const creators = new CreatorNames();
  const blocks: BlockSummary[] = [];
  const isWanted = timeFilter(range);
  const most = hasBounds(range) ? MAX_BLOCKS : Math.min(limit, MAX_BLOCKS);
  let [decoded, last] = [0, 0];
  for await (const { number, block } of blocksAt(chain, places, before, most)) {
    last = number;
    const summary = block && (await summarizeBlock(block, creators, chain.pause));
    if (summary === undefined) continue;
    if (isWanted(summary.timestamp)) blocks.push(summary);
    decoded += summary.transactions.length;
    if (blocks.length >= limit || decoded >= MAX_TRANSACTIONS) break;
  }
  return last === 0 ? { items: blocks } : { items: blocks, next: last };
}

/**
 * Returns a page of the transactions of a chain that a filter selects.
 * @param places - transactions that the filter may select; the default is every one
 */
export function transactionPage(
  chain: ChainReader,
  { limit, before, ...filter }: PageBefore & TransactionFilter,
  places?: Iterable<BlockPosition>,
): Promise<Page<TransactionSummary>> {
  const creators = new CreatorNames();
  const isWanted = transactionFilter(filter);
  const find = (transaction: ChainTransaction): TransactionSummary | undefined => {
    const summary = summarizeTransaction(transaction, creators);
    return isWanted(summary) ? summary : undefined;
  };
  return searchChain(chain, { limit, before }, find, places);
}

function transactionFilter({
  creator,
  function: name,
  prefix,
  ...range
}: TransactionFilter): (summary: TransactionSummary) => boolean {
  const isInTime = timeFilter(range);
  return (summary) =>
    (creator === undefined || summary.creatorId === creator) &&
    (name === undefined || summary.function === name) &&
    (prefix === undefined || summary.transactionId.startsWith(prefix)) &&
    isInTime(summary.timestamp);
}

/** Returns whether a range has a beginning or an end. */
export function hasBounds({ since, until }: TimeRange): boolean {
  return since !== undefined || until !== undefined;
}

/** Returns a function that returns whether a timestamp is in a range. */
export function timeFilter(range: TimeRange): (timestamp: string) => boolean {
  if (!hasBounds(range)) return () => true;
  const { since, until } = range;
  const [first, end] = [since === undefined ? '' : instant(since), until === undefined ? '~' : instant(until)];
  return (timestamp) => timestamp !== '' && instant(timestamp) >= first && instant(timestamp) < end;
}

/** The last millisecond that a Date can represent. */
const MAX_TIME = 8_640_000_000_000_000;

/** Returns the first and the last millisecond that a range touches. */
export function millisecondsOf({ since, until }: TimeRange): readonly [number, number] {
  const first = since === undefined ? -MAX_TIME : Date.parse(since);
  const last = until === undefined ? MAX_TIME : Date.parse(until);
  return [Math.max(first, -MAX_TIME), Math.min(last, MAX_TIME)];
}

/** Returns a timestamp with nine digits of the second: such texts are in the order of the times. */
function instant(timestamp: string): string {
  return timestamp.slice(0, -1).padEnd('2026-11-21T12:00:00.123456789'.length, '0');
}

/** A cache of creators' names: few create most transactions, and parsing a certificate is expensive. */
export class CreatorNames {
  readonly #names = new Map<string, string>();

  get size(): number {
    return this.#names.size;
  }

  of({ creator: { mspId, idBytes } }: Pick<DecodedEnvelope, 'creator'>): TransactionCreator {
    const certificate = Buffer.from(idBytes).toString('latin1');
    let name = this.#names.get(certificate);
    if (name === undefined) {
      name = idBytes.length === 0 ? '' : certificateName(idBytes);
      this.#names.set(certificate, name);
    }
    return { creatorId: name, creatorMspId: mspId };
  }
}

/** The summary of bytes in a block that are not a transaction. */
const NO_TRANSACTION = {
  transactionId: '',
  timestamp: '',
  type: '',
  creatorId: '',
  creatorMspId: '',
  chaincodeId: '',
  function: '',
  firstArgument: '',
};

/** Returns a transaction as lists show it. */
function summarizeTransaction(transaction: ChainTransaction, creators: CreatorNames): TransactionSummary {
  const { envelope, block: blockNumber, validationCode: code } = transaction;
  const validationCode = validationCodeName(code);
  if (envelope === undefined) return { ...NO_TRANSACTION, blockNumber, validationCode };
  const { transactionId, timestamp, type } = envelope;
  const call = calledFunction(envelope);
  const created = createdAssets(envelope, call.function);
  return {
    transactionId,
    blockNumber,
    timestamp,
    type: headerTypeName(type),
    ...creators.of(envelope),
    ...call,
    ...(created !== undefined && { createdAssets: created }),
    validationCode,
  };
}

/** Returns a block as lists show it. */
async function summarizeBlock(
  block: LedgerBlock,
  creators: CreatorNames,
  pause: ChainReader['pause'],
): Promise<BlockSummary> {
  const newestFirst: TransactionSummary[] = [];
  for await (const transaction of transactionsOf(block, pause)) {
    newestFirst.push(summarizeTransaction(transaction, creators));
  }
  const { number, hash, bytes } = block;
  const { header } = decodeBlock(bytes);
  return {
    number,
    hash,
    previousHash: hex(header.previousHash),
    dataHash: hex(header.dataHash),
    timestamp: newestFirst.find(({ timestamp }) => timestamp !== '')?.timestamp ?? '',
    transactions: newestFirst.reverse(),
  };
}
