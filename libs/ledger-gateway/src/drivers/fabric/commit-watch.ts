import type { CommitListener, Network, TxEventHandler } from 'fabric-network';
import { LedgerError } from '../../errors/ledger.errors.js';
import { validationCode } from '../../fabric-client/call-errors.js';
import type { StageLimits, FabricCallOptions } from '../../fabric-client/fabric-transport.js';
import { isWithin } from '../../fabric-client/waiting.js';

/** Where a transaction stands. */
export interface RecordedAt {
  readonly blockNumber: number;
  readonly validationCode: number;
}

/** What a watch needs to know of one transaction. */
export interface CommitWatchOptions {
  readonly network: Network;
  /** Peers of this organisation tell of the commit. */
  readonly mspId: string;
  readonly transactionId: string;
  readonly limits: StageLimits;
  readonly options: FabricCallOptions;
  /** Asks the peers whether they have recorded the transaction. */
  readonly lookUp: () => Promise<RecordedAt | undefined>;
}

/** Peers are asked when no event came for this time: the SDK's stream of events may have ended without a word. */
const LOOK_UP_AFTER_MS = 3000;

/** Brings the SDK's ordering stage under control: nothing is ordered when time is up, and the end is found without events too. */
export class CommitWatch implements TxEventHandler {
  readonly #it: CommitWatchOptions;
  readonly #told = Promise.withResolvers<undefined>();
  readonly #listener: CommitListener;
  #outcome: RecordedAt | undefined;
  #isOrdering = false;
  #isAbandoned = false;
  #missedEvents = false;

  constructor(options: CommitWatchOptions) {
    this.#it = options;
    this.#listener = (_error, event) => {
      if (event === undefined) return;
      this.#outcome ??= {
        blockNumber: event.getBlockEvent().blockNumber.toNumber(),
        validationCode: validationCode(event.status),
      };
      this.#told.resolve(undefined);
    };
  }

  /** What became of the transaction, as far as it is known. */
  get outcome(): RecordedAt | undefined {
    return this.#outcome;
  }

  /** Whether an orderer may have the transaction. */
  get isOrdering(): boolean {
    return this.#isOrdering;
  }

  /** Whether the transaction was found in the chain although no event had told of it. */
  get missedEvents(): boolean {
    return this.#missedEvents;
  }

  /** Nobody waits any more: the transaction is not handed over, unless it has been already. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Called by the SDK between endorsement and ordering; what it throws keeps the transaction from being ordered. */
  async startListening(): Promise<void> {
    const { network, mspId, transactionId, options } = this.#it;
    const channel = network.getChannel();
    await requireOrderer(channel);
    await network.addCommitListener(this.#listener, channel.getEndorsers(mspId), transactionId);
    const { signal, deadline = Infinity } = options;
    if (this.#isAbandoned || signal?.aborted === true || deadline <= Date.now()) {
      throw new LedgerError('LEDGER.TIMEOUT', 'The time was up before the transaction was handed to the orderers.');
    }
    this.#isOrdering = true;
  }

  /** Called by the SDK after ordering; resolves when the outcome is known or the time is up. */
  waitForEvents(): Promise<void> {
    return this.settle(this.#it.limits.commit);
  }

  /** Waits for the outcome, at most for that time. */
  async settle(limitMs: number): Promise<void> {
    const { signal, deadline = Infinity } = this.#it.options;
    const until = Math.min(Date.now() + limitMs, deadline);
    while (this.#outcome === undefined && Date.now() < until && signal?.aborted !== true) {
      const isTold = await isWithin(Math.min(LOOK_UP_AFTER_MS, until - Date.now()), this.#told.promise);
      if (!isTold) await this.#lookUp();
    }
  }

  cancelListening(): void {
    stopListening(this.#it.network, this.#listener);
  }

  async #lookUp(): Promise<void> {
    const found = await this.#it.lookUp().catch(() => undefined);
    if (found === undefined || this.#outcome !== undefined) return;
    this.#outcome = found;
    this.#missedEvents = true;
  }
}

/**
 * Connects to the channel's orderers where that is not done yet.
 * @throws `LEDGER.UNAVAILABLE` when none can be reached
 */
export async function requireOrderer(channel: ReturnType<Network['getChannel']>): Promise<void> {
  const orderers = channel.getCommitters();
  const connected = await Promise.all(orderers.map((orderer) => orderer.checkConnection()));
  if (connected.includes(true)) return;
  const names = orderers.map(({ name }) => name).join(', ');
  throw new LedgerError('LEDGER.UNAVAILABLE', `No orderer can be reached${names === '' ? '' : `: ${names}`}.`);
}

/** The SDK's list of who listens for commits, which its types keep private. */
interface CommitListeners {
  readonly commitListeners?: Map<CommitListener, unknown>;
}

/**
 * Ends listening for a commit, in every case. When the stream of events has broken, the SDK drops the listener by
 * itself, throws on being told to, and keeps a note of it over which the end of the whole session stumbles too: a write
 * that was found committed then looked like one that failed.
 */
export function stopListening(network: Network, listener: CommitListener): void {
  try {
    network.removeCommitListener(listener);
  } catch {
    (network as unknown as CommitListeners).commitListeners?.delete(listener);
  }
}
