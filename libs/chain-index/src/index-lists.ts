import { canonicalAsset } from '#asset-contract';
import {
  assetAfter,
  hasBounds,
  recordAfter,
  RecordFieldReader,
  type RecordState,
  requireBlockIn,
  suggestions,
  timeFilter,
  millisecondsOf,
  type ReadingConnection,
} from '#chain-pages';
import { headerTypeName, hex, validationCodeName } from '#fabric-codec';
import {
  type AssetChange,
  type ChainPosition,
  type FoundRecord,
  type Page,
  type RecordFilter,
  type RecordName,
  type SearchQuery,
  LedgerError,
} from '#ledger-gateway';
import type {
  BlockSummary,
  CreatedAssets,
  LedgerTotals,
  PageAfter,
  PageBefore,
  Suggestion,
  TimeRange,
  TransactionFilter,
  TransactionSummary,
} from '#ledger-gateway/driver';
import { recordKey, RECORDS_NAME } from '#records-contract';
import { keyValue, NO_TYPE, valueBytes } from './block-rows.js';
import { readCursor } from './index-file.js';
import { recordStateOf } from './record-state.js';
import { IndexQueries, type CallRow, type ChangeRow, type IndexedBlock } from './queries.js';

/** Rows that are examined for one page, at most: a page may be short, and names the next one. */
const MAX_EXAMINED = 5000;
/** Transactions of the blocks of one page, at most, but for those of its first block. */
const MAX_TRANSACTIONS = 5000;
/** Transactions that are found by the beginning of their ids. With more of them, the newest ones are examined instead. */
const MAX_PREFIXED = 10_000;
/** Rows that are read at once when a filter may refuse some. */
const CHUNK = 500;
/** The number after that of every transaction and block. */
const END = Number.MAX_SAFE_INTEGER;
const HOURS = 48;
const HOUR_MS = 3_600_000;

/** A change of a key of any chaincode. */
export interface KeyChange {
  readonly transactionId: string;
  readonly blockNumber: number;
  /** ISO 8601 in UTC, as claimed by the submitter. */
  readonly timestamp: string;
  readonly creatorId: string;
  readonly creatorMspId: string;
  /** Undefined for a deletion. */
  readonly value: Uint8Array | undefined;
}

/** Answers lists, searches and counts from an index of a chain. Rows carry no digests: what they answer is derived. */
export class IndexLists {
  readonly #db: ReadingConnection;
  readonly #queries: IndexQueries;
  readonly #chaincode: string;
  readonly #fields: RecordFieldReader;
  readonly #records: RecordState;

  /** @param chaincode - whose keys are the assets; by default there are none: no chaincode has an empty name */
  constructor(db: ReadingConnection, chaincode = '') {
    this.#db = db;
    this.#queries = new IndexQueries(db);
    this.#chaincode = chaincode;
    this.#fields = new RecordFieldReader(db);
    this.#records = recordStateOf(db);
  }

  /** Returns the first block of the index and the number after its last one. */
  cursor(): { readonly first: number | undefined; readonly next: number | undefined } {
    return readCursor(this.#db);
  }

  blocks({ limit, before = Infinity, ...range }: PageBefore<number> & TimeRange): Page<BlockSummary, number> {
    const isWanted = timeFilter(range);
    const times = millisecondsOf(range);
    const read = (below: number, count: number): IndexedBlock[] =>
      hasBounds(range) ? this.#queries.blocksInTime(below, ...times, count) : this.#queries.blocks(below, count);
    let transactions = 0;
    const page = filled(rowsBelow(read, Math.min(before, END), limit), {
      itemOf: (row) => {
        const summary = this.#block(row);
        if (!isWanted(summary.timestamp)) return undefined;
        transactions += summary.transactions.length;
        return summary;
      },
      isFull: (count) => count === limit || (count > 0 && transactions >= MAX_TRANSACTIONS),
    });
    return page.last === undefined ? { items: page.items } : { items: page.items, next: page.last.number };
  }

  #block(row: IndexedBlock): BlockSummary {
    const { number, first, hash, previous_hash: previousHash, data_hash: dataHash } = row;
    const end = this.#queries.firstOf(number + 1) ?? END;
    const transactions = this.#queries.callsBetween(first, end).map(summaryOf);
    return {
      number,
      hash: hex(hash),
      previousHash: hex(previousHash),
      dataHash: hex(dataHash),
      timestamp: transactions.findLast(({ timestamp }) => timestamp !== '')?.timestamp ?? '',
      transactions,
    };
  }

