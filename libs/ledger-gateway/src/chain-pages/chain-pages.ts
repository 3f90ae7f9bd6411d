import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalAsset, encodeAsset, type Asset } from '#asset-contract';
import { LedgerError } from '../errors/ledger.errors.js';
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
import { certificateName } from '../fabric-blocks/describe/certificate-name.js';
import { headerTypeName, hex, validationCodeName } from '../fabric-blocks/messages/text.js';
import type {
  AssetChange,
  AssetFilter,
  BlockSummary,
  ChainPosition,
  LedgerBlock,
  Page,
  PageAfter,
  PageBefore,
  TimeRange,
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

/**
 * A part of a chain to examine, newest first: a block, or some of its transactions, the last one first. An empty list states
 * that there is nothing more down to the block, so that a page can end here.
 */
export interface Place {
  readonly block: number;
  readonly positions?: readonly number[];
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

/**
 * Returns a page of the blocks of a chain.
 * @param places - blocks that may have a timestamp in the range; the default is every block
 */
export async function blockPage(
  chain: ChainReader,
  { limit, before = Infinity, ...range }: PageBefore<number> & TimeRange,
  places?: Iterable<Place>,
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
  places?: Iterable<Place>,
): Promise<Page<TransactionSummary>> {
  const creators = new CreatorNames();
  const isWanted = transactionFilter(filter);
  const find = (transaction: ChainTransaction): TransactionSummary | undefined => {
    const summary = summarizeTransaction(transaction, creators);
    return isWanted(summary) ? summary : undefined;
  };
  return searchChain(chain, { limit, before }, find, places);
}

/**
 * Returns a page of what is found in the transactions of a chain, newest first.
 * @param find - returns the item that a transaction contains, or undefined
 * @param places - transactions to examine; the default is every one
 */
export async function searchChain<T>(
  chain: ChainReader,
  { limit, before }: PageBefore,
  find: (transaction: ChainTransaction) => T | undefined,
  places?: Iterable<Place>,
): Promise<Page<T>> {
  const found: T[] = [];
  let decoded = 0;
  let last: ChainPosition | undefined;
  for await (const { number, block, positions } of blocksAt(chain, places, topOf(before), MAX_BLOCKS)) {
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
export function topOf(before: ChainPosition | undefined): number {
  return before === undefined ? Infinity : before.block + Math.sign(before.position);
}

function isBefore({ block, position }: ChainPosition, limit: ChainPosition | undefined): boolean {
  return limit === undefined || block < limit.block || position < limit.position;
}

/** @param last - the position of the oldest transaction that was examined */
function pageUpTo<T>(items: readonly T[], last: ChainPosition | undefined): Page<T> {
  const isEnd = last === undefined || (last.block === 0 && last.position === 0);
  return isEnd ? { items } : { items, next: { block: last.block, position: last.position } };
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

/** Returns a timestamp with nine digits of the second: such texts are in the order of the times. */
function instant(timestamp: string): string {
  return timestamp.slice(0, -1).padEnd('2026-11-21T12:00:00.123456789'.length, '0');
}

/** Yields up to `count` blocks below that number, newest first, until one is unavailable. */
async function* blocksBelow(chain: ChainReader, below: number, count: number): AsyncGenerator<LedgerBlock> {
  for await (const { block } of blocksAt(chain, undefined, below, count)) {
    if (block !== undefined) yield block;
  }
}

/** Returns up to `count` blocks below that number, newest first. */
async function placesBelow(chain: ChainReader, below: number, count: number): Promise<Iterable<Place>> {
  const top = Math.min(below, await chain.height());
  return Array.from({ length: Math.min(top, count) }, (_, index) => ({ block: top - 1 - index }));
}

/** A block that was read at a {@link Place}; undefined if there is nothing to examine in it. */
interface PlacedBlock {
  readonly number: number;
  readonly block: LedgerBlock | undefined;
  readonly positions: readonly number[] | undefined;
}

/**
 * Reads the blocks at places until one is unavailable, and at most `count`.
 * @param places - the default is every block below a number
 */
async function* blocksAt(
  chain: ChainReader,
  places: Iterable<Place> | undefined,
  below: number,
  count: number,
): AsyncGenerator<PlacedBlock> {
  let [ahead, read] = [1, 0];
  let wanted: Place[] = [];
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
async function* transactionsOf(
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
  const first = keyBelow(filter.prefix);
  let bookmark = isKeyBelow(after, first) ? first : after;
  for (let examined = 0; examined < MAX_ASSETS; examined += chunk) {
    const { assets, bookmark: next } = withoutLater(await read(bookmark, chunk), filter.prefix);
    for (const [index, { key, asset }] of assets.entries()) {
      if (!isWanted(key, asset, filter)) continue;
      items.push(Buffer.from(encodeAsset(asset)).toString());
      const isLast = next === '' && index === assets.length - 1;
      if (items.length === limit) return isLast ? { items } : { items, next: key };
    }
    if (next === '') return { items };
    bookmark = next;
  }
  return { items, next: bookmark };
}

/** The last character of a text. */
const LAST = /.$/su;

/**
 * Returns a key below all keys with a prefix, after which a list begins: a list begins after a key, not at one. Between the
 * two are only keys that contain U+10FFFF, the last character.
 */
function keyBelow(prefix = ''): string {
  const code = LAST.exec(prefix)?.[0].codePointAt(0) ?? 0;
  const rest = prefix.replace(LAST, '');
  // No id contains a control character, and a peer refuses keys that begin with NUL.
  if (code <= 0x20) return rest;
  // Surrogates, which are below U+E000, are not characters.
  const below = code === 0xe000 ? 0xd7ff : code - 1;
  return `${rest}${String.fromCodePoint(below)}\u{10ffff}`;
}

/** Ends a chunk at the first key after all keys with a prefix. */
function withoutLater({ assets, bookmark }: AssetChunk, prefix = ''): AssetChunk {
  const end = assets.findIndex(({ key }) => !key.startsWith(prefix) && isKeyBelow(prefix, key));
  return end === -1 ? { assets, bookmark } : { assets: assets.slice(0, end), bookmark: '' };
}

/** Compares keys by the bytes of their UTF-8. */
export function isKeyBelow(key: string, other: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(other)) < 0;
}

function isWanted(key: string, asset: Asset, { prefix = '', owner, color, size }: AssetFilter): boolean {
  return (
    key.startsWith(prefix) &&
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

/**
 * Checks that a chain has a block.
 * @throws `LEDGER.INVALID_ARGUMENT`
 */
export function requireBlockIn(height: number, block: number): void {
  if (block < height) return;
  const text = `there is no block ${block}, and the newest one is ${height - 1}`;
  throw new LedgerError('LEDGER.INVALID_ARGUMENT', text);
}

/**
 * Returns the JSON text of an asset as it was after a block.
 * @param write - the newest write of the asset up to that block, if there is one
 * @throws `LEDGER.ASSET_NOT_FOUND`, `LEDGER.REFUSED` when the written value is not an asset
 */
export function assetAfter(block: number, id: string, write: KeyWrite | undefined): string {
  if (write?.value === undefined) {
    throw new LedgerError('LEDGER.ASSET_NOT_FOUND', `the asset ${id} did not exist after block ${block}`);
  }
  const asset = canonicalAsset(write.value);
  if (asset === undefined) throw new LedgerError('LEDGER.REFUSED', 'the stored record is not an asset');
  return Buffer.from(asset).toString();
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
