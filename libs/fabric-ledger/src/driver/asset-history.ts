import { assetAfter, assetChange, CreatorNames, requireBlockIn, searchChain, timeFilter, writeOf } from '#chain-pages';
import { decodeBlock, decodeEnvelope } from '#fabric-codec';
import { attempt } from '#fabric-codec/messages';
import {
  type AssetChange,
  type ChainPosition,
  isLedgerError,
  type LedgerCall,
  LedgerError,
  type LedgerTransaction,
  type Page,
} from '#ledger-gateway';
import type { PageBefore, TimeRange } from '#ledger-gateway/driver';
import type { ChainQueries } from './chain.js';

/** Transactions that are read concurrently. */
const AT_ONCE = 8;
/** Changes on each page of a search for the version at a block. */
const SEARCH_PAGE = 200;

/** How one caller reads the chain and the chaincode. */
export interface HistoryReader {
  readonly queries: ChainQueries;
  /** Evaluates a call of the chaincode. */
  readonly evaluate: (call: LedgerCall) => Promise<Uint8Array>;
  readonly caller: string | undefined;
}

/** The changes of one asset, read with a caller's identity. */
export class AssetHistory {
  readonly #id: string;
  readonly #chaincode: string;
  readonly #reader: HistoryReader;
  readonly #creators = new CreatorNames();

  constructor(id: string, chaincode: string, reader: HistoryReader) {
    this.#id = id;
    this.#chaincode = chaincode;
    this.#reader = reader;
  }

  /**
   * Reads a page. The contract's own function lists the transactions that changed the asset; the changes are read from the
   * chain. Changes that the contract's search does not reach are searched in the blocks.
   * @throws `LEDGER.NOT_SUPPORTED` for a chaincode without that function
   */
  async page({ limit, before, ...range }: PageBefore & TimeRange): Promise<Page<AssetChange>> {
    const { items, ...next } = await this.#page({ limit, before });
    const isWanted = timeFilter(range);
    return { items: items.filter(({ timestamp }) => isWanted(timestamp)), ...next };
  }

  async #page(page: PageBefore): Promise<Page<AssetChange>> {
    const bookmark = page.before === undefined ? '' : await this.#transactionIdAt(page.before);
    const changes = bookmark === undefined ? undefined : await this.#changesAfter(bookmark, page.limit);
    return changes === undefined ? this.#searchBlocks(page) : this.#describe(changes);
  }

  /**
   * Returns the asset as it was after a block. The contract lists the changes, newest first, without their blocks: the
   * page with the change is found first, then the change on it by bisection.
   * @throws as {@link page}, and what {@link assetAfter} and {@link requireBlockIn} throw
   */
  async at(block: number): Promise<string> {
    const { queries, caller } = this.#reader;
    requireBlockIn((await queries.chainInfo(caller)).height, block);
    for (let bookmark = ''; ;) {
      const page = await this.#changesAfter(bookmark, SEARCH_PAGE);
      if (page === undefined) {
        const text = `the asset ${this.#id} has changed too often since block ${block} for the chaincode's history`;
        throw new LedgerError('LEDGER.NOT_SUPPORTED', text);
      }
      const found = await this.#newestUpTo(block, page);
      if (found !== undefined) {
        return assetAfter(block, this.#id, writeOf(decodeEnvelope(found.envelope), this.#id, this.#chaincode));
      }
      if (page.bookmark === '') return assetAfter(block, this.#id, undefined);
      ({ bookmark } = page);
    }
  }

  /** Returns the newest of some changes that is in a block up to that number; undefined when all are newer. */
  async #newestUpTo(block: number, { changes }: ContractPage): Promise<LedgerTransaction | undefined> {
    let found: LedgerTransaction | undefined;
    // Changes before `from` are newer than the block; `found` is the one at `to`.
    let [from, to] = [0, changes.length];
    // The oldest first: if that is newer, all are.
    for (let next = to - 1; from < to; next = Math.floor((from + to) / 2)) {
      const transaction = await this.#transaction(changes[next]?.transactionId ?? '');
      if (transaction.blockNumber <= block) [to, found] = [next, transaction];
      else from = next + 1;
    }
    return found;
  }

  /** Reads changes from the contract; undefined when its search does not reach so far back. */
  async #changesAfter(bookmark: string, limit: number): Promise<ContractPage | undefined> {
    const call = { function: 'GetAssetHistoryPage', arguments: [this.#id, String(limit), bookmark] };
    try {
      return JSON.parse(Buffer.from(await this.#reader.evaluate(call)).toString()) as ContractPage;
    } catch (cause) {
      if (isLedgerError(cause, 'LEDGER.INVALID_ARGUMENT') && bookmark !== '') return undefined;
      if (!isLedgerError(cause, 'LEDGER.FUNCTION_UNKNOWN')) throw cause;
      const text = "the chaincode of the channel provides no history; this project's chaincode of this version does";
      throw new LedgerError('LEDGER.NOT_SUPPORTED', text, { cause });
    }
  }

  /** Returns the id of the transaction at a position; undefined when there is none. */
  async #transactionIdAt({ block: number, position }: ChainPosition): Promise<string | undefined> {
    const { queries, caller } = this.#reader;
    const block = await queries.reader(caller).block(number);
    const envelope = block && decodeBlock(block.bytes).envelopes[position];
    return envelope && decodeEnvelope(envelope).transactionId;
  }

  async #describe({ changes, bookmark }: ContractPage): Promise<Page<AssetChange>> {
    const items: AssetChange[] = [];
    let last: LedgerTransaction | undefined;
    for (let start = 0; start < changes.length; start += AT_ONCE) {
      const some = changes.slice(start, start + AT_ONCE);
      for (const found of await Promise.all(some.map(({ transactionId }) => this.#transaction(transactionId)))) {
        const envelope = decodeEnvelope(found.envelope);
        const write = writeOf(envelope, this.#id, this.#chaincode);
        if (write !== undefined) items.push(assetChange(envelope, found.blockNumber, write, this.#creators));
        last = found;
      }
    }
    if (bookmark === '' || last === undefined) return { items };
    return { items, next: { block: last.blockNumber, position: last.position } };
  }

  async #transaction(transactionId: string): Promise<LedgerTransaction> {
    const { queries, caller } = this.#reader;
    const found = await queries.transactionById(transactionId, caller);
    if (found !== undefined) return found;
    const text = `A peer does not have transaction ${transactionId} yet, which another peer reported.`;
    throw new LedgerError('LEDGER.UNAVAILABLE', text);
  }

  #searchBlocks(page: PageBefore): Promise<Page<AssetChange>> {
    const { queries, caller } = this.#reader;
    return searchChain(queries.reader(caller), page, ({ block, envelope, validationCode }) => {
      if (envelope === undefined || validationCode !== 0) return undefined;
      const write = attempt(() => writeOf(envelope, this.#id, this.#chaincode));
      return write && assetChange(envelope, block, write, this.#creators);
    });
  }
}

/** The response of the contract's function. */
interface ContractPage {
  readonly changes: readonly { readonly transactionId: string }[];
  readonly bookmark: string;
}
