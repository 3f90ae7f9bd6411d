import type { ContractEvent } from '#contract-kit';
import { compareText, type ProposalParts, type ReadWriteSets } from '#fabric-codec/encode';
import type { CallArgument } from '#ledger-gateway';
import type { PackedMap } from '#threads';
import type { PrivateTransaction, PrivateWrites } from '../private/private-values.js';
import { changesIn, type StateChange } from '../store/derived-tables.js';
import { endOf, storedKey } from '../store/schema.js';

/** A write to execute. */
export interface WriteRequest {
  /** The name under which its contract is called, or the chaincode of a finished simulation. */
  readonly chaincode: string;
  readonly function: string;
  readonly arguments: readonly CallArgument[];
  /** Number of the identity that signs; `SERVICE_SIGNER` for calls without a caller. */
  readonly signer: number;
  /** For a contract of the ledger's own. */
  readonly transient?: PackedMap;
  /** Hexadecimal, of 24 random bytes or of the 32 of a keyed write: strings are cheaper to clone than small buffers. */
  readonly nonce: string;
  /** Hexadecimal SHA-256 of nonce and creator. */
  readonly transactionId: string;
  /** The result of a call of a chaincode, which was simulated on another thread; undefined for a contract of the ledger's own. */
  readonly finished?: FinishedSimulation;
}

/** The result of a simulated call. */
export interface Simulation {
  /** Namespaces and the keys of their writes in byte order, as they are encoded: the order of history entries follows from it. */
  readonly readWriteSets: ReadWriteSets;
  /** With plain keys and values; undefined if there are none. */
  readonly privateWrites?: PrivateWrites | undefined;
  /** The response payload. */
  readonly payload: Uint8Array;
  readonly event?: ContractEvent | undefined;
}

/** A simulation whose proposal and response are encoded already. */
export interface FinishedSimulation extends Simulation {
  /** Number of blocks when it ran. */
  readonly height: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly proposal: ProposalParts;
  /** Message `protos.ProposalResponsePayload`. */
  readonly response: Uint8Array;
}

/** A simulated transaction, to be written in a block. */
export interface SimulatedTransaction extends Simulation {
  readonly request: WriteRequest;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
}

/** Signed transactions that become a block. */
export interface SealedBlock {
  readonly number: number;
  readonly transactions: readonly SimulatedTransaction[];
  readonly envelopes: readonly Uint8Array[];
  readonly writes: readonly StateChange[];
}

/** Most transactions in one block. */
export const MAX_BLOCK_TRANSACTIONS = 100;

/** Fewest signed transactions that become a block while others are still being signed. */
const EARLY_BLOCK_TRANSACTIONS = 24;

/** A simulated transaction in the open block. */
export interface StagedTransaction extends SimulatedTransaction {
  /** Undefined until it is signed. */
  envelope: Uint8Array | undefined;
}

/** The block that is being assembled: simulated transactions in order, of which the signed ones at the front become a block. */
export class OpenBlock {
  readonly #staged: StagedTransaction[] = [];
  /** Number of staged writes by namespace and key. */
  readonly #written = new Map<string, number>();

  get length(): number {
    return this.#staged.length;
  }

  get isFull(): boolean {
    return this.#staged.length >= MAX_BLOCK_TRANSACTIONS;
  }

  get hasWrites(): boolean {
    return this.#written.size > 0;
  }

  isWritten(namespace: string, key: string): boolean {
    return this.#written.has(storedKey(namespace, key));
  }

  /** Returns whether a key in a range is written; an empty `end` is no bound. */
  hasWriteIn(namespace: string, start: string, end: string): boolean {
    const first = storedKey(namespace, start);
    const last = end === '' ? endOf(namespace) : storedKey(namespace, end);
    return [...this.#written.keys()].some((key) => compareText(key, first) >= 0 && compareText(key, last) < 0);
  }

  /** Adds a transaction. */
  place(simulated: SimulatedTransaction): StagedTransaction {
    const staged = { ...simulated, envelope: undefined };
    this.#staged.push(staged);
    for (const stored of writtenKeys(simulated)) this.#written.set(stored, (this.#written.get(stored) ?? 0) + 1);
    return staged;
  }

  /** Removes the signed transactions at the front, or returns undefined if they are not all signed and too few. */
  seal(number: number): SealedBlock | undefined {
    const unsigned = this.#staged.findIndex(({ envelope }) => envelope === undefined);
    const count = unsigned < 0 ? this.#staged.length : unsigned;
    const least = unsigned < 0 ? 1 : EARLY_BLOCK_TRANSACTIONS;
    if (count < least) return undefined;
    const transactions = this.#staged.splice(0, count);
    const envelopes = transactions.flatMap(({ envelope }) => envelope ?? []);
    const writes: StateChange[] = [];
    for (const [position, { readWriteSets }] of transactions.entries()) {
      for (const [namespace, set] of readWriteSets) writes.push(...changesIn(namespace, set, position));
    }
    for (const { stored } of writes) this.#release(stored);
    return { number, transactions, envelopes, writes };
  }

  /** Removes transactions that are not to be written; returns those that are still in the block. */
  remove(transactions: readonly StagedTransaction[]): readonly SimulatedTransaction[] {
    const removed = transactions.filter((transaction) => this.#staged.includes(transaction));
    for (const transaction of removed) {
      this.#staged.splice(this.#staged.indexOf(transaction), 1);
      for (const stored of writtenKeys(transaction)) this.#release(stored);
    }
    return removed;
  }

  /** Removes all transactions. */
  clear(): readonly SimulatedTransaction[] {
    this.#written.clear();
    return this.#staged.splice(0);
  }

  #release(stored: string): void {
    const others = (this.#written.get(stored) ?? 1) - 1;
    if (others === 0) this.#written.delete(stored);
    else this.#written.set(stored, others);
  }
}

function* writtenKeys({ readWriteSets }: Simulation): Generator<string> {
  for (const [namespace, { writes, metadataWrites = [] }] of readWriteSets) {
    for (const { key } of [...writes, ...metadataWrites]) yield storedKey(namespace, key);
  }
}

/** Returns the transactions with private writes. */
export function privateTransactions(transactions: readonly SimulatedTransaction[]): readonly PrivateTransaction[] {
  return transactions.flatMap(({ request: { transactionId }, privateWrites }) => {
    return privateWrites === undefined ? [] : { transactionId, privateWrites };
  });
}
