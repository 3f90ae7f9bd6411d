import { LedgerError } from '../errors/ledger.errors.js';
import type { LedgerLogger } from '../ports/ledger-logger.js';
import type { CommitObservation, ConnectionState, Ledger, LedgerChannel } from '../ports/ledger.port.js';
import { CallSlots } from './call-slots.js';
import { FabricChannel } from './fabric-channel.js';
import { PACE, type FabricTransport, type Pace, type StageLimits } from './fabric-transport.js';
import type { Signers } from './signers.js';
import { pause } from '../ports/waiting.js';

/** What a ledger on a Fabric network is made of. */
export interface FabricLedgerOptions {
  readonly channel: string;
  readonly chaincode: string;
  readonly limits: StageLimits;
  /** Most calls under way at once; a peer takes 500 from all its clients unless it is configured otherwise. */
  readonly maxCalls?: number | undefined;
  readonly onCommit?: ((observation: CommitObservation) => void) | undefined;
  readonly logger?: LedgerLogger | undefined;
  /** Another pace than {@link PACE}, for tests. */
  readonly pace?: Partial<Pace> | undefined;
}

const MAX_CALLS = 400;
/** Calls that wait for others to end, for each that may be under way. */
const QUEUE_FACTOR = 5;
/** How long the answer to whether calls work is waited for. */
const PROBE_MS = 3000;
/** A network that was not there is asked for again this much later than an answer holds. */
const ASK_AGAIN_FACTOR = 3;

/** A Fabric network behind one of the SDKs. */
export class FabricLedger implements Ledger {
  readonly #options: FabricLedgerOptions;
  readonly #transport: FabricTransport;
  readonly #signers: Signers;
  readonly #slots: CallSlots;
  readonly #pace: Pace;
  readonly #channels = new Map<string, FabricChannel>();
  readonly #ending = new AbortController();
  #state: { readonly answer: Promise<ConnectionState>; readonly until: number } | undefined;
  #closing: Promise<void> | undefined;

  constructor(transport: FabricTransport, signers: Signers, options: FabricLedgerOptions) {
    const limit = options.maxCalls ?? MAX_CALLS;
    this.#options = options;
    this.#transport = transport;
    this.#signers = signers;
    this.#pace = { ...PACE, ...options.pace };
    this.#slots = new CallSlots({ limit, queueLimit: limit * QUEUE_FACTOR });
    const { logger } = options;
    if (logger !== undefined) {
      this.#tellOfStart(logger).catch((err: unknown) => {
        logger.error({ err }, 'the network could not be asked whether it can be used');
      });
    }
  }

  channel(name: string = this.#options.channel): LedgerChannel {
    const known = this.#channels.get(name);
    if (known !== undefined) return known;
    const { chaincode, onCommit, limits, logger } = this.#options;
    const [transport, signers, slots] = [this.#transport, this.#signers, this.#slots];
    // So long orderers may take to accept a transaction, a write with a key may take to find one that does.
    const repeatFor = limits.submit;
    const channel = new FabricChannel({
      ...{ name, chaincode, onCommit, logger, transport, signers, slots, repeatFor },
      accessCachedFor: this.#pace.access,
    });
    if (this.#closing !== undefined) channel.end();
    this.#channels.set(name, channel);
    return channel;
  }

  /**
   * Asks the configured channel's chaincode through the peers, and whether there is an orderer, at most once a second
   * however often it is asked for.
   */
  connectionState(): Promise<ConnectionState> {
    if (this.#closing !== undefined) return Promise.resolve({ status: 'unavailable', reason: 'The ledger is closed.' });
    if (this.#state === undefined || Date.now() >= this.#state.until) {
      this.#state = { answer: this.#probe(), until: Date.now() + this.#pace.state };
    }
    return this.#state.answer;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #probe(): Promise<ConnectionState> {
    const limits = { deadline: Date.now() + PROBE_MS, signal: this.#ending.signal };
    const read = this.channel().evaluate({ function: 'AssetExists', arguments: ['readiness'] }, limits);
    const unread = await failureOf(read);
    if (unread !== undefined) return { status: 'unavailable', reason: unread.message };
    const unordered = await failureOf(this.#transport.ordering(this.#options.channel, limits));
    if (unordered !== undefined) return { status: 'read-only', reason: unordered.message };
    return { status: 'ready' };
  }

  /** A network that is not there when the program starts is told of once, and again when it comes. */
  async #tellOfStart(logger: LedgerLogger): Promise<void> {
    const { signal } = this.#ending;
    const first = await this.connectionState();
    if (first.status === 'ready' || signal.aborted) return;
    logger.warn({ reason: first.reason }, `the network cannot be used yet, and is asked for again: ${first.reason}`);
    while (await pause(ASK_AGAIN_FACTOR * this.#pace.state, { signal })) {
      const { status } = await this.connectionState();
      if (status !== 'ready') continue;
      logger.info({}, 'the network can be used now');
      return;
    }
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    for (const channel of this.#channels.values()) channel.end();
    await this.#slots.idle();
    await this.#transport.close();
  }
}

/** Why the call failed; undefined when it did not. */
function failureOf(call: Promise<unknown>): Promise<LedgerError | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof LedgerError)) throw error;
      return error;
    },
  );
}
