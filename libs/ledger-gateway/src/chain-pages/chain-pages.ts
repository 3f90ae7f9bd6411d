import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalAsset, encodeAsset, type Asset } from '#asset-contract';
import { decodeBlock } from '../fabric-blocks/decode/decode-block.js';
import {
  decodeActions,
  decodeEnvelope,
  decodeReadWriteSets,
  type DecodedEnvelope,
} from '../fabric-blocks/decode/decode-envelope.js';
import { calledFunction } from '../fabric-blocks/describe/describe-transaction.js';
import { keyChanges } from '../fabric-blocks/describe/key-changes.js';
import type { KeyWrite } from '../fabric-blocks/encode/read-write-set.js';
import { attempt } from '../fabric-blocks/messages/decode-message.js';
import { TxValidationCode } from '../fabric-blocks/messages/fabric-messages.js';
import { certificateName, headerTypeName, hex, validationCodeName } from '../fabric-blocks/messages/text.js';
import type {
  AssetChange,
  AssetFilter,
  BlockSummary,
  ChainPosition,
  LedgerBlock,
  Page,
  PageAfter,
  PageBefore,
  TransactionCreator,
  TransactionFilter,
  TransactionSummary,
} from '../ports/ledger.port.js';

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

/** Maximum of blocks that are read for one page. */
const MAX_BLOCKS = 200;
/** Maximum of transactions that are decoded for one page; its first block is always decoded to the end. */
const MAX_TRANSACTIONS = 5000;
/** Maximum of assets that are read for one page. */
const MAX_ASSETS = 5000;
/** Transactions decoded before other work gets a turn: one takes about a tenth of a millisecond. */
const TRANSACTIONS_IN_A_TURN = 8;
/** Blocks that {@link formerKeys} reads concurrently. */
const AHEAD = 8;

/** Returns a page of the blocks of a chain. */
export async function blockPage(
  chain: ChainReader,
  { limit, before = Infinity }: PageBefore<number>,
): Promise<Page<BlockSummary, number>> {
  const creators = new CreatorNames();
  const blocks: BlockSummary[] = [];
  let decoded = 0;
  for await (const block of blocksBelow(chain, before, Math.min(limit, MAX_BLOCKS))) {
    const newestFirst: TransactionSummary[] = [];
    for await (const transaction of transactionsOf(block, chain.pause)) {
      newestFirst.push(summarizeTransaction(transaction, creators));
    }
    blocks.push(summarizeBlock(block, newestFirst.toReversed()));
    decoded += newestFirst.length;
    if (decoded >= MAX_TRANSACTIONS) break;
  }
  const last = blocks.at(-1)?.number ?? 0;
  return last === 0 ? { items: blocks } : { items: blocks, next: last };
}

/** Returns a page of the transactions of a chain that a filter selects. */
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
 * Returns a page of what is found in the transactions of a chain, newest first.
 * @param find - returns the item that a transaction contains, or undefined
 */
export async function searchChain<T>(
  chain: ChainReader,
  { limit, before }: PageBefore,
  find: (transaction: ChainTransaction) => T | undefined,
): Promise<Page<T>> {
  const found: T[] = [];
  let decoded = 0;
  let last: ChainPosition | undefined;
  const top = before === undefined ? Infinity : before.block + Math.sign(before.position);
  for await (const block of blocksBelow(chain, top, MAX_BLOCKS)) {
    for await (const transaction of transactionsOf(block, chain.pause)) {
      if (!isBefore(transaction, before)) continue;
      const item = find(transaction);
      if (item !== undefined) found.push(item);
      decoded += 1;
      if (found.length >= limit || decoded >= MAX_TRANSACTIONS) return pageUpTo(found, transaction);
    }
    last = { block: block.number, position: 0 };
  }
  return pageUpTo(found, last);
}

function isBefore({ block, position }: ChainPosition, limit: ChainPosition | undefined): boolean {
  return limit === undefined || block < limit.block || position < limit.position;
}

/** @param last - the position of the oldest transaction that was examined */
function pageUpTo<T>(items: readonly T[], last: ChainPosition | undefined): Page<T> {
  const isEnd = last === undefined || (last.block === 0 && last.position === 0);
  return isEnd ? { items } : { items, next: { block: last.block, position: last.position } };
}

/** Yields up to `count` blocks below that number, newest first, until one is unavailable. */
async function* blocksBelow(chain: ChainReader, below: number, count: number): AsyncGenerator<LedgerBlock> {
  const top = Math.min(below, await chain.height());
  const end = Math.max(0, top - count);
  let ahead = 1;
  for (let next = top - 1; next >= end;) {
    const wanted = Array.from({ length: Math.min(ahead, next - end + 1) }, (_, index) => next - index);
    // Doubled with each round: most pages need few blocks.
    ahead = Math.min(2 * ahead, chain.ahead);
    for (const block of await Promise.all(wanted.map(async (number) => chain.block(number)))) {
      if (block === undefined) return;
      yield block;
    }
    next -= wanted.length;
  }
}

/** Yields the transactions of a block, the last one first, with a pause after every few. */
async function* transactionsOf(
  block: LedgerBlock,
  pause: () => Promise<void> = nextTurn,
): AsyncGenerator<ChainTransaction> {
  const { envelopes, validationCodes } = decodeBlock(block.bytes);
  for (let position = envelopes.length - 1; position >= 0; position--) {
    const bytes = envelopes[position] ?? new Uint8Array();
    const validationCode = validationCodes[position] ?? TxValidationCode.NOT_VALIDATED;
    yield { block: block.number, position, envelope: attempt(() => decodeEnvelope(bytes)), validationCode };
    if ((envelopes.length - position) % TRANSACTIONS_IN_A_TURN === 0) await pause();
  }
}

