import type { OnApplicationShutdown } from '@nestjs/common';
import {
  idOfKey,
  type AssetChange,
  type AssetFilter,
  type BlockSummary,
  type CallOptions,
  type ChainInfo,
  type ConnectionState,
  type IdempotencyKey,
  type Ledger,
  type LedgerBlock,
  type LedgerCall,
  type LedgerChannel,
  type LedgerTransaction,
  type Page,
  type PageAfter,
  type PageBefore,
  type SubmitResult,
  type TransactionFilter,
  type TransactionSummary,
} from '#ledger-gateway';

const DAY_MS = 24 * 3600 * 1000;

/** Whose write it is, and under which key it may be sent again. */
export interface WriteOptions {
  /** The name of who asks for it; undefined while nobody has to say so. */
  readonly caller: string | undefined;
  /** The same key of the same caller with the same call is the same transaction. */
  readonly key?: string | undefined;
}

/** How calls are made. */
export interface GatewayOptions {
  /** Whether a caller's own identity signs for it, and not the service's. */
  readonly sign: boolean;
  /** Days for which a keyed write is also looked for under certificates that sign no more. */
  readonly idempotencyDays: number;
}

/**
 * The opened ledger, for every feature: the one place where the API calls its port. What it throws are the port's errors,
 * which the errors' filter answers.
 */
export class LedgerGateway implements OnApplicationShutdown {
  readonly #ledger: Ledger;
  readonly #channel: LedgerChannel;
  readonly #options: GatewayOptions;

  constructor(ledger: Ledger, options: GatewayOptions) {
    this.#ledger = ledger;
    this.#options = options;
    this.#channel = ledger.channel();
  }

  /** Runs a function of the contract, or of the chaincode that the call names, as a transaction; resolves when that is committed and durable. */
  submit(call: LedgerCall, { caller, key }: WriteOptions): Promise<SubmitResult> {
    if (key === undefined) return this.#channel.submit(call, this.#signedBy(caller));
    const since = Date.now() - this.#options.idempotencyDays * DAY_MS;
    return this.#channel.submit(call, { ...this.#signedBy(caller), idempotency: { ...keyOf({ caller, key }), since } });
  }

  /** The id of what is created under a key without one: the same for every copy of the request. */
  idOfKey(key: string, caller: string | undefined): string {
    return idOfKey(this.#channel.name, keyOf({ caller, key }));
  }

  /**
   * Runs a function of the contract, or of the chaincode that the call names, on committed state and gives what it returns; nothing is recorded.
   * @param caller - the name of who asks
   */
  evaluate(call: LedgerCall, caller: string | undefined): Promise<Uint8Array> {
    return this.#channel.evaluate(call, this.#signedBy(caller));
  }

  /** Checks that the ledger accepts a caller's identity, where callers sign for themselves. */
  async authorize(caller: string): Promise<void> {
    if (this.#options.sign) await this.#channel.authorize(caller);
  }

  get channelName(): string {
    return this.#channel.name;
  }

  /** Undefined when the chain has none of that number. */
  blockByNumber(number: number): Promise<LedgerBlock | undefined> {
    return this.#channel.blockByNumber(number);
  }

  blocks(page: PageBefore<number>): Promise<Page<BlockSummary, number>> {
    return this.#channel.blocks(page);
  }

  transactions(page: PageBefore & TransactionFilter): Promise<Page<TransactionSummary>> {
    return this.#channel.transactions(page);
  }

  /** @param caller - the name of who asks */
  assets(page: PageAfter & AssetFilter, caller: string | undefined): Promise<Page<string, string>> {
    return this.#channel.assets(page, this.#signedBy(caller));
  }

  /** @param caller - the name of who asks */
  assetHistory(id: string, page: PageBefore, caller: string | undefined): Promise<Page<AssetChange>> {
    return this.#channel.assetHistory(id, page, this.#signedBy(caller));
  }

  /** The head of the chain. */
  chainInfo(): Promise<ChainInfo> {
    return this.#channel.chainInfo();
  }

  /** Blocks from that number on, in order and without gaps, and each new one, until the signal. */
  blockEvents(startBlock: number, signal: AbortSignal): AsyncIterable<LedgerBlock> {
    return this.#channel.blockEvents({ startBlock, signal });
  }

  /** @param transactionId - 64 lower-case hexadecimal characters */
  transactionById(transactionId: string): Promise<LedgerTransaction | undefined> {
    return this.#channel.transactionById(transactionId);
  }

  /**
   * What proves a transaction to others, as JSON.
   * @param transactionId - 64 lower-case hexadecimal characters
   */
  receipt(transactionId: string): Promise<string | undefined> {
    return this.#channel.receipt(transactionId);
  }

  /** Whether calls can be expected to work now. */
  connectionState(): Promise<ConnectionState> {
    return this.#ledger.connectionState();
  }

  /** Submitted transactions that wait for their commit. */
  queueLength(): number {
    return this.#channel.queueLength();
  }

  #signedBy(caller: string | undefined): CallOptions {
    return this.#options.sign && caller !== undefined ? { caller } : {};
  }

  /** Closes the ledger after the listeners have drained: the earlier hooks run while requests are still in flight. */
  async onApplicationShutdown(): Promise<void> {
    await this.#ledger.close();
  }
}

/** Each caller has a space of keys of its own, whoever signs. */
function keyOf({ caller, key }: { readonly caller: string | undefined; readonly key: string }): IdempotencyKey {
  return caller === undefined ? { key } : { key, owner: caller };
}
