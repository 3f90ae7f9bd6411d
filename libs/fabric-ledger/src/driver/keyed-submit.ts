import { transactionIdOf } from '#fabric-codec/encode';
import { isLedgerError, isRefusal, type LedgerCall, LedgerError, type SubmitResult } from '#ledger-gateway';
import {
  type IdempotencyKey,
  outcomeUnknown,
  attemptNonce,
  readAttempt,
  type RecordedAttempt,
} from '#ledger-gateway/driver';
import { isFault } from './call-errors.js';
import type { ChainQueries } from './chain.js';
import type { ReadResult } from './chaincode-client.js';
import type { GivenId, RecordedTransaction } from './fabric-transport.js';
import { jittered, pause } from './waiting.js';

/** A write that has an idempotency key. */
export interface KeyedWriteOptions {
  readonly channel: string;
  readonly call: LedgerCall & { readonly chaincode: string };
  readonly caller: string | undefined;
  readonly idempotency: IdempotencyKey;
  /** Returns the identities under which the write may be recorded, the one that signs now first. */
  readonly creators: () => Promise<readonly [Uint8Array, ...Uint8Array[]]>;
  /** Endorses and orders the transaction with that id, and waits until it is recorded. */
  readonly submit: (id: GivenId) => Promise<RecordedTransaction>;
  readonly queries: ChainQueries;
  /** Milliseconds for which a transaction that was not ordered is sent again. */
  readonly retryFor: number;
  /** Returns the result for the caller; by default the payload. */
  readonly readResult?: ReadResult | undefined;
  /** Whether a transaction that was sent is not attempted again, because the caller has received its id. */
  readonly isAnnounced: boolean;
}

/** Pause before the same id is sent again, in addition to what {@link jittered} adds. */
const PAUSE_MS = 20;
const RESEND_DELAY = { base: 20, most: 1000 - PAUSE_MS };
const CONFLICT_DELAY = { base: 40, most: 1000 };
const MAX_CONFLICTS = 6;
/** Look-ups of a refused write: the peer that refused it may know of a copy's commit before the peer that is queried. */
const LOOKUPS_AFTER_REFUSAL = 2;

/**
 * Submits a write that has an idempotency key. Endorsements, commit statuses and error texts describe *a* transaction with
 * that id, which may be another copy's. So the id is always looked up, and the result is made of what is recorded.
 * @throws what the port lists for keyed writes
 */
export async function submitKeyed(options: KeyedWriteOptions): Promise<SubmitResult> {
  const write = new KeyedWrite(options);
  for (;;) {
    const result = await write.run();
    if (result !== undefined) return result;
  }
}

/** One attempt, and what this call knows of it. */
interface Attempt {
  readonly id: GivenId;
  /** Whether this call has sent it to the orderers, or may have. */
  isSent: boolean;
  /** Why the last try of this call failed, if it did. */
  failure: unknown;
  recorded: RecordedTransaction | undefined;
}

class KeyedWrite {
  readonly #options: KeyedWriteOptions;
  /** Limits how long the same id is sent again. */
  readonly #deadline: number;

  constructor(options: KeyedWriteOptions) {
    this.#options = options;
    this.#deadline = Date.now() + options.retryFor;
  }

