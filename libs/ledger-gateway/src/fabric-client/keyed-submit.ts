import { LedgerError, isLedgerError, isRefusal, outcomeUnknown } from '../errors/ledger.errors.js';
import { transactionIdOf } from '../fabric-blocks/encode/hashes.js';
import { attemptNonce, type IdempotencyKey } from '../idempotency/attempt-ids.js';
import { readAttempt, type RecordedAttempt, type RecordedWrite } from '../idempotency/recorded-write.js';
import type { LedgerCall, SubmitResult } from '../ports/ledger.port.js';
import type { FabricCallOptions, GivenId, RecordedTransaction } from './fabric-transport.js';
import { jittered, pause } from './waiting.js';
import { isFault } from './call-errors.js';
import type { ChainQueries } from './chain.js';

/** What keyed writes need of their channel. */
export interface KeyedSubmitOptions {
  readonly channel: string;
  readonly chaincode: string;
  /** Returns the identities under which the write may be recorded, the one that signs now first. */
  readonly creators: () => Promise<readonly Uint8Array[]>;
  /** Makes the transaction of that id: endorsed, ordered, recorded. */
  readonly submit: (call: LedgerCall, id: GivenId, options: FabricCallOptions) => Promise<RecordedTransaction>;
  readonly queries: ChainQueries;
  /** Milliseconds for which what is known not to be ordered is sent again, where a call has no deadline. */
  readonly repeatFor: number;
}

/** The options of a call that has a key. */
export type KeyedOptions = FabricCallOptions & { readonly idempotency: IdempotencyKey };

/** What a recorded write is to its caller; the payload unless a chaincode says nothing in it. */
export type ReadResult = (recorded: RecordedWrite) => Uint8Array;

/** Before the same id is sent again, beside what {@link jittered} adds. */
const PAUSE_MS = 20;
const AGAIN = { base: 20, most: 1000 - PAUSE_MS };
/** As for writes without a key. */
const AFTER_CONFLICT = { base: 40, most: 1000 };
const MOST_CONFLICTS = 6;
/** Looks for a refused write: the peer that refused may know of a copy's commit before the one that is asked. */
const LOOKS_AFTER_REFUSAL = 2;
/** The last look is taken although the time is up. */
const LAST_LOOK_MS = 2000;

/**
 * Submits a write that has a key. Endorsements, commit statuses and texts of errors say what became of *a* transaction of
 * that id, not of whose: so whatever comes back, the id is looked up, and the answer is made of what is recorded.
 * @throws what the port names for keyed writes
 */
export async function submitKeyed(
  it: KeyedSubmitOptions,
  call: LedgerCall,
  options: KeyedOptions,
  readResult: ReadResult = ({ payload }) => payload,
): Promise<SubmitResult> {
  const write = new KeyedWrite(it, call, options, readResult);
  for (;;) {
    const result = await write.run();
    if (result !== undefined) return result;
  }
}

/** What is known of one attempt. */
interface Attempt {
  readonly id: GivenId;
  /** Whether this call has sent it to the orderers, or may have. */
  isSent: boolean;
  /** Why the last try of this call failed, if it did. */
  failure: unknown;
  recorded: RecordedTransaction | undefined;
}

class KeyedWrite {
  readonly #it: KeyedSubmitOptions;
  readonly #call: LedgerCall;
  readonly #options: KeyedOptions;
  readonly #readResult: ReadResult;
  /** Until then the same id is sent again. */
  readonly #until: FabricCallOptions;

  constructor(it: KeyedSubmitOptions, call: LedgerCall, options: KeyedOptions, readResult: ReadResult) {
    const { signal, deadline = Date.now() + it.repeatFor } = options;
    this.#it = it;
    this.#call = call;
    this.#options = options;
    this.#readResult = readResult;
    this.#until = { deadline, ...(signal && { signal }) };
  }

  /** @returns undefined when the identity that signs was replaced meanwhile: then it begins anew */
  async run(): Promise<SubmitResult | undefined> {
    const [creator = new Uint8Array(), ...former] = await this.#it.creators();
    return (await this.#findUnder(former)) ?? (await this.#submitUnder(creator));
  }

  /** What was recorded under certificates that sign no more. */
  async #findUnder(former: readonly Uint8Array[]): Promise<SubmitResult | undefined> {
    for (const creator of former) {
      for (let number = 0; ; number++) {
        const attempt = this.#attempt(number, creator);
        const recorded = await this.#lookUp(attempt.id);
        if (recorded === undefined) break;
        const result = await this.#resultOf(attempt, recorded);
        if (result !== undefined) return result;
      }
    }
    return undefined;
  }