  transactions({ limit, before, ...filter }: PageBefore & TransactionFilter): Page<TransactionSummary> {
    const { prefix } = filter;
    const range = this.#rangeOf(filter);
    const callers = filter.creator === undefined ? undefined : this.#queries.callers(filter.creator);
    const functions = filter.function === undefined ? undefined : this.#queries.functions(filter.function);
    const numbers = prefix === undefined ? undefined : this.#prefixed(prefix);
    const read = numbers === undefined ? this.#byCall(range, callers, functions) : this.#byNumber(range, numbers);
    const isInTime = timeFilter(filter);
    const isWanted = (row: CallRow): boolean =>
      (prefix === undefined || row.id.startsWith(prefix)) &&
      callers?.includes(row.caller_id) !== false &&
      functions?.includes(row.function_id) !== false &&
      isInTime(row.time);
    return this.#page({ limit, before }, read, (row) => (isWanted(row) ? summaryOf(row) : undefined));
  }

  /** Returns the first number of a transaction that may be in a range of time, and the number after the last one. */
  #rangeOf(range: TimeRange): NumberRange {
    if (!hasBounds(range)) return { from: 0, end: END };
    const bounds = this.#queries.boundsOfTime(...millisecondsOf(range));
    if (bounds === undefined) return { from: 0, end: 0 };
    return { from: bounds.first, end: this.#queries.firstOf(bounds.last + 1) ?? END };
  }

