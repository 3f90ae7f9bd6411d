import { LedgerError } from '../errors/ledger.errors.js';
import type { LedgerLogger } from '../ports/ledger.port.js';
import type { CertificateNotes } from '../signers/certificate-notes.js';
import type { CommitObservation, ConnectionState, Ledger, SigningOptions } from '../ports/ledger.port.js';
import { CallSlots } from './call-slots.js';
import { FabricChannel } from './fabric-channel.js';
import { PACE, type FabricTransport, type Pace, type StageLimits } from './fabric-transport.js';
import type { Signers } from './signers.js';
import { pause } from './waiting.js';

/** What a ledger on a Fabric network is made of. */
export interface FabricLedgerOptions extends SigningOptions {
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

/** What a driver makes for a ledger. */
export interface FabricLedgerParts {
  readonly transport: FabricTransport;
  readonly signers: Signers;
  readonly certificates: CertificateNotes;
}

/** A Fabric network behind one of the SDKs. */
export class FabricLedger extends FabricChannel implements Ledger {
  readonly #transport: FabricTransport;
  readonly #slots: CallSlots;
  readonly #pace: Pace;
  readonly #ending = new AbortController();
  #state: { readonly answer: Promise<ConnectionState>; readonly until: number } | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    { transport, signers, certificates }: FabricLedgerParts,
    { channel: name, maxCalls = MAX_CALLS, pace: changedPace, ...options }: FabricLedgerOptions,
  ) {
    const pace = { ...PACE, ...changedPace };
    const slots = new CallSlots({ limit: maxCalls, queueLimit: maxCalls * QUEUE_FACTOR });
    super({
      ...{ ...options, name, transport, signers, certificates, slots },
      // A keyed write may search for an orderer for as long as orderers may take to accept a transaction.
      repeatFor: options.limits.submit,
      accessCachedFor: pace.access,
    });
    this.#transport = transport;
    this.#pace = pace;
    this.#slots = slots;
    const { logger } = options;
    if (logger !== undefined) {
      this.#tellOfStart(logger).catch((err: unknown) => {
        logger.error({ err }, 'the network could not be asked whether it can be used');
      });
    }
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
    const read = this.probe({ function: 'AssetExists', arguments: ['readiness'] }, limits);
    const unread = await failureOf(read);
    if (unread !== undefined) return { status: 'unavailable', reason: unread.message };
    const unordered = await failureOf(this.#transport.ordering(this.channel, limits));
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
    this.end();
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
