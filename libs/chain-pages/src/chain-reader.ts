import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeBlock, type DecodedEnvelope, decodeEnvelope } from '#fabric-codec';
import { attempt, TxValidationCode } from '#fabric-codec/messages';
import type { ChainPosition, LedgerBlock, Page } from '#ledger-gateway';
import type { PageBefore } from '#ledger-gateway/driver';

/** The blocks of a channel, read from a peer or a store. */
export interface ChainReader {
  /** Returns the number of blocks. */
  height(): number | Promise<number>;
  /** Returns undefined for a block that is unavailable: a peer that was started from a snapshot has no older ones. */
  block(number: number): LedgerBlock | undefined | Promise<LedgerBlock | undefined>;
  /** The maximum of blocks to read concurrently. */
  readonly ahead: number;
  /** Lets other work run between two steps; a turn of the event loop by default. */
  readonly pause?: () => Promise<void>;
}

/**
 * A part of a chain to examine, newest first: a block, or some of its transactions, the last one first. An empty list states
 * that there is nothing more down to the block, so that a page can end here.
 */
export interface BlockPosition {
  readonly block: number;
  readonly positions?: readonly number[];
}

/** Maximum of blocks that are read for one page. */
export const MAX_BLOCKS = 200;

/** Maximum of transactions that are decoded for one page; its first block is always decoded to the end. */
export const MAX_TRANSACTIONS = 5000;

/** Transactions decoded before other work gets a turn: one takes about a tenth of a millisecond. */
const TRANSACTIONS_IN_A_TURN = 8;

/**
 * Returns a page of what is found in the transactions of a chain, newest first.
 * @param find - returns the item that a transaction contains, or undefined
 * @param places - transactions to examine; the default is every one
 */
export async function searchChain<T>(
  chain: ChainReader,
  { limit, before }: PageBefore,
  find: (transaction: ChainTransaction) => T | undefined,
  places?: Iterable<BlockPosition>,
): Promise<Page<T>> {
  const found: T[] = [];
  let decoded = 0;
  let last: ChainPosition | undefined;
  for await (const { number, block, positions } of blocksAt(chain, places, upperBlock(before), MAX_BLOCKS)) {
    for await (const transaction of block === undefined ? [] : transactionsOf(block, chain.pause, positions)) {
      if (!isBefore(transaction, before)) continue;
      const item = find(transaction);
      if (item !== undefined) found.push(item);
      decoded += 1;
      if (found.length >= limit || decoded >= MAX_TRANSACTIONS) return pageUpTo(found, transaction);
    }
    last = { block: number, position: 0 };
  }
  return pageUpTo(found, last);
}

/** Returns the number of the first block that contains nothing before a position. */
export function upperBlock(before: ChainPosition | undefined): number {
  return before === undefined ? Infinity : before.block + Math.sign(before.position);
}

/** Returns whether a position precedes another one; every position does without a limit. */
export function isBefore({ block, position }: ChainPosition, limit: ChainPosition | undefined): boolean {
  return limit === undefined || block < limit.block || (block === limit.block && position < limit.position);
}

/** @param last - the position of the oldest transaction that was examined */
function pageUpTo<T>(items: readonly T[], last: ChainPosition | undefined): Page<T> {
  const isEnd = last === undefined || (last.block === 0 && last.position === 0);
  return isEnd ? { items } : { items, next: { block: last.block, position: last.position } };
}

/** Yields up to `count` blocks below that number, newest first, until one is unavailable. */
export async function* blocksBelow(chain: ChainReader, below: number, count: number): AsyncGenerator<LedgerBlock> {
  for await (const { block } of blocksAt(chain, undefined, below, count)) {
    if (block !== undefined) yield block;
  }
}

/** Returns up to `count` blocks below that number, newest first. */
async function placesBelow(chain: ChainReader, below: number, count: number): Promise<Iterable<BlockPosition>> {
  const top = Math.min(below, await chain.height());
  return Array.from({ length: Math.min(top, count) }, (_, index) => ({ block: top - 1 - index }));
}

/** A block that was read at a {@link BlockPosition}; undefined if there is nothing to examine in it. */
interface PlacedBlock {
  readonly number: number;
  readonly block: LedgerBlock | undefined;
  readonly positions: readonly number[] | undefined;
}

/**
 * Reads the blocks at places until one is unavailable, and at most `count`.
 * @param places - the default is every block below a number
 */
export async function* blocksAt(
  chain: ChainReader,
  places: Iterable<BlockPosition> | undefined,
  below: number,
  count: number,
): AsyncGenerator<PlacedBlock> {
  let [ahead, read] = [1, 0];
  let wanted: BlockPosition[] = [];
  const readWanted = async (): Promise<readonly PlacedBlock[]> => {
    const blocks = await Promise.all(wanted.map(({ block, positions }) => readPlace(chain, block, positions)));
    const end = blocks.findIndex(({ block, positions }) => block === undefined && positions?.length !== 0);
    return end < 0 ? blocks : blocks.slice(0, end);
  };
  for (const place of places ?? (await placesBelow(chain, below, count))) {
    wanted.push(place);
    if (place.positions?.length !== 0) read += 1;
    if (wanted.length < ahead && read < count) continue;
    const blocks = await readWanted();
    yield* blocks;
    if (blocks.length < wanted.length || read >= count) return;
    wanted = [];
    // Doubled with each round: most pages need few blocks.
    ahead = Math.min(2 * ahead, chain.ahead);
  }
  yield* await readWanted();
}

async function readPlace(
  chain: ChainReader,
  number: number,
  positions: readonly number[] | undefined,
): Promise<PlacedBlock> {
  if (positions?.length !== 0) return { number, block: await chain.block(number), positions };
  await chain.pause?.();
  return { number, block: undefined, positions };
}

/**
 * Yields the transactions of a block, the last one first, with a pause after every few.
 * @param positions - those to yield, the last one first; the default is all
 */
export async function* transactionsOf(
  block: LedgerBlock,
  pause: () => Promise<void> = nextTurn,
  positions?: readonly number[],
): AsyncGenerator<ChainTransaction> {
  const { envelopes, validationCodes } = decodeBlock(block.bytes);
  const all = positions ?? Array.from(envelopes, (_, index) => envelopes.length - 1 - index);
  for (const [index, position] of all.entries()) {
    const bytes = envelopes[position] ?? new Uint8Array();
    const validationCode = validationCodes[position] ?? TxValidationCode.NOT_VALIDATED;
    yield { block: block.number, position, envelope: attempt(() => decodeEnvelope(bytes)), validationCode };
    if ((index + 1) % TRANSACTIONS_IN_A_TURN === 0) await pause();
  }
}

/** A transaction in its block. */
export interface ChainTransaction extends ChainPosition {
  /** Undefined if the block contains bytes that are not a transaction. */
  readonly envelope: DecodedEnvelope | undefined;
  /** Fabric's `TxValidationCode`. */
  readonly validationCode: number;
}