  async #submitUnder(creator: Uint8Array): Promise<SubmitResult | undefined> {
    for (let number = 0, conflicts = 0; ; number++) {
      const attempt = this.#attempt(number, creator);
      const recorded = await this.#settle(attempt);
      if (recorded === undefined) return undefined;
      const result = await this.#resultOf(attempt, recorded);
      if (result !== undefined) return result;
      if (!attempt.isSent) continue;
      conflicts += 1;
      if (conflicts === MOST_CONFLICTS || !(await pause(jittered(conflicts, AFTER_CONFLICT), this.#until))) {
        throw new LedgerError('LEDGER.CONFLICT', 'Others changed meanwhile what the write had read, in every try.');
      }
    }
  }

  #attempt(number: number, creator: Uint8Array): Attempt {
    const nonce = attemptNonce(this.#it.channel, this.#options.idempotency, number);
    const id = { nonce, transactionId: transactionIdOf(nonce, creator) };
    return { id, isSent: false, failure: undefined, recorded: undefined };
  }

  /**
   * Sends an attempt until it is recorded.
   * @returns undefined when another identity signs now
   */
  async #settle(attempt: Attempt): Promise<RecordedAttempt | undefined> {
    let refusals = 0;
    for (let tries = 0; ; tries++) {
      // What an orderer may have is waited for; sent again, it could tell no more.
      if (!attempt.isSent) await this.#send(attempt);
      const recorded = await this.#look(attempt);
      if (recorded !== undefined) return recorded;
      const { failure } = attempt;
      if (isFault(failure, 'signer-replaced')) return undefined;
      if (isRefusal(failure)) refusals += 1;
      if (refusals === LOOKS_AFTER_REFUSAL || isFinal(failure)) throw failure;
      if (!(await pause(PAUSE_MS + jittered(tries, AGAIN), this.#until))) throw lateError(attempt);
    }
  }

  async #send(attempt: Attempt): Promise<void> {
    try {
      attempt.failure = undefined;
      attempt.recorded = await this.#it.submit(this.#call, attempt.id, this.#options);
      attempt.isSent = true;
    } catch (error) {
      attempt.failure = error;
      attempt.isSent = isLedgerError(error, 'LEDGER.OUTCOME_UNKNOWN');
    }
  }

  /** Looks an attempt up; what cannot be looked up may be recorded. */
  async #look(attempt: Attempt): Promise<RecordedAttempt | undefined> {
    try {
      return await this.#lookUp(attempt.id);
    } catch (error) {
      if (isTold(error) || isFinal(error)) throw error;
      // A refusal means nothing while it is not known whether a copy was recorded.
      attempt.failure = error;
      return undefined;
    }
  }

  #lookUp({ transactionId }: GivenId): Promise<RecordedAttempt | undefined> {
    return this.#it.queries.recordedTransaction(transactionId, this.#lookLimits());
  }

  /** @returns undefined for a conflict */
  async #resultOf(
    { id, isSent, recorded: sent }: Attempt,
    recorded: RecordedAttempt,
  ): Promise<SubmitResult | undefined> {
    const { transactionId } = id;
    const write = readAttempt({ ...this.#call, chaincode: this.#it.chaincode }, recorded);
    if (write === undefined) return undefined;
    // A copy that was ordered as well is told of too, with a code and a block of its own.
    const isOwn = sent?.validationCode === recorded.validationCode;
    const blockNumber = isOwn ? sent.blockNumber : await this.#blockOf(transactionId);
    return { transactionId, blockNumber, result: this.#readResult(write), ...(!isSent && { isReplay: true }) };
  }

  async #blockOf(transactionId: string): Promise<number> {
    const found = await this.#it.queries.transactionById(transactionId, this.#lookLimits());
    if (found !== undefined) return found.blockNumber;
    throw new LedgerError(
      'LEDGER.UNAVAILABLE',
      `The peers do not agree yet on the block of transaction ${transactionId}.`,
      {
        transactionId,
      },
    );
  }

  #lookLimits(): FabricCallOptions {
    const { caller, signal, deadline = Infinity } = this.#options;
    const late = Math.max(deadline, Date.now() + LAST_LOOK_MS);
    return { ...(caller !== undefined && { caller }), ...(signal && { signal }), deadline: late };
  }
}

/** Whether an error of the look-up tells of the write itself. */
function isTold(error: unknown): boolean {
  return isLedgerError(error, 'LEDGER.OUTCOME_PRUNED') || isLedgerError(error, 'LEDGER.DAMAGED');
}

/** Whether the same id would fail in the same way. */
function isFinal(failure: unknown): boolean {
  if (failure === undefined || isRefusal(failure)) return false;
  return !(failure instanceof LedgerError) || !(failure.retryable || isLedgerError(failure, 'LEDGER.OUTCOME_UNKNOWN'));
}

function lateError({ id: { transactionId }, isSent, failure }: Attempt): unknown {
  if (isLedgerError(failure, 'LEDGER.OUTCOME_UNKNOWN')) return failure;
  if (isSent) {
    return outcomeUnknown(transactionId, 'no queried peer has recorded it yet.', { cause: failure });
  }
  if (isFault(failure, 'duplicate')) {
    return new LedgerError('LEDGER.KEY_IN_USE', 'A copy of this write is under way, and was not seen to end in time.', {
      transactionId,
    });
  }
  return failure;
}
