import { assetChange, writeOf } from '../chain-pages/asset-changes.js';
import { searchChain } from '../chain-pages/chain-pages.js';
import { CreatorNames } from '../chain-pages/summaries.js';
import { LedgerError, isRefusal } from '../errors/ledger.errors.js';
import { decodeBlock } from '../fabric-blocks/decode/decode-block.js';
import { decodeEnvelope } from '../fabric-blocks/decode/decode-envelope.js';
import { attempt } from '../fabric-blocks/messages/decode-message.js';
import type { LedgerCall, LedgerTransaction } from '../ports/ledger.port.js';
import type { FabricCallOptions } from './fabric-transport.js';
import type { AssetChange, ChainPosition, Page, PageBefore } from '../ports/pages.js';
import type { ChainQueries } from './chain.js';

/** Options of {@link assetHistory}. */
export interface AssetHistoryOptions {
  readonly chaincode: string;
  readonly queries: ChainQueries;
  /** Evaluates a call of the chaincode. */
  readonly evaluate: (call: LedgerCall, options: FabricCallOptions) => Promise<Uint8Array>;
}

/** Transactions that are read concurrently. */
const AT_ONCE = 8;

/**
 * Reads a page of an asset's history. The contract's own function lists the transactions that changed it; the changes are
 * read from the chain. Changes that the contract's search does not reach are searched in the blocks, page by page.
 * @throws `LEDGER.NOT_SUPPORTED` for a chaincode without that function
 */
export async function assetHistory(
  history: AssetHistoryOptions,
  id: string,
  page: PageBefore,
  options: FabricCallOptions,
): Promise<Page<AssetChange>> {
  const bookmark = page.before === undefined ? '' : await transactionIdAt(history.queries, page.before, options);
  const changes = bookmark === undefined ? undefined : await changesAfter(history, id, { ...page, bookmark }, options);
  return changes === undefined ? searchBlocks(history, id, page, options) : describe(history, id, changes, options);
}

/** Returns the id of the transaction at a position; undefined when there is none. */
async function transactionIdAt(
  queries: ChainQueries,
  { block: number, position }: ChainPosition,
  options: FabricCallOptions,
): Promise<string | undefined> {
  const block = await queries.reader(options).block(number);
  const envelope = block && decodeBlock(block.bytes).envelopes[position];
  return envelope && decodeEnvelope(envelope).transactionId;
}

interface ContractPage {
  readonly changes: readonly { readonly transactionId: string }[];
  readonly bookmark: string;
}

/** Reads the changes from the contract; undefined when its search does not reach so far back. */
async function changesAfter(
  { evaluate }: AssetHistoryOptions,
  id: string,
  { limit, bookmark }: PageBefore & { readonly bookmark: string },
  options: FabricCallOptions,
): Promise<ContractPage | undefined> {
  const call = { function: 'GetAssetHistoryPage', arguments: [id, String(limit), bookmark] };
  try {
    return JSON.parse(Buffer.from(await evaluate(call, options)).toString()) as ContractPage;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (error.code === 'LEDGER.FUNCTION_UNKNOWN') throw noHistory(error);
    if (error.code === 'LEDGER.INVALID_ARGUMENT' && bookmark !== '') return undefined;
    throw error;
  }
}

function noHistory(cause: LedgerError): LedgerError {
  const text = "the chaincode of the channel provides no history; this project's chaincode of this version does";
  return new LedgerError('LEDGER.NOT_SUPPORTED', text, { cause });
}

async function describe(
  history: AssetHistoryOptions,
  id: string,
  { changes, bookmark }: ContractPage,
  options: FabricCallOptions,
): Promise<Page<AssetChange>> {
  const creators = new CreatorNames();
  const items: AssetChange[] = [];
  let last: LedgerTransaction | undefined;
  for (let start = 0; start < changes.length; start += AT_ONCE) {
    const some = changes.slice(start, start + AT_ONCE);
    const found = await Promise.all(some.map((change) => recorded(history.queries, change.transactionId, options)));
    for (const transaction of found) {
      const envelope = decodeEnvelope(transaction.envelope);
      const write = writeOf(envelope, id, history.chaincode);
      if (write !== undefined) items.push(assetChange(envelope, transaction.blockNumber, write, creators));
      last = transaction;
    }
  }
  return bookmark === '' || last === undefined
    ? { items }
    : { items, next: { block: last.blockNumber, position: last.position } };
}

async function recorded(
  queries: ChainQueries,
  transactionId: string,
  options: FabricCallOptions,
): Promise<LedgerTransaction> {
  const found = await queries.transactionById(transactionId, options);
  if (found !== undefined) return found;
  throw new LedgerError(
    'LEDGER.UNAVAILABLE',
    `A peer does not have transaction ${transactionId} yet, which another peer reported.`,
  );
}

/** Searches the blocks for changes that the contract does not reach. */
function searchBlocks(
  { queries, chaincode }: AssetHistoryOptions,
  id: string,
  page: PageBefore,
  options: FabricCallOptions,
): Promise<Page<AssetChange>> {
  const creators = new CreatorNames();
  return searchChain(queries.reader(options), page, ({ block, envelope, validationCode }) => {
    const write = envelope && validationCode === 0 ? attempt(() => writeOf(envelope, id, chaincode)) : undefined;
    return write && envelope && assetChange(envelope, block, write, creators);
  });
}
