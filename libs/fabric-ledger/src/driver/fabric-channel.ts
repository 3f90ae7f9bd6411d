import { MAX_PAGE_SIZE } from '#contract-kit';
import { type AssetChunk, authoritiesOf, searchAssets } from '#chain-pages';
import { decodeBlock } from '#fabric-codec';
import { treeEntry } from '#fabric-codec/encode';
import {
  type CallOptions,
  isLedgerError,
  type LedgerCall,
  type LedgerChannel,
  LedgerError,
  type LedgerTransaction,
  type SubmitResult,
} from '#ledger-gateway';
import {
  type BlockRange,
  type ChainLists,
  type ConnectionState,
  type IndexState,
  type LedgerCapabilities,
  writesDisabled,
  KeyedCalls,
  keyOf,
  withoutTransient,
} from '#ledger-gateway/driver';
import { blockPosition, receiptText } from '#receipts';
import { AssetChaincode, assetsAfter } from './asset-chaincode.js';
import { AssetHistory } from './asset-history.js';
import { DUPLICATE_TRANSACTION, isFault, isIdentityRefused, validationError } from './call-errors.js';
import { CallerAccess } from './caller-access.js';
import { ChannelMembership } from './channel-membership.js';
import { ConnectionCheck } from './connection-check.js';
import { ChainScans } from './chain-scans.js';
import { ChainQueries, followBlocks, QUERY_CHAINCODE } from './chain.js';
import { EndorserFaults } from './endorser-faults.js';
import { submitIf, type CallTerms, type ChaincodeClient, type FabricCallOptions } from './chaincode-client.js';
import type { ChannelIndex, FabricLedgerOptions, FabricNetwork } from './fabric-options.js';
import type { FabricCall, GivenId, RecordedTransaction } from './fabric-transport.js';
import { submitKeyed } from './keyed-submit.js';
import { PurgeCapability } from './purge-capability.js';
import { jittered, pause } from './waiting.js';

type Capabilities = Required<LedgerCapabilities>;

/** Attempts of a call that peers refuse because they have too many calls. */
const OVERLOAD_ATTEMPTS = 5;
const OVERLOAD_DELAY = { base: 50, most: 2000 };

/** A channel of a Fabric network, through either SDK. */
export class FabricChannel implements LedgerChannel {
  readonly channel: string;
  readonly #network: FabricNetwork;
  readonly #options: FabricLedgerOptions;
  /** Calls any chaincode of the channel without the semantics of the asset contract. */
  readonly #raw: ChaincodeClient;
  readonly #chaincode: AssetChaincode;
  readonly #queries: ChainQueries;
  readonly #endorsers: EndorserFaults;
  readonly #purges: PurgeCapability;
  readonly #keyed = new KeyedCalls();
  readonly #access: CallerAccess;
  /** Undefined for the default channel, without which nothing works. */
  readonly #membership: ChannelMembership | undefined;
  readonly #connection: ConnectionCheck;
  readonly #index: ChannelIndex | undefined;
  readonly lists: ChainLists;
  #submitting = 0;

