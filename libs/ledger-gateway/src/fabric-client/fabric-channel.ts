import { MAX_PAGE_SIZE } from '#asset-contract';
import { LedgerError, isLedgerError } from '../errors/ledger.errors.js';
import type {
  CallOptions,
  ChainInfo,
  CommitObservation,
  LedgerBlock,
  LedgerCall,
  LedgerLogger,
  LedgerTransaction,
  SigningOptions,
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
import { AssetChaincode, assetsAfter } from './asset-chaincode.js';
import { DUPLICATE_TRANSACTION, isFault, isIdentityRefused, validationError } from './call-errors.js';
import type { CallSlots } from './call-slots.js';
import { CallerAccess } from './caller-access.js';
import { searchAssets, type AssetChunk } from '../chain-pages/asset-search.js';
import { blockPage, transactionPage } from '../chain-pages/chain-pages.js';
import { assetHistory } from './asset-history.js';
import { placeInBlock, receiptText } from '../fabric-blocks/receipt/receipt.js';
import { ChainQueries, followBlocks, QUERY_CHAINCODE } from './chain.js';
import { type AssetCondition, type CallTerms, type ChaincodeCalls, submitIf } from './chaincode-calls.js';
import { keyOf } from '../idempotency/attempt-ids.js';
import { KeyedCalls } from '../idempotency/keyed-calls.js';
import type { FabricCallOptions, FabricTransport, GivenId, RecordedTransaction } from './fabric-transport.js';
import { type KeyedOptions, submitKeyed } from './keyed-submit.js';
import type { Signers } from './signers.js';
import { jittered, pause } from './waiting.js';

/** Options of {@link FabricChannel}. */
export interface FabricChannelOptions extends Omit<SigningOptions, 'certificatesDir'> {
  readonly name: string;
  readonly chaincode: string;
  readonly transport: FabricTransport;
  readonly signers: Signers;
  readonly slots: CallSlots;
  /** See {@link KeyedSubmitOptions}. */
  readonly retryFor: number;
  /** Milliseconds for which the network's acceptance of a caller's identity is cached. */
  readonly accessCachedFor: number;
  readonly logger?: LedgerLogger | undefined;
  readonly onCommit?: ((observation: CommitObservation) => void) | undefined;
}

/** Attempts of a call that peers refuse because they have too many calls. */
const OVERLOAD_ATTEMPTS = 5;
const OVERLOAD_DELAY = { base: 50, most: 2000 };

/** A channel of a Fabric network, through either SDK. */
export class FabricChannel {
  readonly channel: string;
  readonly #options: FabricChannelOptions;
  /** Calls any chaincode of the channel without the semantics of the asset contract. */
  readonly #raw: ChaincodeCalls;
  readonly #chaincode: AssetChaincode;
  readonly #queries: ChainQueries;
  readonly #keyed = new KeyedCalls();
  readonly #access: CallerAccess;
  readonly #ending = new AbortController();
  #submitting = 0;

  constructor(options: FabricChannelOptions) {
    this.channel = options.name;
    this.#options = options;
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
    this.#requireOpen();
    this.#submitting++;
    try {
      const idempotency = keyOf(options);
      const chaincode = this.#callsOf(call);
      const signed = this.#signed(options);
      if (idempotency === undefined) return await chaincode.submit(call, signed);
      return await this.#keyed.submit(call, idempotency, () => chaincode.submit(call, { ...signed, idempotency }));
    } finally {
      this.#submitting--;
    }
  }

  async evaluate(call: LedgerCall, options: CallOptions = {}): Promise<Uint8Array> {
    this.#requireOpen();
    return this.#callsOf(call).evaluate(call, this.#signed(options));
  }

  async authorize(caller: string): Promise<void> {
    this.#requireOpen();
    if (this.#options.signAs === 'service') return;
    await this.#access.require(caller);
  }

  async chainInfo(): Promise<ChainInfo> {
    this.#requireOpen();
    return this.#queries.chainInfo({});
  }

  async blockByNumber(number: number): Promise<LedgerBlock | undefined> {
    this.#requireOpen();
    return this.#queries.blockByNumber(number, {});
  }

  async transactionById(transactionId: string): Promise<LedgerTransaction | undefined> {
    this.#requireOpen();
    return this.#queries.transactionById(transactionId, {});
  }

  async assets(page: PageAfter & AssetFilter, options: CallOptions = {}): Promise<Page<string, string>> {
    this.#requireOpen();
    const signed = this.#signed(options);
    const read = (after: string, limit: number): Promise<AssetChunk> =>
      assetsAfter((call) => this.#chaincode.evaluate(call, signed), after, limit);
    return searchAssets(page, read, MAX_PAGE_SIZE);
  }

  async blocks(page: PageBefore<number>): Promise<Page<BlockSummary, number>> {
    this.#requireOpen();
    return blockPage(this.#queries.reader({}), page);
  }

  async transactions(page: PageBefore & TransactionFilter): Promise<Page<TransactionSummary>> {
    this.#requireOpen();
    return transactionPage(this.#queries.reader({}), page);
  }

  async assetHistory(id: string, page: PageBefore, options: CallOptions = {}): Promise<Page<AssetChange>> {
    this.#requireOpen();
    const signed = this.#signed(options);
    const { chaincode } = this.#options;
    const evaluate = (call: LedgerCall): Promise<Uint8Array> => this.#raw.evaluate(call, signed);
    return assetHistory({ chaincode, queries: this.#queries, evaluate }, id, page, signed);
  }

  async receipt(transactionId: string): Promise<string | undefined> {
    this.#requireOpen();
    const block = await this.#queries.blockOfTransaction(transactionId, {});
    if (block === undefined) return undefined;
    const place = placeInBlock(block, transactionId);
    if (place === undefined) return undefined;
    const { name: channel, transport } = this.#options;
    const question = { function: 'GetTransactionByID', arguments: [channel, transactionId] };
    const call = { ...question, channel, chaincode: QUERY_CHAINCODE };
    const payload = await this.#carry(() => transport.attest(call, {}), {});
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
    return followBlocks((start) => this.#options.transport.blocks(this.channel, start, until), startBlock, until);
  }

  queueLength(): number {
    return this.#submitting;
  }

  /** Evaluates a call of the contract with limits of its own. */
  protected probe(call: LedgerCall, limits: FabricCallOptions): Promise<Uint8Array> {
    return this.#chaincode.evaluate(call, limits);
  }

  /** Refuses every call from now on, and ends every reader of blocks. */
  protected end(): void {
    this.#ending.abort();
  }

  #signed({ caller }: CallOptions): FabricCallOptions {
    return this.#options.signAs === 'service' ? {} : { caller };
  }

  /** Submits a transaction, and a new one after each conflict. */
  #record(call: LedgerCall, options: FabricCallOptions, { condition }: CallTerms): Promise<SubmitResult> {
    const since = performance.now();
    const record = async (): Promise<SubmitResult> => {
      const recorded = await this.#transact(call, options, { condition });
      const { transactionId, blockNumber, validationCode, result } = await this.#settled(recorded);
      if (validationCode !== 0) throw validationError(validationCode, transactionId);
      this.#options.onCommit?.({ blockNumber, transactions: 1, seconds: (performance.now() - since) / 1000 });
      return { transactionId, blockNumber, result };
    };
    return retryConflicts(() => this.#named(call, record, options), options);
  }

  #recordKeyed(call: LedgerCall, options: KeyedOptions, { readResult, condition }: CallTerms): Promise<SubmitResult> {
    const { name: channel, signers, idempotencyDays, retryFor, onCommit } = this.#options;
    const chaincode = this.#chaincodeOf(call);
    const since = performance.now();
    const submit = async (
      attempt: LedgerCall,
      id: GivenId,
      limits: FabricCallOptions,
    ): Promise<RecordedTransaction> => {
      const recorded = await this.#named(call, () => this.#transact(attempt, limits, { id, condition }), limits);
      const { blockNumber, validationCode } = recorded;
      if (validationCode === 0)
        onCommit?.({ blockNumber, transactions: 1, seconds: (performance.now() - since) / 1000 });
      return recorded;
    };
    const creators = (): ReturnType<Signers['creatorsOfKey']> =>
      signers.creatorsOfKey(options.caller, options.idempotency, idempotencyDays);
    const context = { channel, chaincode, creators, submit, queries: this.#queries, retryFor };
    return submitKeyed(context, call, options, readResult);
  }

  /** Returns how to make a call: with the semantics of the asset contract, or of the chaincode that the call names. */
  #callsOf({ chaincode }: LedgerCall): ChaincodeCalls {
    return chaincode === undefined ? this.#chaincode : this.#raw;
  }

  #chaincodeOf({ chaincode = this.#options.chaincode }: LedgerCall): string {
    return chaincode;
  }

  /** Endorses and orders one transaction, and waits until it is recorded. */
  #transact(
    call: LedgerCall,
    options: FabricCallOptions,
    { id, condition }: { readonly id?: GivenId; readonly condition: AssetCondition | undefined },
  ): Promise<RecordedTransaction> {
    const { name: channel, transport } = this.#options;
    const named = { ...call, channel, chaincode: this.#chaincodeOf(call) };
    return this.#carry(() => {
      if (condition === undefined) return transport.submit(named, options, { id });
      return submitIf(condition, transport, named, options, { id });
    }, options);
  }

  /** Runs a call of a chaincode. When no peer can endorse it, checks whether the chaincode is defined on the channel. */
  async #named<T>(call: LedgerCall, work: () => Promise<T>, options: FabricCallOptions): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const isMissing = isFault(error, 'chaincode-unknown');
      if (!isMissing && !isFault(error, 'endorsers-missing')) throw error;
      const { name } = this.#options;
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

  /** Returns the outcome of the first copy when a transaction was ordered twice: the second one is marked as a duplicate. */
  async #settled(recorded: RecordedTransaction): Promise<RecordedTransaction> {
    if (recorded.validationCode !== DUPLICATE_TRANSACTION) return recorded;
    const first = await this.#queries.transactionById(recorded.transactionId, {});
    return first === undefined
      ? recorded
      : { ...recorded, validationCode: first.validationCode, blockNumber: first.blockNumber };
  }

  #ask(chaincode: string, call: LedgerCall, options: FabricCallOptions): Promise<Uint8Array> {
    const { name: channel, transport } = this.#options;
    return this.#carry(() => transport.evaluate({ ...call, channel, chaincode }, options), options);
  }

  /** Runs a call in a slot, and again after a pause when a peer refuses it because it has too many calls. */
  async #carry<T>(attempt: () => Promise<T>, options: FabricCallOptions): Promise<T> {
    const { slots } = this.#options;
    for (let attempts = 1; ; attempts++) {
      try {
        return await slots.run(attempt, options);
      } catch (error) {
        if (isIdentityRefused(error) && options.caller !== undefined) {
          throw this.#access.refusal(options.caller, error);
        }
        // Without an endpoint it is this program's own queue that is full.
        if (!isLedgerError(error, 'LEDGER.OVERLOADED') || error.endpoint === undefined) throw error;
        slots.shrink();
        if (attempts === OVERLOAD_ATTEMPTS || !(await pause(jittered(attempts, OVERLOAD_DELAY), options))) throw error;
      }
    }
  }

  #requireOpen(): void {
    if (this.#ending.signal.aborted) throw new LedgerError('LEDGER.UNAVAILABLE', 'The ledger is closed.');
  }
}

/** Attempts of a transaction that conflicts with others. */
const CONFLICT_ATTEMPTS = 6;
const CONFLICT_DELAY = { base: 40, most: 1000 };

/**
 * Retries a transaction after conflicts. Each attempt is a new transaction with its own id, simulated on the present state.
 * @throws `LEDGER.CONFLICT` of the last attempt, else what the attempt throws
 */
export async function retryConflicts<T>(attempt: () => Promise<T>, options: FabricCallOptions): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLedgerError(error, 'LEDGER.CONFLICT') || attempts === CONFLICT_ATTEMPTS) throw error;
      if (!(await pause(jittered(attempts, CONFLICT_DELAY), options))) throw error;
    }
  }
}