/** Assets in byte order of their keys. */
export interface AssetChunk {
  readonly assets: readonly { readonly key: string; readonly asset: Asset }[];
  /** The key after which the next chunk begins; empty after the last one. */
  readonly bookmark: string;
}

/**
 * Returns a page of the assets that a filter selects.
 * @param read - returns at most that many assets after a key (empty: from the first)
 * @param chunk - number of assets per read; other work runs while the caller waits for one
 */
export async function searchAssets(
  { limit, after = '', ...filter }: PageAfter & AssetFilter,
  read: (after: string, limit: number) => AssetChunk | Promise<AssetChunk>,
  chunk: number,
): Promise<Page<string, string>> {
  const items: string[] = [];
  let bookmark = after;
  for (let examined = 0; examined < MAX_ASSETS; examined += chunk) {
    const { assets, bookmark: next } = await read(bookmark, chunk);
    for (const [index, { key, asset }] of assets.entries()) {
      if (!isWanted(asset, filter)) continue;
      items.push(Buffer.from(encodeAsset(asset)).toString());
      const isLast = next === '' && index === assets.length - 1;
      if (items.length === limit) return isLast ? { items } : { items, next: key };
    }
    if (next === '') return { items };
    bookmark = next;
  }
  return { items, next: bookmark };
}

function isWanted(asset: Asset, { owner, color, size }: AssetFilter): boolean {
  return (
    (owner === undefined || asset.owner === owner) &&
    (color === undefined || asset.color === color) &&
    (size === undefined || asset.size === size)
  );
}

/**
 * Finds which keys of a chaincode existed before a block. Needed for keys that a transaction wrote without reading them
 * (InitLedger of fabric-samples), because its block does not record it. Our own contract reads before it writes. The older
 * blocks are searched, newest first, until each key is found: always correct, and as slow as the chain is long.
 * @param read - returns a block by its number, or undefined if it is unavailable
 */
export async function formerKeys(
  keys: ReadonlySet<string>,
  before: number,
  { chaincode, read }: Readonly<{ chaincode: string; read: (number: number) => Promise<LedgerBlock | undefined> }>,
): Promise<ReadonlySet<string>> {
  const missing = new Set(keys);
  const existing = new Set<string>();
  const chain = { height: () => before, block: read, ahead: AHEAD };
  for await (const { bytes } of blocksBelow(chain, before, before)) {
    // Keys appear unencoded in a block: one that does not contain their bytes need not be decoded.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (![...missing].some((key) => text.includes(key))) continue;
    for (const [key, exists] of lastWrites(bytes, chaincode)) {
      if (missing.delete(key) && exists) existing.add(key);
    }
    if (missing.size === 0) break;
  }
  return existing;
}

/** Returns whether each key that a block writes exists after it. */
function lastWrites(bytes: Uint8Array, chaincode: string): ReadonlyMap<string, boolean> {
  const last = new Map<string, boolean>();
  for (const transaction of keyChanges(decodeBlock(bytes), chaincode)) {
    for (const { key, value } of transaction?.changes ?? []) last.set(key, value !== undefined);
  }
  return last;
}

/** A transaction in its block. */
interface ChainTransaction extends ChainPosition {
  /** Undefined if the block contains bytes that are not a transaction. */
  readonly envelope: DecodedEnvelope | undefined;
  /** Fabric's `TxValidationCode`. */
  readonly validationCode: number;
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
  return {
    transactionId,
    blockNumber,
    timestamp,
    type: headerTypeName(type),
    ...creators.of(envelope),
    ...calledFunction(envelope),
    validationCode,
  };
}

/** Returns a block as lists show it. */
function summarizeBlock(
  { number, hash, bytes }: LedgerBlock,
  transactions: readonly TransactionSummary[],
): BlockSummary {
  const { header } = decodeBlock(bytes);
  return {
    number,
    hash,
    previousHash: hex(header.previousHash),
    dataHash: hex(header.dataHash),
    timestamp: transactions.findLast(({ timestamp }) => timestamp !== '')?.timestamp ?? '',
    transactions,
  };
}

/**
 * Returns what an endorser transaction writes under a key of a chaincode; of several writes the last one, which is the one
 * that counts.
 * @throws `LEDGER.DAMAGED` when it cannot be decoded
 */
export function writeOf({ data }: DecodedEnvelope, key: string, chaincode: string): KeyWrite | undefined {
  return decodeActions(data)
    .flatMap(({ results }) => decodeReadWriteSets(results))
    .filter(({ namespace }) => namespace === chaincode)
    .flatMap(({ writes }) => writes)
    .findLast((write) => write.key === key);
}

/** Returns a write as an asset's history shows it. */
export function assetChange(
  envelope: DecodedEnvelope,
  blockNumber: number,
  { value }: KeyWrite,
  creators: CreatorNames,
): AssetChange {
  const { transactionId, timestamp } = envelope;
  const asset = value && canonicalAsset(value);
  return {
    transactionId,
    blockNumber,
    timestamp,
    ...creators.of(envelope),
    isDelete: value === undefined,
    asset: asset && Buffer.from(asset).toString(),
  };
}