  /** @returns undefined when the identity that signs was replaced meanwhile, so that the write must start again */
  async run(): Promise<SubmitResult | undefined> {
    const [present, ...earlier] = await this.#options.creators();
    const found = await Promise.all(earlier.map((creator) => this.#runUnder(creator, (it) => this.#lookUp(it.id))));
    const result = found.find((write) => write !== undefined);
    return result ?? this.#runUnder(present, (attempt) => this.#complete(attempt));
  }

  /**
   * Executes the attempts of one identity.
   * @param record - returns an attempt that is recorded, or undefined when the attempts of this identity end with it
   */
  async #runUnder(
    creator: Uint8Array,
    record: (attempt: Attempt) => Promise<RecordedAttempt | undefined>,
  ): Promise<SubmitResult | undefined> {
    for (let number = 0, conflicts = 0; ; number++) {
      const attempt = this.#attempt(number, creator);
      const recorded = await record(attempt);
      if (recorded === undefined) return undefined;
      const result = await this.#resultOf(attempt, recorded);
      if (result !== undefined) return result;
      if (!attempt.isSent) continue;
      conflicts += 1;
      const isLast = conflicts === MAX_CONFLICTS || this.#options.isAnnounced;
      if (isLast || !(await this.#pause(jittered(conflicts, CONFLICT_DELAY)))) {
        throw new LedgerError('LEDGER.CONFLICT', 'Every attempt conflicted with concurrent writes to the same data.');
      }
    }
  }

  #attempt(number: number, creator: Uint8Array): Attempt {
    const nonce = attemptNonce(this.#options.channel, this.#options.idempotency, number);
    const id = { nonce, transactionId: transactionIdOf(nonce, creator) };
    return { id, isSent: false, failure: undefined, recorded: undefined };
  }

  /**
   * Sends an attempt until it is recorded.
   * @returns undefined when another identity signs now
   */
  async #complete(attempt: Attempt): Promise<RecordedAttempt | undefined> {
    let refusals = 0;
    for (let tries = 0; ; tries++) {
      // A transaction that an orderer may have is not sent again: it is waited for.
      if (!attempt.isSent) await this.#send(attempt);
      const recorded = await this.#tryLookUp(attempt);
      if (recorded !== undefined) return recorded;
      const { failure } = attempt;
      if (isFault(failure, 'signer-replaced')) return undefined;
      if (isRefusal(failure)) refusals += 1;
      if (refusals === LOOKUPS_AFTER_REFUSAL || isFinal(failure)) throw failure;
      if (!(await this.#pause(PAUSE_MS + jittered(tries, RESEND_DELAY)))) throw timeoutError(attempt);
    }
  }

  #pause(milliseconds: number): Promise<boolean> {
    return pause(milliseconds, { deadline: this.#deadline });
  }

  async #send(attempt: Attempt): Promise<void> {
    try {
      attempt.failure = undefined;
      attempt.recorded = await this.#options.submit(attempt.id);
      attempt.isSent = true;
    } catch (error) {
      attempt.failure = error;
      attempt.isSent = isLedgerError(error, 'LEDGER.OUTCOME_UNKNOWN');
    }
  }

  /** Looks an attempt up. An attempt that cannot be looked up may be recorded. */
  async #tryLookUp(attempt: Attempt): Promise<RecordedAttempt | undefined> {
    try {
      return await this.#lookUp(attempt.id);
    } catch (error) {
      if (isAboutWrite(error) || isFinal(error)) throw error;
      // A refusal does not count while it is unknown whether a copy was recorded.
      attempt.failure = error;
      return undefined;
    }
  }

  #lookUp({ transactionId }: GivenId): Promise<RecordedAttempt | undefined> {
    return this.#options.queries.recordedTransaction(transactionId, this.#options.caller);
  }

  /** @returns undefined for a conflict */
  async #resultOf(
    { id: { transactionId }, isSent, recorded: sent }: Attempt,
    recorded: RecordedAttempt,
  ): Promise<SubmitResult | undefined> {
    const { call, readResult = ({ payload }) => payload } = this.#options;
    const write = readAttempt(call, recorded);
    if (write === undefined) return undefined;
    // A copy that was ordered as well is reported too, with its own code and block.
    const isOwn = sent?.validationCode === recorded.validationCode;
    const blockNumber = isOwn ? sent.blockNumber : await this.#blockOf(transactionId);
    return { transactionId, blockNumber, result: readResult(write), ...(!isSent && { isReplay: true }) };
  }

  async #blockOf(transactionId: string): Promise<number> {
    const found = await this.#options.queries.transactionById(transactionId, this.#options.caller);
    if (found !== undefined) return found.blockNumber;
    const text = `The peers do not agree yet on the block of transaction ${transactionId}.`;
    throw new LedgerError('LEDGER.UNAVAILABLE', text, { transactionId });
  }
}

/** Returns whether an error of a look-up is a finding about the write itself. */
function isAboutWrite(error: unknown): boolean {
  return isLedgerError(error, 'LEDGER.OUTCOME_PRUNED') || isLedgerError(error, 'LEDGER.DAMAGED');
}

/** Returns whether the same id would fail in the same way. */
function isFinal(failure: unknown): boolean {
  if (failure === undefined || isRefusal(failure) || isFault(failure, 'answers-differ')) return false;
  return !isLedgerError(failure) || !(failure.retryable || isLedgerError(failure, 'LEDGER.OUTCOME_UNKNOWN'));
}

function timeoutError({ id: { transactionId }, isSent, failure: cause }: Attempt): unknown {
  if (isLedgerError(cause, 'LEDGER.OUTCOME_UNKNOWN')) return cause;
  if (isSent) return outcomeUnknown(transactionId, 'no queried peer has recorded it yet.', { cause });
  if (!isFault(cause, 'duplicate')) return cause;
  const text = 'Another copy of this write is running and did not finish in time.';
  return new LedgerError('LEDGER.KEY_IN_USE', text, { transactionId });
}
