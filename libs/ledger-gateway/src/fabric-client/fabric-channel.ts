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
import { keyOf } from '../idempotency/attempt-ids.js';
import { KeyedCalls } from '../idempotency/keyed-calls.js';
import { type CertificateNotes, earlierCreators } from '../signers/certificate-notes.js';
import type { FabricCallOptions, FabricTransport, GivenId, RecordedTransaction } from './fabric-transport.js';
import { type KeyedOptions, submitKeyed } from './keyed-submit.js';
import type { Signers } from './signers.js';
import { jittered, pause } from './waiting.js';

/** What a channel is made of. */
export interface FabricChannelOptions extends Omit<SigningOptions, 'certificatesDir'> {
  readonly name: string;
  readonly chaincode: string;
  readonly transport: FabricTransport;
  readonly signers: Signers;
  readonly certificates: CertificateNotes;
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
export class FabricChannel {
  readonly channel: string;
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
    this.channel = options.name;
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
    if (this.#it.signAs === 'service') return;
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
      assetsBehind((call) => this.#chaincode.evaluate(call, signed), after, limit);
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
    const { chaincode } = this.#it;
    const evaluate = (call: LedgerCall): Promise<Uint8Array> => this.#raw.evaluate(call, signed);
    return assetHistory({ chaincode, queries: this.#queries, evaluate }, id, page, signed);
  }

  async receipt(transactionId: string): Promise<string | undefined> {
    this.#requireOpen();
    const block = await this.#queries.blockOfTransaction(transactionId, {});
    if (block === undefined) return undefined;
    const place = placeInBlock(block, transactionId);
    if (place === undefined) return undefined;
    const { name: channel, transport } = this.#it;
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
    return followBlocks((start) => this.#it.transport.blocks(this.channel, start, until), startBlock, until);
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
    return this.#it.signAs === 'service' ? {} : { caller };
  }

  /** Returns the identities under which a keyed write may be recorded, the one that signs now first. */
  async #creators({ caller, idempotency: { owner } }: KeyedOptions): Promise<readonly Uint8Array[]> {
    const { certificates, idempotencyDays, signers } = this.#it;
    const { mspId, certificate, former } = await (await signers.signerOf(caller)).current();
    const service = await (await signers.signerOf(undefined)).current();
    const ofOwner = owner === undefined ? [] : certificates.certificatesOf(owner);
    const ofService = [{ certificate: service.certificate, ended: Infinity }, ...service.former];
    const earlier = [...former, ...(caller === undefined ? ofOwner : ofService)];
    return [serializeIdentity(mspId, Buffer.from(certificate)), ...earlierCreators(mspId, earlier, idempotencyDays)];
  }

  /** Records a transaction, made anew after each conflict. */
  #record(call: LedgerCall, options: FabricCallOptions, { condition }: CallTerms): Promise<SubmitResult> {
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
    const creators = (): Promise<readonly Uint8Array[]> => this.#creators(options);
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
    options: FabricCallOptions,
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
  async #named<T>(call: LedgerCall, work: () => Promise<T>, options: FabricCallOptions): Promise<T> {
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

  #ask(chaincode: string, call: LedgerCall, options: FabricCallOptions): Promise<Uint8Array> {
    const { name: channel, transport } = this.#it;
    return this.#carry(() => transport.evaluate({ ...call, channel, chaincode }, options), options);
  }

  /** Runs one attempt in a slot, and again after a pause when a peer refuses it for having too many calls. */
  async #carry<T>(attempt: () => Promise<T>, options: FabricCallOptions): Promise<T> {
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

  #requireOpen(): void {
    if (this.#ending.signal.aborted) throw new LedgerError('LEDGER.UNAVAILABLE', 'The ledger is closed.');
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
export async function retryConflicts<T>(attempt: () => Promise<T>, options: FabricCallOptions): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLedgerError(error, 'LEDGER.CONFLICT') || made === ATTEMPTS) throw error;
      if (!(await pause(jittered(made, DELAY), options))) throw error;
    }
  }
}
