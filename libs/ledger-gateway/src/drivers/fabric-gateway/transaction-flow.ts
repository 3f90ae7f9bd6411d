import type { Commit, Status, SubmittedTransaction, Transaction } from '@hyperledger/fabric-gateway';
import type { CallPlace } from '../../fabric-client/call-errors.js';
import type { StageLimits, FabricCallOptions } from '../../fabric-client/fabric-transport.js';
import { jittered, pause } from '../../fabric-client/waiting.js';
import { isUnavailable, mayAskStatusAgain, orderingFailure, uncertainError } from './gateway-errors.js';
import { grpcOptions } from './peer-pool.js';
import type { PeerPool, PeerSession } from './peer-pool.js';

/** What is needed to bring one endorsed transaction to its end. */
export interface TransactionFlowOptions {
  readonly transaction: Transaction;
  readonly peer: PeerSession;
  readonly pool: PeerPool;
  readonly place: CallPlace;
  readonly limits: StageLimits;
  readonly options: FabricCallOptions;
}

/** Attempts to hand a transaction over while it is certain that no orderer has it: then the caller may try again himself. */
const CERTAIN_ATTEMPTS = 5;
const DELAY = { base: 100, most: 1000 };

/**
 * An endorsed transaction on its way into the chain. Handing the same signed transaction over again is safe: it has one
 * id, and of several copies at most one becomes valid.
 */
export class TransactionFlow {
  readonly #it: TransactionFlowOptions;
  #peer: PeerSession;

  constructor(options: TransactionFlowOptions) {
    this.#it = options;
    this.#peer = options.peer;
  }

  /**
   * Hands the transaction to the orderers.
   * @throws `LEDGER.OUTCOME_UNKNOWN` when one of them may have it, else why none has
   */
  async order(): Promise<SubmittedTransaction> {
    const { transaction, limits } = this.#it;
    const options = this.#within(limits.submit);
    let isCertain = true;
    for (let attempt = 0; ; attempt++) {
      try {
        const again = attempt === 0 ? transaction : this.#peer.gateway.newTransaction(transaction.getBytes());
        return await again.submit(grpcOptions(options, limits.submit));
      } catch (error) {
        const failure = orderingFailure(error, { ...this.#it.place, endpoint: this.#peer.endpoint });
        isCertain &&= failure.isCertain;
        const isLast = !failure.mayRepeat || (isCertain && attempt + 1 === CERTAIN_ATTEMPTS);
        if (isLast || !(await pause(jittered(attempt, DELAY), options))) {
          throw isCertain ? failure.error : uncertainError(error, transaction.getTransactionId(), this.#peer.endpoint);
        }
        await this.#elsewhere(error);
      }
    }
  }

  /**
   * Waits until the transaction stands in a block.
   * @throws `LEDGER.OUTCOME_UNKNOWN` when no peer tells in time
   */
  async commitStatus(submitted: SubmittedTransaction): Promise<Status> {
    const { limits } = this.#it;
    const options = this.#within(limits.commit);
    for (let attempt = 0; ; attempt++) {
      try {
        const commit: Commit = attempt === 0 ? submitted : this.#peer.gateway.newCommit(submitted.getBytes());
        return await commit.getStatus(grpcOptions(options, limits.commit));
      } catch (error) {
        if (!mayAskStatusAgain(error) || !(await pause(jittered(attempt, DELAY), options))) {
          throw uncertainError(error, submitted.getTransactionId(), this.#peer.endpoint);
        }
        await this.#elsewhere(error);
      }
    }
  }

  /** Turns to the next peer when this one cannot be reached. */
  async #elsewhere(error: unknown): Promise<void> {
    if (!isUnavailable(error)) return;
    this.#it.pool.demote(this.#peer);
    [this.#peer] = await this.#it.pool.sessions(this.#it.options.caller);
  }

  #within(limit: number): FabricCallOptions {
    const { deadline = Infinity, signal } = this.#it.options;
    return { deadline: Math.min(deadline, Date.now() + limit), ...(signal === undefined ? {} : { signal }) };
  }
}
