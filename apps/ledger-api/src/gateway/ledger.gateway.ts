import type { OnApplicationShutdown } from '@nestjs/common';
import {
  idOfKey,
  type ChainInfo,
  type ConnectionState,
  type Ledger,
  type LedgerCall,
  type LedgerChannel,
  type LedgerTransaction,
  type SubmitResult,
} from '#ledger-gateway';

/**
 * The opened ledger, for every feature: the one place where the API calls its port. What it throws are the port's errors,
 * which the errors' filter answers.
 */
export class LedgerGateway implements OnApplicationShutdown {
  readonly #ledger: Ledger;
  readonly #channel: LedgerChannel;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    this.#channel = ledger.channel();
  }

  /**
   * Runs a function of the contract as a transaction; resolves when that is committed and durable.
   * @param key - the same key with the same call is the same transaction
   */
  submit(call: LedgerCall, key?: string): Promise<SubmitResult> {
    return this.#channel.submit(call, key === undefined ? {} : { idempotency: { key } });
  }

  /** The id of what is created under a key without one: the same for every copy of the request. */
  idOfKey(key: string): string {
    return idOfKey(this.#channel.name, { key });
  }

  /** Runs a function of the contract on committed state and gives what it returns; nothing is recorded. */
  evaluate(name: string, ...args: readonly string[]): Promise<Uint8Array> {
    return this.#channel.evaluate({ function: name, arguments: args });
  }

  /** The head of the chain. */
  chainInfo(): Promise<ChainInfo> {
    return this.#channel.chainInfo();
  }

  /** @param transactionId - 64 lower-case hexadecimal characters */
  transactionById(transactionId: string): Promise<LedgerTransaction | undefined> {
    return this.#channel.transactionById(transactionId);
  }

  /** Whether calls can be expected to work now. */
  connectionState(): Promise<ConnectionState> {
    return this.#ledger.connectionState();
  }

  /** Submitted transactions that wait for their commit. */
  queueLength(): number {
    return this.#channel.queueLength();
  }

  /** Closes the ledger after the listeners have drained: the earlier hooks run while requests are still in flight. */
  async onApplicationShutdown(): Promise<void> {
    await this.#ledger.close();
  }
}
