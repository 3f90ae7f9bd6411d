import { MAX_PAGE_SIZE } from '#asset-contract';
import { LedgerError, isLedgerError } from '../errors/ledger.errors.js';
import type {
  CallOptions,
  ChainInfo,
  CommitObservation,
  LedgerBlock,
  LedgerCall,
  LedgerChannel,
  LedgerTransaction,
  SubmitResult,
} from '../ports/ledger.port.js';
import type {
  AssetChange,
  AssetFilter,
  BlockSummary,
  Page,
  PageAfter,
  PageBefore,
  TransactionFilter,
  TransactionSummary,
} from '../ports/pages.js';
import { serializeIdentity } from '../fabric-blocks/encode/transaction-encoder.js';
import { AssetChaincode, assetsBehind } from './asset-chaincode.js';
import { DUPLICATE_TRANSACTION, isFault, isIdentityRefused, validationError } from './call-errors.js';
import type { CallSlots } from './call-slots.js';
import { CallerAccess } from './caller-access.js';
import { searchAssets, type AssetChunk } from '../chain-pages/asset-search.js';
import { blockPage, transactionPage } from '../chain-pages/chain-pages.js';
import { assetHistory } from './asset-history.js';
import { placeInBlock, receiptText } from '../fabric-blocks/receipt/receipt.js';
import { ChainQueries, followBlocks, QUERY_CHAINCODE } from './chain.js';
import type { AssetCondition, CallTerms, ChaincodeCalls } from './chaincode-calls.js';
import { submitIf } from './conditional-submit.js';
import { KeyedCalls, type KeyedOptions } from '../idempotency/keyed-calls.js';
import { formerCreators } from '../signers/former-certificates.js';
import type { FabricTransport, GivenId, RecordedTransaction } from './fabric-transport.js';
import { submitKeyed } from './keyed-submit.js';
import type { Signers } from './signers.js';
import type { LedgerLogger } from '../ports/ledger-logger.js';
import { jittered, pause } from '../ports/waiting.js';

/** What a channel is made of. */
export interface FabricChannelOptions {
  readonly name: string;
  readonly chaincode: string;
  readonly transport: FabricTransport;
  readonly signers: Signers;
  readonly slots: CallSlots;
  /** See {@link KeyedSubmitOptions}. */
  readonly repeatFor: number;
  /** Milliseconds for which the network's acceptance of a caller's identity is cached. */
  readonly accessCachedFor: number;
  readonly logger?: LedgerLogger | undefined;
  readonly onCommit?: ((observation: CommitObservation) => void) | undefined;
}

/** Attempts of a call that peers refuse for having too many. */
const OVERLOAD_ATTEMPTS = 5;
const OVERLOAD_DELAY = { base: 50, most: 2000 };

/** One channel of a Fabric network, whichever SDK carries the calls. */
export class FabricChannel implements LedgerChannel {
  readonly name: string;
  readonly #it: FabricChannelOptions;
  /** Any chaincode of the channel as it is. */
  readonly #raw: ChaincodeCalls;
  readonly #chaincode: AssetChaincode;
  readonly #queries: ChainQueries;
  readonly #keyed = new KeyedCalls();
  readonly #access: CallerAccess;
  readonly #ending = new AbortController();
  #submitting = 0;

