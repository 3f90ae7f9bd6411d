import type { CommitListener, Network, TxEventHandler } from 'fabric-network';
import { LedgerError } from '../../errors/ledger.errors.js';
import { validationCode } from '../../fabric-client/call-errors.js';
import type { StageLimits, FabricCallOptions } from '../../fabric-client/fabric-transport.js';
import { isWithin } from '../../fabric-client/waiting.js';

/** The block of a transaction and its validation code. */
export interface RecordedAt {
  readonly blockNumber: number;
  readonly validationCode: number;
}

/** Options of {@link CommitWatch}. */
export interface CommitWatchOptions {
  readonly network: Network;
  /** The commit events of this organization's peers are used. */
  readonly mspId: string;
  readonly transactionId: string;
  readonly limits: StageLimits;
  readonly options: FabricCallOptions;
  /** Looks the transaction up at the peers. */
  readonly lookUp: () => Promise<RecordedAt | undefined>;
}

/** The peers are queried when no event arrived for this time: the SDK's event stream may have ended silently. */
const LOOK_UP_AFTER_MS = 3000;

/** Waits for the commit of a transaction, also without events. It keeps the SDK from ordering after the deadline. */
export class CommitWatch implements TxEventHandler {
  readonly #options: CommitWatchOptions;
  readonly #reported = Promise.withResolvers<undefined>();
  readonly #listener: CommitListener;
  #outcome: RecordedAt | undefined;
  #isOrdering = false;
  #isCancelled = false;
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
  }

  /** The outcome of the transaction, if known. */
  get outcome(): RecordedAt | undefined {
    return this.#outcome;
  }

  /** Whether an orderer may have the transaction. */
  get isOrdering(): boolean {
    return this.#isOrdering;
  }

  /** Whether the transaction was found by a query because no event reported it. */
  get missedEvents(): boolean {
    return this.#missedEvents;
  }

  /** Keeps the transaction from being ordered, unless it already was. */
  cancel(): void {
    this.#isCancelled = true;
  }

  /** Called by the SDK between endorsement and ordering; if it throws, the transaction is not ordered. */
  async startListening(): Promise<void> {
    const { network, mspId, transactionId, options } = this.#options;
    const channel = network.getChannel();
    await requireOrderer(channel);
    await network.addCommitListener(this.#listener, channel.getEndorsers(mspId), transactionId);
    const { signal, deadline = Infinity } = options;
    if (this.#isCancelled || signal?.aborted === true || deadline <= Date.now()) {
      throw new LedgerError('LEDGER.TIMEOUT', 'The timeout was over before the transaction was ordered.');
    }
    this.#isOrdering = true;
  }

  /** Called by the SDK after ordering; resolves when the outcome is known or the timeout is over. */
  waitForEvents(): Promise<void> {
    return this.waitForOutcome(this.#options.limits.commit);
  }

  /** Waits for the outcome, at most for a time. */
  async waitForOutcome(limitMs: number): Promise<void> {
    const { signal, deadline = Infinity } = this.#options.options;
    const until = Math.min(Date.now() + limitMs, deadline);
    while (this.#outcome === undefined && Date.now() < until && signal?.aborted !== true) {
      const isReported = await isWithin(Math.min(LOOK_UP_AFTER_MS, until - Date.now()), this.#reported.promise);
      if (!isReported) await this.#lookUp();
    }
  }

  cancelListening(): void {
    stopListening(this.#options.network, this.#listener);
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