  /** Returns how to read the transactions of callers and functions, of which there may be several with one name. */
  #byCall(
    { from, end }: NumberRange,
    callers: readonly (number | undefined)[] = [undefined],
    functions: readonly (number | undefined)[] = [undefined],
  ): RowReader<CallRow> {
    const pairs = callers.flatMap((caller) => functions.map((called) => ({ caller, called })));
    return (below, count) =>
      pairs

        .flatMap((pair) => this.#queries.calls(pair, from, Math.min(below, end), count))
        .sort((a, b) => b.number - a.number)
        .slice(0, count);
  }

  #byNumber({ from, end }: NumberRange, numbers: readonly number[]): RowReader<CallRow> {
    return (below, count) =>
      numbers
        .filter((number) => number >= from && number < Math.min(below, end))
        .slice(0, count)
        .flatMap((number) => this.#queries.callsBetween(number, number + 1));
  }

  /** Returns the numbers of the transactions whose ids begin with a prefix, newest first; undefined if they are too many. */
  #prefixed(prefix: string): number[] | undefined {
    const numbers = this.#queries.numbersFrom(prefix, MAX_PREFIXED + 1);
    return numbers.length > MAX_PREFIXED ? undefined : numbers.sort((a, b) => b - a);
  }

  /** Returns the changes of a key of any chaincode, newest first; undefined if the index has none. */
  history(
    namespace: string,
    key: string,
    { limit, before, ...range }: PageBefore & TimeRange,
  ): Page<KeyChange> | undefined {
    const id = this.#queries.key(namespace, keyValue(key));
    if (id === undefined) return undefined;
    const isWanted = timeFilter(range);
    const read: RowReader<ChangeRow> = (below, count) => this.#queries.changes(id, below, count);
    return this.#page({ limit, before }, read, (row) => (isWanted(row.time) ? keyChange(row) : undefined));
  }

  /**
   * Returns the changes of an asset, newest first.
   * @returns undefined when the index has none, but lacks the first blocks
   * @throws `LEDGER.ASSET_NOT_FOUND` when no asset ever had that id
   */
  assetHistory(id: string, page: PageBefore & TimeRange): Page<AssetChange> | undefined {
    const found = this.history(this.#chaincode, id, page);
    if (found !== undefined) return { ...found, items: found.items.map(assetChange) };
    if ((this.cursor().first ?? 0) > 0) return undefined;
    throw new LedgerError('LEDGER.ASSET_NOT_FOUND', `the asset ${id} does not exist`);
  }

  /**
   * Returns the JSON text of an asset as it was after a block.
   * @returns undefined when the index has no change of it up to there, but lacks the first blocks
   * @throws what `assetAfter` and `requireBlockIn` of chain-pages throw
   */
  assetAt(id: string, block: number): string | undefined {
    const { first = 0, next = 0 } = this.cursor();
    requireBlockIn(next, block);
    const key = this.#queries.key(this.#chaincode, keyValue(id));
    const end = this.#queries.firstOf(block + 1) ?? END;
    const [change] = key === undefined ? [] : this.#queries.changes(key, block < first ? 0 : end, 1);
    if (change === undefined && first > 0) return undefined;
    return assetAfter(block, id, change && { key: id, value: valueBytes(change.value) });
  }

  /** Returns the records of a type that meet conditions, in byte order of their ids. */
  records({ type, where, after = '', limit }: PageAfter & RecordFilter): Page<FoundRecord, string> {
    const { ids, next } = this.#fields.find(type, where, { after, limit });
    const items = ids.flatMap((id) => {
      const value = this.#records.value(recordKey(type, id));
      return value === undefined ? [] : [{ id, record: Buffer.from(value).toString() }];
    });
    return next === undefined ? { items } : { items, next };
  }

  /**
   * Returns the stored form of a record as it was after a block.
   * @throws what `recordAfter` and `requireBlockIn` of chain-pages throw, `LEDGER.NOT_SUPPORTED` when the index has no change of it up to
   * there and lacks the first blocks
   */
  recordAt(record: RecordName, block: number): string {
    const { first = 0, next = 0 } = this.cursor();
    requireBlockIn(next, block);
    const key = this.#queries.key(RECORDS_NAME, keyValue(recordKey(record.type, record.id)));
    const end = this.#queries.firstOf(block + 1) ?? END;
    const [change] = key === undefined ? [] : this.#queries.changes(key, block < first ? 0 : end, 1);
    if (change === undefined && first > 0) {
      const text = `The index begins at block ${first}, because no peer has the blocks before it.`;
      throw new LedgerError('LEDGER.NOT_SUPPORTED', text);
    }
    return recordAfter(block, record, change && valueBytes(change.value));
  }

  search(query: SearchQuery): readonly Suggestion[] {
    const { first = 0, next = 0 } = this.cursor();
    const named = (value: string | undefined): { readonly value: string } | undefined =>
      value === undefined ? undefined : { value };
    return suggestions(query, {
      height: next,
      blocks: (prefix, limit) => this.#queries.hashesFrom(prefix, limit),
      transactions: (prefix, limit) => this.#queries.idsFrom(prefix, limit),
      texts: {
        asset: (text) => this.#queries.keyFrom(this.#chaincode, text),
        owner: (text) => named(this.#queries.ownerFrom(this.#chaincode, text)),
        caller: (text) => named(this.#queries.callerFrom(text)),
        function: (text) => named(this.#queries.functionFrom(text)),
      },
    }).filter(({ kind, value }) => kind !== 'block' || Number(value) >= first);
  }

  /** @throws `LEDGER.NOT_SUPPORTED` when the index lacks the first blocks */
  totals(): LedgerTotals {
    const { first = 0, transactions } = readCursor(this.#db);
    if (first > 0) {
      const text = `The index begins at block ${first}, because no peer has the blocks before it: there are no totals.`;
      throw new LedgerError('LEDGER.NOT_SUPPORTED', text);
    }
    const hours = this.#queries.hours(HOURS).map(({ hour, transactions: count }) => {
      return { hour: new Date(hour * HOUR_MS).toISOString(), transactions: count };
    });
    return { assets: this.#queries.keyCount(this.#chaincode), transactions, hours: hours.toReversed() };
  }

  #page<Row extends PlacedRow, Item>(
    { limit, before }: PageBefore,
    read: RowReader<Row>,
    itemOf: (row: Row) => Item | undefined,
  ): Page<Item> {
    const below = before === undefined ? END : this.#numberOf(before);
    const { items, last } = filled(rowsBelow(read, below, limit), { itemOf, isFull: (count) => count === limit });
    return last === undefined ? { items } : { items, next: positionOf(last) };
  }

  /** Returns the number of the transaction at a position, or of the first one after it. */
  #numberOf({ block, position }: ChainPosition): number {
    const { first = 0, next = 0 } = this.cursor();
    if (block < first) return 0;
    return block >= next ? END : (this.#queries.firstOf(block) ?? 0) + position;
  }
}

/** Yields rows, newest first; undefined where so many were examined that a page must end. */
function* rowsBelow<Row extends { readonly number: number }>(
  read: RowReader<Row>,
  below: number,
  limit: number,
): Generator<Row | undefined> {
  let top = below;
  // One more shows whether there is a next page. Further rounds are those of a filter that selects little.
  for (let [examined, count] = [0, limit + 1]; examined < MAX_EXAMINED; examined += count, count = CHUNK) {
    const rows = read(top, count);
    yield* rows;
    top = rows.at(-1)?.number ?? top;
    if (rows.length < count) return;
  }
  yield undefined;
}

/**
 * Makes a page of rows.
 * @returns the items, and the row after which the next page begins; undefined on the last page
 */
function filled<Row, Item>(
  rows: Iterable<Row | undefined>,
  { itemOf, isFull }: { readonly itemOf: (row: Row) => Item | undefined; readonly isFull: (count: number) => boolean },
): { readonly items: Item[]; readonly last: Row | undefined } {
  const items: Item[] = [];
  let last: Row | undefined;
  for (const row of rows) {
    if (row === undefined || isFull(items.length)) return { items, last };
    const item = itemOf(row);
    if (item !== undefined) items.push(item);
    last = row;
  }
  return { items, last: undefined };
}

/** Returns at most `count` rows of transactions below a number, newest first. */
type RowReader<Row> = (below: number, count: number) => readonly Row[];

interface NumberRange {
  readonly from: number;
  readonly end: number;
}

interface PlacedRow {
  readonly number: number;
  readonly block: number;
  /** The number of the first transaction of its block. */
  readonly first: number;
}

function positionOf({ number, block, first }: PlacedRow): ChainPosition {
  return { block, position: number - first };
}

function summaryOf(row: CallRow): TransactionSummary {
  return {
    transactionId: row.id,
    blockNumber: row.block,
    timestamp: row.time,
    type: row.type === NO_TYPE ? '' : headerTypeName(row.type),
    creatorId: row.caller,
    creatorMspId: row.msp,
    chaincodeId: row.chaincode,
    function: row.function,
    firstArgument: row.argument,
    ...(row.created !== null && { createdAssets: JSON.parse(row.created) as CreatedAssets }),
    validationCode: validationCodeName(row.code),
  };
}

function keyChange(row: ChangeRow): KeyChange {
  return {
    transactionId: row.id,
    blockNumber: row.block,
    timestamp: row.time,
    creatorId: row.caller,
    creatorMspId: row.msp,
    value: valueBytes(row.value),
  };
}

function assetChange({ value, ...change }: KeyChange): AssetChange {
  const asset = value && canonicalAsset(value);
  return { ...change, isDelete: value === undefined, asset: asset && Buffer.from(asset).toString() };
}
