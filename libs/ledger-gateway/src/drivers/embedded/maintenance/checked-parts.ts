import type { BlockContent } from '../../../fabric-blocks/verify/examine-block.js';
import type { CallContent, ExaminedTransaction } from '../../../fabric-blocks/verify/examine-transaction.js';

/** What a verification looked at, so that its silence about the rest is no surprise. */
export interface CheckedParts {
  readonly configurations: number;
  /** Calls of chaincodes that were not refused. */
  readonly calls: number;
  /** Transactions that a peer refused: only their codes and ids can be checked. */
  readonly refused: number;
  /** Of creators, endorsers and orderers. */
  readonly signatures: number;
  readonly chaincodes: readonly CheckedChaincode[];
  /** Private collections, of which blocks hold hashes only. */
  readonly collections: readonly CheckedCollection[];
}

/** A chaincode that was called. */
export interface CheckedChaincode {
  readonly name: string;
  readonly calls: number;
  /** Who had to endorse it at the end of the chain. */
  readonly policy: string;
}

/** A private collection that was read or written. */
export interface CheckedCollection {
  readonly chaincode: string;
  readonly name: string;
  /** Hashed reads and writes that were replayed. */
  readonly reads: number;
  readonly writes: number;
}

/** Counts what of a chain was checked. */
export class PartsCounter {
  #configurations = 0;
  #calls = 0;
  #refused = 0;
  #signatures = 0;
  readonly #chaincodes = new Map<string, number>();
  readonly #collections = new Map<string, CheckedCollection>();

  add({ signatures, transactions }: BlockContent): void {
    this.#signatures += signatures.signers.length;
    for (const transaction of transactions) this.#addTransaction(transaction);
  }

  /** @param policyOf - says who must endorse a chaincode */
  parts(policyOf: (chaincode: string) => string): CheckedParts {
    return {
      configurations: this.#configurations,
      calls: this.#calls,
      refused: this.#refused,
      signatures: this.#signatures,
      chaincodes: [...this.#chaincodes].map(([name, calls]) => ({ name, calls, policy: policyOf(name) })),
      collections: [...this.#collections.values()],
    };
  }

  #addTransaction({ configuration, envelope }: ExaminedTransaction): void {
    if (envelope === undefined) {
      this.#refused++;
      return;
    }
    if (!envelope.isUnsigned) this.#signatures++;
    if (configuration !== undefined) this.#configurations++;
    else if (envelope.call?.content !== undefined) this.#addCall(envelope.call.content);
  }

  #addCall({ chaincode, endorsers, namespaces }: CallContent): void {
    this.#calls++;
    this.#signatures += endorsers.length;
    this.#chaincodes.set(chaincode, (this.#chaincodes.get(chaincode) ?? 0) + 1);
    for (const { namespace, collections } of namespaces) {
      for (const { collection: name, reads, writes } of collections) {
        const key = JSON.stringify([namespace, name]);
        const before = this.#collections.get(key);
        this.#collections.set(key, {
          chaincode: namespace,
          name,
          reads: (before?.reads ?? 0) + reads.length,
          writes: (before?.writes ?? 0) + writes.length,
        });
      }
    }
  }
}
