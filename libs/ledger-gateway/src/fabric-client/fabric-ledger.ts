import { LedgerError } from '../errors/ledger.errors.js';
import type { LedgerLogger } from '../ports/ledger.port.js';
import type { CommitObservation, ConnectionState, Ledger, SigningOptions } from '../ports/ledger.port.js';
import { CallSlots } from './call-slots.js';
import { FabricChannel } from './fabric-channel.js';
import { PACE, type FabricTransport, type Pace, type StageLimits } from './fabric-transport.js';
import type { Signers } from './signers.js';
import { pause } from './waiting.js';

/** Options that both Fabric drivers share. */
export interface FabricLedgerOptions extends SigningOptions {
  readonly channel: string;
  readonly chaincode: string;
  readonly limits: StageLimits;
  /** Most in-flight calls; a peer accepts 500 from all its clients by default. Without it there is no limit. */
  readonly maxCalls?: number | undefined;
  readonly onCommit?: ((observation: CommitObservation) => void) | undefined;
  readonly logger?: LedgerLogger | undefined;
  /** Another pace than {@link PACE}, for tests. */
  readonly pace?: Partial<Pace> | undefined;
}

/** Queued calls for each concurrent one. */
const QUEUE_FACTOR = 5;
/** Timeout of a check of the connection. */
const PROBE_MS = 3000;
/** A network that was unavailable at the start is checked again after this many times the cache time. */
const STARTUP_CHECK_FACTOR = 3;

/** The parts that a driver provides. */
export interface FabricLedgerParts {
  readonly transport: FabricTransport;
  readonly signers: Signers;
}

/** A ledger on a Fabric network, through either SDK. */
export class FabricLedger extends FabricChannel implements Ledger {
  readonly #transport: FabricTransport;
  readonly #slots: CallSlots;
  readonly #pace: Pace;
  readonly #ending = new AbortController();
  #state: { readonly answer: Promise<ConnectionState>; readonly until: number } | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    { transport, signers }: FabricLedgerParts,
    { channel: name, maxCalls = Infinity, pace: changedPace, ...options }: FabricLedgerOptions,
  ) {
    const pace = { ...PACE, ...changedPace };
    const slots = new CallSlots({ limit: maxCalls, queueLimit: maxCalls * QUEUE_FACTOR });
    super({
      ...{ ...options, name, transport, signers, slots },
      // A keyed write may search for an orderer for as long as orderers may take to accept a transaction.
      retryFor: options.limits.submit,
      accessCachedFor: pace.access,
    });
    this.#transport = transport;
    this.#pace = pace;
    this.#slots = slots;
    const { logger } = options;
    if (logger !== undefined) {
      this.#logStart(logger).catch((err: unknown) => {
        logger.error({ err }, 'the check of the network failed');
      });
    }
  }

  /** Evaluates a call of the configured chaincode and checks the orderers; the result is cached for a second. */
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

  /** Logs once that the network is unavailable at the start, and once when it becomes available. */
  async #logStart(logger: LedgerLogger): Promise<void> {
    const { signal } = this.#ending;
    const first = await this.connectionState();
    if (first.status === 'ready' || signal.aborted) return;
    logger.warn({ reason: first.reason }, `the network is unavailable and will be checked again: ${first.reason}`);
    while (await pause(STARTUP_CHECK_FACTOR * this.#pace.state, { signal })) {
      const { status } = await this.connectionState();
      if (status !== 'ready') continue;
      logger.info({}, 'the network is available');
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

/** Returns why a call failed, or undefined if it succeeded. */
function failureOf(call: Promise<unknown>): Promise<LedgerError | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof LedgerError)) throw error;
      return error;
    },
  );
}