  constructor(options: FabricChannelOptions) {
    this.name = options.name;
    this.#it = options;
    this.#queries = new ChainQueries(options.name, (chaincode, call, limits) => this.#ask(chaincode, call, limits));
    this.#raw = {
      submit: (call, limits, terms = {}) => {
        const { idempotency } = limits;
        if (idempotency === undefined) return this.#record(call, limits, terms);
        return this.#recordKeyed(call, { ...limits, idempotency }, terms);
      },
      evaluate: (call, limits) => {
        const chaincode = this.#chaincodeOf(call);
        return this.#named(call, () => this.#ask(chaincode, call, limits), limits);
      },
    };
    this.#chaincode = new AssetChaincode(this.#raw);
    this.#access = new CallerAccess({
      channel: options.name,
      signers: options.signers,
      query: (caller) => this.#queries.chainInfo({ caller }),
      cachedFor: options.accessCachedFor,
      logger: options.logger,
    });
  }

  async submit(call: LedgerCall, options: CallOptions = {}): Promise<SubmitResult> {
    this.#requireOpen(options);
    this.#submitting++;
    try {
      const { idempotency } = options;
      const chaincode = this.#callsOf(call);
      if (idempotency === undefined) return await chaincode.submit(call, options);
      const keyed = { ...options, idempotency };
      return await this.#keyed.submit(call, keyed, () => chaincode.submit(call, keyed));
    } finally {
      this.#submitting--;
    }
  }

  async evaluate(call: LedgerCall, options: CallOptions = {}): Promise<Uint8Array> {
    this.#requireOpen(options);
    return this.#callsOf(call).evaluate(call, options);
  }

  async authorize(caller: string): Promise<void> {
    this.#requireOpen({});
    await this.#access.require(caller);
  }

  async chainInfo(options: CallOptions = {}): Promise<ChainInfo> {
    this.#requireOpen(options);
    return this.#queries.chainInfo(options);
  }

  async blockByNumber(number: number, options: CallOptions = {}): Promise<LedgerBlock | undefined> {
    this.#requireOpen(options);
    return this.#queries.blockByNumber(number, options);
  }

  async transactionById(transactionId: string, options: CallOptions = {}): Promise<LedgerTransaction | undefined> {
    this.#requireOpen(options);
    return this.#queries.transactionById(transactionId, options);
  }

  async assets(page: PageAfter & AssetFilter, options: CallOptions = {}): Promise<Page<string, string>> {
    this.#requireOpen(options);
    const read = (after: string, limit: number): Promise<AssetChunk> =>
      assetsBehind((call) => this.#chaincode.evaluate(call, options), after, limit);
    return searchAssets(page, read, MAX_PAGE_SIZE);
  }

  async blocks(page: PageBefore<number>, options: CallOptions = {}): Promise<Page<BlockSummary, number>> {
    this.#requireOpen(options);
    return blockPage(this.#queries.reader(options), page);
  }

  async transactions(
    page: PageBefore & TransactionFilter,
    options: CallOptions = {},
  ): Promise<Page<TransactionSummary>> {
    this.#requireOpen(options);
    return transactionPage(this.#queries.reader(options), page);
  }

  async assetHistory(id: string, page: PageBefore, options: CallOptions = {}): Promise<Page<AssetChange>> {
    this.#requireOpen(options);
    const { chaincode } = this.#it;
    const evaluate = (call: LedgerCall): Promise<Uint8Array> => this.#raw.evaluate(call, options);
    return assetHistory({ chaincode, queries: this.#queries, evaluate }, id, page, options);
  }

  async receipt(transactionId: string, options: CallOptions = {}): Promise<string | undefined> {
    this.#requireOpen(options);
    const block = await this.#queries.blockOfTransaction(transactionId, options);
    if (block === undefined) return undefined;
    const place = placeInBlock(block, transactionId);
    if (place === undefined) return undefined;
    const { name: channel, transport } = this.#it;
    const question = { function: 'GetTransactionByID', arguments: [channel, transactionId] };
    const call = { ...question, channel, chaincode: QUERY_CHAINCODE };
    const payload = await this.#carry(() => transport.attest(call, options), options);
    return receiptText(place, block, { kind: 'qscc', payload });
  }

  blockEvents({
    startBlock,
    signal,
  }: {
    readonly startBlock: number;
    readonly signal?: AbortSignal;
  }): AsyncIterable<LedgerBlock> {
    const ending = this.#ending.signal;
    const until = signal === undefined ? ending : AbortSignal.any([signal, ending]);
    return followBlocks((start) => this.#it.transport.blocks(this.name, start, until), startBlock, until);
  }

  async creators(caller: string | undefined, endedAfter: number): Promise<readonly Uint8Array[]> {
    this.#requireOpen({});
    const { mspId, certificate, former } = await (await this.#it.signers.signerOf(caller)).current();
    const present = serializeIdentity(mspId, Buffer.from(certificate));
    return [present, ...formerCreators(mspId, former, endedAfter)];
  }

  queueLength(): number {
    return this.#submitting;
  }

  /** Every call is refused from now on, and every reader of blocks ends. */
  end(): void {
    this.#ending.abort();
  }

  /** Records a transaction, made anew after each conflict. */
  #record(call: LedgerCall, options: CallOptions, { condition }: CallTerms): Promise<SubmitResult> {
    const since = performance.now();
    const record = async (): Promise<SubmitResult> => {
      const recorded = await this.#transact(call, options, { condition });
      const { transactionId, blockNumber, validationCode, result } = await this.#settled(recorded);
      if (validationCode !== 0) throw validationError(validationCode, transactionId);
      this.#it.onCommit?.({ blockNumber, transactions: 1, seconds: (performance.now() - since) / 1000 });
      return { transactionId, blockNumber, result };
    };
    return retryConflicts(() => this.#named(call, record, options), options);
  }

  #recordKeyed(call: LedgerCall, options: KeyedOptions, { readResult, condition }: CallTerms): Promise<SubmitResult> {
    const { name: channel, repeatFor, onCommit } = this.#it;
    const chaincode = this.#chaincodeOf(call);
    const since = performance.now();
    const submit = async (attempt: LedgerCall, id: GivenId, limits: CallOptions): Promise<RecordedTransaction> => {
      const recorded = await this.#named(call, () => this.#transact(attempt, limits, { id, condition }), limits);
      const { blockNumber, validationCode } = recorded;
      if (validationCode === 0)
        onCommit?.({ blockNumber, transactions: 1, seconds: (performance.now() - since) / 1000 });
      return recorded;
    };
    const creators = (caller: string | undefined, endedAfter: number): Promise<readonly Uint8Array[]> =>
      this.creators(caller, endedAfter);
    const it = { channel, chaincode, creators, submit, queries: this.#queries, repeatFor };
    return submitKeyed(it, call, options, readResult);
  }

  /** What a call means: of the configured chaincode that of the asset contract, of a named one that of the chaincode itself. */
  #callsOf({ chaincode }: LedgerCall): ChaincodeCalls {
    return chaincode === undefined ? this.#chaincode : this.#raw;
  }

  #chaincodeOf({ chaincode = this.#it.chaincode }: LedgerCall): string {
    return chaincode;
  }

  /** Makes one transaction. */
  #transact(
    call: LedgerCall,
    options: CallOptions,
    { id, condition }: { readonly id?: GivenId; readonly condition: AssetCondition | undefined },
  ): Promise<RecordedTransaction> {
    const { name: channel, transport } = this.#it;
    const named = { ...call, channel, chaincode: this.#chaincodeOf(call) };
    return this.#carry(() => {
      if (condition === undefined) return transport.submit(named, options, { id });
      return submitIf(condition, transport, named, options, { id });
    }, options);
  }

  /** Does a call of a chaincode, whose name is wrong when nobody can endorse it and it is not defined. */
  async #named<T>(call: LedgerCall, work: () => Promise<T>, options: CallOptions): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const isMissing = isFault(error, 'chaincode-unknown');
      if (!isMissing && !isFault(error, 'endorsers-missing')) throw error;
      const { name } = this.#it;
      const chaincode = this.#chaincodeOf(call);
      if (!isMissing && (await this.#queries.isDefined(chaincode, options)) !== false) throw error;
      if (call.chaincode !== undefined) {
        throw new LedgerError('LEDGER.CHAINCODE_UNKNOWN', `There is no chaincode ${chaincode} on channel ${name}.`, {
          cause: error,
        });
      }
      if (isMissing) throw error;
      const text = `There is no chaincode ${chaincode} on channel ${name}: check LEDGER_CHAINCODE, or commit it there.`;
      throw new LedgerError('LEDGER.MISCONFIGURED', text, { cause: error });
    }
  }

  /** A copy of a transaction that was handed over twice is marked as such; the first one tells what became of it. */
  async #settled(recorded: RecordedTransaction): Promise<RecordedTransaction> {
    if (recorded.validationCode !== DUPLICATE_TRANSACTION) return recorded;
    const first = await this.#queries.transactionById(recorded.transactionId, {});
    return first === undefined
      ? recorded
      : { ...recorded, validationCode: first.validationCode, blockNumber: first.blockNumber };
  }

  #ask(chaincode: string, call: LedgerCall, options: CallOptions): Promise<Uint8Array> {
    const { name: channel, transport } = this.#it;
    return this.#carry(() => transport.evaluate({ ...call, channel, chaincode }, options), options);
  }

  /** Runs one attempt in a slot, and again after a pause when a peer refuses it for having too many calls. */
  async #carry<T>(attempt: () => Promise<T>, options: CallOptions): Promise<T> {
    const { slots } = this.#it;
    for (let made = 1; ; made++) {
      try {
        return await slots.run(attempt, options);
      } catch (error) {
        if (isIdentityRefused(error) && options.caller !== undefined) {
          throw this.#access.refusal(options.caller, error);
        }
        // Without an endpoint it is our own queue that is full.
        if (!isLedgerError(error, 'LEDGER.OVERLOADED') || error.endpoint === undefined) throw error;
        slots.shrink();
        if (made === OVERLOAD_ATTEMPTS || !(await pause(jittered(made, OVERLOAD_DELAY), options))) throw error;
      }
    }
  }

  #requireOpen({ signal, deadline = Infinity }: CallOptions): void {
    if (this.#ending.signal.aborted) throw new LedgerError('LEDGER.UNAVAILABLE', 'The ledger is closed.');
    if (signal?.aborted === true || deadline <= Date.now()) {
      throw new LedgerError('LEDGER.TIMEOUT', 'The call had no time left when it came.');
    }
  }
}

/** How often a transaction is made anew after others changed what it had read. */
const ATTEMPTS = 6;
const DELAY = { base: 40, most: 1000 };

/**
 * Submits until it does not meet a conflict: each attempt is a transaction of its own, with its own id, simulated on
 * the state of its time.
 * @throws `LEDGER.CONFLICT` of the last attempt, else what the attempt throws
 */
export async function retryConflicts<T>(attempt: () => Promise<T>, options: CallOptions): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLedgerError(error, 'LEDGER.CONFLICT') || made === ATTEMPTS) throw error;
      if (!(await pause(jittered(made, DELAY), options))) throw error;
    }
  }
}
