import type { CommitListener, Network, Transaction, TxEventHandler } from 'fabric-network';
import { type CallOptions, LedgerError, type LedgerTransaction } from '#ledger-gateway';
import { outcomeUnknown } from '#ledger-gateway/driver';
import { peerFault, validationCode } from '../driver/call-errors.js';
import type { RecordedTransaction } from '../driver/fabric-transport.js';
import { REFUSED_SIGNATURE, refusedPayload } from '../driver/refused-envelope.js';
import { isWithin } from '../driver/waiting.js';
import { endorsedResult, isRefusedByOrderer } from './network-errors.js';

/** The block of a transaction and its validation code. */
type RecordedAt = Pick<LedgerTransaction, 'blockNumber' | 'validationCode'>;

/** Options of {@link CommitWatch}. */
export interface CommitWatchOptions extends Pick<CallOptions, 'onStage' | 'onAccepted'> {
  readonly network: Network;
  readonly transaction: Transaction;
  /** The commit events of this organization's peers are used. */
  readonly mspId: string;
  /** Milliseconds from ordering to the commit. */
  readonly commitLimit: number;
  /** Looks the transaction up at the peers. */
  readonly lookUp: () => Promise<RecordedAt | undefined>;
}

/** The peers are queried when no event arrived for this time: the SDK's event stream may have ended silently. */
const LOOK_UP_AFTER_MS = 3000;
/** How long a transaction is looked for after a failure of ordering that leaves its outcome unknown. */
const WATCH_AFTER_FAILURE_MS = 5000;

/** Submits a transaction and waits for its commit, also without events. */
export class CommitWatch implements TxEventHandler {
  readonly #options: CommitWatchOptions;
  readonly #reported = Promise.withResolvers<undefined>();
  readonly #listener: CommitListener;
  #outcome: RecordedAt | undefined;
  #isOrdering = false;
  #missedEvents = false;

  constructor(options: CommitWatchOptions) {
    this.#options = options;
    this.#listener = (_error, event) => {
      if (event === undefined) return;
      this.#outcome ??= {
        blockNumber: event.getBlockEvent().blockNumber.toNumber(),
        validationCode: validationCode(event.status),
      };
      this.#reported.resolve(undefined);
    };
    options.transaction.setEventHandler(() => this);
  }

  /** Whether the transaction was found by a query because no event reported it. */
  get missedEvents(): boolean {
    return this.#missedEvents;
  }

  /**
   * Endorses and orders the transaction, and waits until it is recorded.
   * @throws `LEDGER.OUTCOME_UNKNOWN` when an orderer may have it, else the SDK's errors
   */
  async submit(args: readonly string[]): Promise<RecordedTransaction> {
    const { transaction, network } = this.#options;
    const transactionId = transaction.getTransactionId();
    let failure: unknown;
    let result: Uint8Array;
    this.#options.onStage?.('endorsement', transactionId);
    try {
      result = await transaction.submit(...args);
    } catch (error) {
      if (!this.#isOrdering || isRefusedByOrderer(error)) throw error;
      failure = error;
      result = endorsedResult(error);
      await this.#waitForOutcome(WATCH_AFTER_FAILURE_MS);
    } finally {
      stopListening(network, this.#listener);
    }
    if (this.#outcome === undefined) {
      const reason = failure instanceof Error ? failure.message : 'no peer reported it in time';
      throw outcomeUnknown(transactionId, reason, { cause: failure });
    }
    const { blockNumber, validationCode: code } = this.#outcome;
    return { transactionId, result, blockNumber, validationCode: code };
  }

  /** Called by the SDK between endorsement and ordering; if it throws, the transaction is not ordered. */
  async startListening(): Promise<void> {
    const { network, mspId, transaction, onStage } = this.#options;
    const channel = network.getChannel();
    onStage?.('ordering', transaction.getTransactionId());
    await requireOrderer(channel);
    await network.addCommitListener(this.#listener, channel.getEndorsers(mspId), transaction.getTransactionId());
    this.#isOrdering = true;
  }

  /** Called by the SDK after ordering; resolves when the outcome is known or the timeout is over. */
  waitForEvents(): Promise<void> {
    const { transaction, commitLimit, onStage, onAccepted } = this.#options;
    onStage?.('commit', transaction.getTransactionId());
    onAccepted?.(transaction.getTransactionId());
    return this.#waitForOutcome(commitLimit);
  }

  /** Called by the SDK when ordering failed. */
  cancelListening(): void {
    stopListening(this.#options.network, this.#listener);
  }

  /** Waits for the outcome, at most for a time. */
  async #waitForOutcome(limitMs: number): Promise<void> {
    const until = Date.now() + limitMs;
    while (this.#outcome === undefined && Date.now() < until) {
      const isReported = await isWithin(Math.min(LOOK_UP_AFTER_MS, until - Date.now()), this.#reported.promise);
      if (!isReported) await this.#lookUp();
    }
  }

  async #lookUp(): Promise<void> {
    const found = await this.#options.lookUp().catch(() => undefined);
    if (found === undefined || this.#outcome !== undefined) return;
    this.#outcome = found;
    this.#missedEvents = true;
  }
}

/**
 * Connects to the channel's orderers unless it is connected.
 * @throws `LEDGER.UNAVAILABLE` when none is reachable
 */
export async function requireOrderer(channel: ReturnType<Network['getChannel']>): Promise<void> {
  const orderers = channel.getCommitters();
  const connected = await Promise.all(orderers.map((orderer) => orderer.checkConnection()));
  if (connected.includes(true)) return;
  const names = orderers.map(({ name }) => name).join(', ');
  throw new LedgerError('LEDGER.UNAVAILABLE', `No orderer is reachable${names === '' ? '' : `: ${names}`}.`);
}

/**
 * Checks whether the channel's orderers serve it.
 * @param timeout - milliseconds for each
 * @throws `LEDGER.UNAVAILABLE` when one responds that it does not, and no other responds otherwise
 */
export async function requireServed(channel: ReturnType<Network['getChannel']>, timeout: number): Promise<void> {
  // The SDK encodes an envelope of this form, unlike its types state.
  const envelope = { payload: refusedPayload(channel.name), signature: REFUSED_SIGNATURE } as unknown as Buffer;
  let reason: string | undefined;
  for (const orderer of channel.getCommitters()) {
    const sent = orderer.sendBroadcast(envelope, timeout) as Promise<{ readonly info?: string }>;
    const answer = await sent.catch(() => undefined);
    if (answer === undefined) continue;
    if (peerFault(answer.info ?? '') !== 'channel-unserved') return;
    reason = answer.info;
  }
  if (reason === undefined) return;
  throw new LedgerError('LEDGER.UNAVAILABLE', `No orderer serves the channel ${channel.name}: ${reason}`);
}

/** The SDK's commit listeners, which its types do not expose. */
interface CommitListeners {
  readonly commitListeners?: Map<CommitListener, unknown>;
}

/**
 * Removes a commit listener in every case. After a broken event stream the SDK has already dropped the listener, throws when
 * it is removed, and keeps an entry that makes closing the session fail too, so that a committed write looked like a failure.
 */
export function stopListening(network: Network, listener: CommitListener): void {
  try {
    network.removeCommitListener(listener);
  } catch {
    (network as unknown as CommitListeners).commitListeners?.delete(listener);
  }
}
