import { assetChange, CreatorNames, searchChain, timeFilter, writeOf } from '../chain-pages/chain-pages.js';
import { LedgerError, isLedgerError } from '../errors/ledger.errors.js';
import { decodeBlock } from '../fabric-blocks/decode/decode-block.js';
import { decodeEnvelope } from '../fabric-blocks/decode/decode-envelope.js';
import { attempt } from '../fabric-blocks/messages/decode-message.js';
import type {
  AssetChange,
  ChainPosition,
  LedgerCall,
  LedgerTransaction,
  Page,
  PageBefore,
  TimeRange,
} from '../ports/ledger.port.js';
import type { ChainQueries } from './chain.js';

/** Transactions that are read concurrently. */
const AT_ONCE = 8;

/** The changes of one asset, read with a caller's identity. */
export class AssetHistory {
  readonly #id: string;
  readonly #chaincode: string;
  readonly #queries: ChainQueries;
  readonly #caller: string | undefined;
  readonly #creators = new CreatorNames();

  constructor(id: string, chaincode: string, queries: ChainQueries, caller: string | undefined) {
    this.#id = id;
    this.#chaincode = chaincode;
    this.#queries = queries;
    this.#caller = caller;
  }

  /**
   * Reads a page. The contract's own function lists the transactions that changed the asset; the changes are read from the
   * chain. Changes that the contract's search does not reach are searched in the blocks.
   * @param evaluate - evaluates a call of the chaincode
   * @throws `LEDGER.NOT_SUPPORTED` for a chaincode without that function
   */
  async page(
    { limit, before, ...range }: PageBefore & TimeRange,
    evaluate: (call: LedgerCall) => Promise<Uint8Array>,
  ): Promise<Page<AssetChange>> {
    const { items, ...next } = await this.#page({ limit, before }, evaluate);
    const isWanted = timeFilter(range);
    return { items: items.filter(({ timestamp }) => isWanted(timestamp)), ...next };
  }

  async #page(page: PageBefore, evaluate: (call: LedgerCall) => Promise<Uint8Array>): Promise<Page<AssetChange>> {
    const bookmark = page.before === undefined ? '' : await this.#transactionIdAt(page.before);
    const changes = bookmark === undefined ? undefined : await this.#changesAfter(bookmark, page.limit, evaluate);
    return changes === undefined ? this.#searchBlocks(page) : this.#describe(changes);
  }

  /** Reads changes from the contract; undefined when its search does not reach so far back. */
  async #changesAfter(
    bookmark: string,
    limit: number,
    evaluate: (call: LedgerCall) => Promise<Uint8Array>,
  ): Promise<ContractPage | undefined> {
    const call = { function: 'GetAssetHistoryPage', arguments: [this.#id, String(limit), bookmark] };
    try {
      return JSON.parse(Buffer.from(await evaluate(call)).toString()) as ContractPage;
    } catch (cause) {
      if (isLedgerError(cause, 'LEDGER.INVALID_ARGUMENT') && bookmark !== '') return undefined;
      if (!isLedgerError(cause, 'LEDGER.FUNCTION_UNKNOWN')) throw cause;
      const text = "the chaincode of the channel provides no history; this project's chaincode of this version does";
      throw new LedgerError('LEDGER.NOT_SUPPORTED', text, { cause });
    }
  }

  /** Returns the id of the transaction at a position; undefined when there is none. */
  async #transactionIdAt({ block: number, position }: ChainPosition): Promise<string | undefined> {
    const block = await this.#queries.reader(this.#caller).block(number);
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
    const found = await this.#queries.transactionById(transactionId, this.#caller);
    if (found !== undefined) return found;
    const text = `A peer does not have transaction ${transactionId} yet, which another peer reported.`;
    throw new LedgerError('LEDGER.UNAVAILABLE', text);
  }

  #searchBlocks(page: PageBefore): Promise<Page<AssetChange>> {
    return searchChain(this.#queries.reader(this.#caller), page, ({ block, envelope, validationCode }) => {
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