  /** @param defaultChannel - the ledger's, if this is another one, on which the configured chaincode need not be */
  constructor(network: FabricNetwork, options: FabricLedgerOptions, defaultChannel = options.channel) {
    const { channel, logger } = options;
    this.channel = channel;
    this.#membership =
      channel === defaultChannel ? undefined : new ChannelMembership(channel, defaultChannel, network.transport);
    this.#network = network;
    this.#options = options;
    this.#queries = new ChainQueries(channel, (chaincode, call, caller) =>
      this.#carry(caller, () => network.transport.evaluate({ ...call, channel, chaincode, caller })),
    );
    this.#raw = {
      submit: (call, callOptions, terms) => this.#submitRaw(call, callOptions, terms),
      evaluate: (call, { caller }) => {
        const named = this.#fabricCall(call, caller);
        return this.#explained(named, call, () => this.#carry(caller, () => network.transport.evaluate(named)), true);
      },
    };
    this.#chaincode = new AssetChaincode(this.#raw);
    this.#purges = new PurgeCapability(channel, this.#queries);
    this.#endorsers = new EndorserFaults({
      channel,
      queries: this.#queries,
      evaluate: (call) => this.#carry(call.caller, () => network.transport.evaluate(call)),
    });
    this.#connection = new ConnectionCheck({
      read: () => this.#probe(),
      ordering: () => network.transport.ordering(channel),
      closed: network.closed,
    });
    this.#access = new CallerAccess({
      channel,
      signers: network.signers,
      query: (caller) => this.#queries.chainInfo(caller),
      logger,
    });
    const scans = new ChainScans({
      queries: this.#queries,
      assets: this.#membership === undefined ? this.assets : undefined,
      history: (id, callOptions) => this.#history(id, callOptions),
    });
    this.#index = options.openIndex?.(this, scans, this.#membership === undefined ? options.chaincode : undefined);
    this.lists = this.#whileOpen(this.#index ?? scans);
  }

  readonly submit: LedgerChannel['submit'] = (call, options = {}) =>
    this.#whenOpen(async () => {
      if (this.#options.readOnly === true) throw writesDisabled();
      const idempotency = keyOf(options);
      const { onStage, onAccepted } = options;
      const submit = (): Promise<SubmitResult> =>
        this.#callsOf(call).submit(call, { caller: this.#signer(options), idempotency, onStage, onAccepted });
      this.#submitting++;
      try {
        return await (idempotency === undefined ? submit() : this.#keyed.submit(call, idempotency, submit));
      } catch (error) {
        throw withoutTransient(error, call.transient);
      } finally {
        this.#submitting--;
      }
    });

  readonly evaluate: LedgerChannel['evaluate'] = (call, options = {}) =>
    this.#whenOpen(async () => {
      try {
        return await this.#callsOf(call).evaluate(call, { caller: this.#signer(options) });
      } catch (error) {
        throw withoutTransient(error, call.transient);
      }
    });

  readonly authorize: LedgerChannel['authorize'] = (caller) =>
    this.#whenOpen(async () => {
      if (this.#options.signAs !== 'service') await this.#access.require(caller);
    });

  readonly chainInfo: LedgerChannel['chainInfo'] = () => this.#whenOpen(() => this.#queries.chainInfo());

  readonly blockByNumber: LedgerChannel['blockByNumber'] = (number) =>
    this.#whenOpen(() => this.#queries.blockByNumber(number));

  readonly transactionById: LedgerChannel['transactionById'] = (transactionId) =>
    this.#whenOpen(() => this.#queries.transactionById(transactionId));

  readonly assets: Capabilities['assets'] = (page, options = {}) => {
    const evaluate = (call: LedgerCall): Promise<Uint8Array> =>
      this.#chaincode.evaluate(call, { caller: this.#signer(options) });
    const read = (after: string, limit: number): Promise<AssetChunk> => assetsAfter(evaluate, after, limit);
    const { owner, color, size, limit } = page;
    // Without a filter on a field every asset read is on the page; one more shows whether there is a next page.
    const isFiltered = (owner ?? color ?? size) !== undefined;
    const perRead = isFiltered ? MAX_PAGE_SIZE : Math.min(limit + 1, MAX_PAGE_SIZE);
    return this.#whenOpen(() => searchAssets(page, read, perRead));
  };

  readonly authorities: Capabilities['authorities'] = (mspId) =>
    this.#whenOpen(() => authoritiesOf(this.#queries.reader(), mspId));

  readonly receipt: Capabilities['receipt'] = (transactionId) =>
    this.#whenOpen(async () => {
      const block = await this.#queries.blockOfTransaction(transactionId);
      const place = block && blockPosition(block, transactionId);
      if (block === undefined || place === undefined) return undefined;
      const { channel } = this;
      const query = { function: 'GetTransactionByID', arguments: [channel, transactionId] };
      const call = { ...query, channel, chaincode: QUERY_CHAINCODE };
      const payload = await this.#carry(undefined, () => this.#network.transport.attest(call));
      return receiptText(place, block, { kind: 'qscc', payload });
    });

  readonly requirePurge: Capabilities['requirePurge'] = () => this.#whenOpen(() => this.#purges.require());

  readonly blockEvents: LedgerChannel['blockEvents'] = ({ startBlock, signal }) => {
    const { transport, closed } = this.#network;
    const until = signal === undefined ? closed : AbortSignal.any([signal, closed]);
    return followBlocks((start) => transport.blocks(this.channel, start, until), startBlock, until);
  };

  readonly treeEntries: Capabilities['treeEntries'] = (range) => this.#treeEntries(range);

  async *#treeEntries(options: BlockRange): AsyncGenerator<readonly Uint8Array[], void> {
    for await (const { bytes } of this.blockEvents(options)) yield [treeEntry(decodeBlock(bytes))];
  }

  indexState(): IndexState | undefined {
    return this.#index?.state();
  }

  queueLength(): number {
    return this.#submitting;
  }

  connectionState(): Promise<ConnectionState> {
    return this.#connection.state();
  }

  /** Resolves when no call is running. */
  idle(): Promise<void> {
    return this.#network.slots.idle();
  }

  /** Ends the index. */
  async closeIndex(): Promise<void> {
    await this.#index?.close();
  }

  /** Evaluates a call of the configured chaincode, on another channel a query of the chain; without a slot. */
  #probe(): Promise<Uint8Array> {
    const call: LedgerCall = this.#membership
      ? { chaincode: QUERY_CHAINCODE, function: 'GetChainInfo', arguments: [this.channel] }
      : { function: 'AssetExists', arguments: ['readiness'] };
    const named = this.#fabricCall(call, undefined);
    const evaluated = this.#explained(named, call, () => this.#network.transport.evaluate(named), false);
    return evaluated.catch(async (error: unknown) => {
      throw (await this.#membership?.explain(error)) ?? error;
    });
  }

  /** Returns the caller whose identity signs; undefined for the service. */
  #signer({ caller }: CallOptions): string | undefined {
    return this.#options.signAs === 'service' ? undefined : caller;
  }

  #history(id: string, options: CallOptions): AssetHistory {
    const caller = this.#signer(options);
    const evaluate = (call: LedgerCall): Promise<Uint8Array> => this.#raw.evaluate(call, { caller });
    return new AssetHistory(id, this.#options.chaincode, { queries: this.#queries, evaluate, caller });
  }

  /** Submits a call of any chaincode: under its key, or as a new transaction after each conflict. */
  #submitRaw(
    call: LedgerCall,
    { caller, idempotency, onStage, onAccepted }: FabricCallOptions,
    { readResult, condition }: CallTerms = {},
  ): Promise<SubmitResult> {
    const { signers, transport } = this.#network;
    const { idempotencyDays, limits, onCommit } = this.#options;
    const named = this.#fabricCall(call, caller);
    const since = performance.now();
    const submit = async (id?: GivenId): Promise<RecordedTransaction> => {
      const terms = { id, onStage, onAccepted };
      const transact = (): Promise<RecordedTransaction> =>
        condition === undefined ? transport.submit(named, terms) : submitIf(condition, transport, named, terms);
      const recorded = await this.#explained(named, call, () => this.#carry(caller, transact), true);
      const { blockNumber, validationCode } = await this.#firstCopy(recorded);
      if (validationCode === 0)
        onCommit?.({ blockNumber, transactions: 1, seconds: (performance.now() - since) / 1000 });
      return { ...recorded, blockNumber, validationCode };
    };
    if (idempotency === undefined) {
      return retryConflicts(async () => {
        const { transactionId, blockNumber, validationCode, result } = await submit();
        if (validationCode !== 0) throw validationError(validationCode, transactionId);
        return { transactionId, blockNumber, result };
      }, onAccepted !== undefined);
    }
    return submitKeyed({
      channel: this.channel,
      call: named,
      caller,
      idempotency,
      creators: () => signers.creatorsOfKey(caller, idempotency, idempotencyDays),
      submit,
      queries: this.#queries,
      // A keyed write may search for an orderer for as long as orderers may take to accept a transaction.
      retryFor: limits.submit,
      readResult,
      isAnnounced: onAccepted !== undefined,
    });
  }

  /** Returns how to make a call: with the semantics of the asset contract, or of the chaincode that the call names. */
  #callsOf({ chaincode }: LedgerCall): ChaincodeClient {
    return chaincode === undefined ? this.#chaincode : this.#raw;
  }

  #fabricCall(call: LedgerCall, caller: string | undefined): FabricCall {
    return { ...call, channel: this.channel, chaincode: call.chaincode ?? this.#options.chaincode, caller };
  }

  /**
   * Runs a call of a chaincode. When no peer can endorse it, checks whether the chaincode is defined on the channel.
   * @param mayRepeat - whether it is repeated for as long as that may be temporary
   */
  async #explained<T>(named: FabricCall, call: LedgerCall, work: () => Promise<T>, mayRepeat: boolean): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      const isMissing = isFault(cause, 'chaincode-unknown');
      if (!isMissing && !isFault(cause, 'endorsers-missing')) throw cause;
      const { chaincode, caller } = named;
      if (!isMissing && (await this.#queries.isDefined(chaincode, caller)) !== false) {
        if (!mayRepeat) throw cause;
        return this.#endorsers.repeat(named, cause, work);
      }
      const text = `There is no chaincode ${chaincode} on channel ${this.channel}`;
      if (call.chaincode !== undefined) throw new LedgerError('LEDGER.CHAINCODE_UNKNOWN', `${text}.`, { cause });
      if (isMissing) throw cause;
      throw new LedgerError('LEDGER.MISCONFIGURED', `${text}: check LEDGER_CHAINCODE, or commit it there.`, { cause });
    }
  }

  /** Returns the outcome of the first copy when a transaction was ordered twice: the second one is marked as a duplicate. */
  async #firstCopy(recorded: RecordedTransaction): Promise<Pick<LedgerTransaction, 'blockNumber' | 'validationCode'>> {
    if (recorded.validationCode !== DUPLICATE_TRANSACTION) return recorded;
    return (await this.#queries.transactionById(recorded.transactionId)) ?? recorded;
  }

  /** Runs a call in a slot, and again after a pause when a peer refuses it because it has too many calls. */
  async #carry<T>(caller: string | undefined, attempt: () => Promise<T>): Promise<T> {
    const { slots } = this.#network;
    for (let attempts = 1; ; attempts++) {
      try {
        return await slots.run(attempt);
      } catch (cause) {
        const error = this.#membership === undefined ? cause : await this.#membership.explain(cause);
        if (isIdentityRefused(error) && caller !== undefined) throw this.#access.refusal(caller, error);
        // Without an endpoint it is this program's own queue that is full.
        if (!isLedgerError(error, 'LEDGER.OVERLOADED') || error.endpoint === undefined) throw error;
        if (attempts === OVERLOAD_ATTEMPTS) throw error;
        await pause(jittered(attempts, OVERLOAD_DELAY));
      }
    }
  }

  /** Returns lists that fail once the ledger is closed. */
  #whileOpen(lists: ChainLists): ChainLists {
    const { totals, records, recordAt } = lists;
    return {
      blocks: (page) => this.#whenOpen(() => lists.blocks(page)),
      transactions: (page) => this.#whenOpen(() => lists.transactions(page)),
      assetAt: (id, block, options) => this.#whenOpen(() => lists.assetAt(id, block, options)),
      assetHistory: (id, page, options) => this.#whenOpen(() => lists.assetHistory(id, page, options)),
      search: (query, options) => this.#whenOpen(() => lists.search(query, options)),
      ...(totals !== undefined && { totals: () => this.#whenOpen(totals) }),
      ...(records !== undefined && { records: (page, options) => this.#whenOpen(() => records(page, options)) }),
      ...(recordAt !== undefined && {
        recordAt: (record, block, options) => this.#whenOpen(() => recordAt(record, block, options)),
      }),
    };
  }

  async #whenOpen<T>(work: () => Promise<T>): Promise<T> {
    if (this.#network.closed.aborted) throw new LedgerError('LEDGER.UNAVAILABLE', 'The ledger is closed.');
    return work();
  }
}

/** Attempts of a transaction that conflicts with others. */
const CONFLICT_ATTEMPTS = 6;
const CONFLICT_DELAY = { base: 40, most: 1000 };

/**
 * Retries a transaction after conflicts. Each attempt is a new transaction with its own id, simulated on the present state.
 * @param isAnnounced - whether a recorded transaction is not retried, because the caller has received its id
 * Peers that endorsed different results may be at different heights.
 * @throws `LEDGER.CONFLICT` or `LEDGER.NOT_DETERMINISTIC` of the last attempt, else what the attempt throws
 */
async function retryConflicts<T>(attempt: () => Promise<T>, isAnnounced: boolean): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const isConflict = isLedgerError(error, 'LEDGER.CONFLICT') || isFault(error, 'answers-differ');
      if (!isConflict || attempts === CONFLICT_ATTEMPTS) throw error;
      if (isAnnounced && error.transactionId !== undefined) throw error;
      await pause(jittered(attempts, CONFLICT_DELAY));
    }
  }
}
