import { setTimeout as delay } from 'node:timers/promises';
import { LedgerError, isLedgerError } from '../errors/ledger.errors.js';
import type { ConnectionState, Ledger, LedgerLogger } from '../ports/ledger.port.js';
import { CallSlots } from './call-slots.js';
import { FabricChannel, type FabricLedgerOptions, type FabricNetwork } from './fabric-channel.js';
import { PACE } from './fabric-transport.js';
import { pause } from './waiting.js';

/** Queued calls for each concurrent one. */
const QUEUE_FACTOR = 5;
/** Timeout of a check of the connection. */
const PROBE_MS = 3000;
/** A network that was unavailable at the start is checked again after this many times the cache time. */
const STARTUP_CHECK_FACTOR = 3;

/** A ledger on a Fabric network, through either SDK. */
export class FabricLedger extends FabricChannel implements Ledger {
  readonly #network: FabricNetwork;
  #state: { readonly answer: Promise<ConnectionState>; readonly until: number } | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: Omit<FabricNetwork, 'slots'>, options: FabricLedgerOptions) {
    const { maxCalls = Infinity, logger } = options;
    const slots = new CallSlots({ limit: maxCalls, queueLimit: maxCalls * QUEUE_FACTOR });
    const network = { ...parts, slots };
    super(network, options);
    this.#network = network;
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
      this.#state = { answer: this.#check(), until: Date.now() + PACE.state };
    }
    return this.#state.answer;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #check(): Promise<ConnectionState> {
    const timeout = timeoutError(this.closed);
    const read = this.probe({ function: 'AssetExists', arguments: ['readiness'] });
    const unread = await Promise.race([failureOf(read), timeout]);
    if (unread !== undefined) return { status: 'unavailable', reason: unread.message };
    const unordered = await Promise.race([failureOf(this.#network.transport.ordering(this.channel)), timeout]);
    if (unordered !== undefined) return { status: 'read-only', reason: unordered.message };
    return { status: 'ready' };
  }

  /** Logs once that the network is unavailable at the start, and once when it becomes available. */
  async #logStart(logger: LedgerLogger): Promise<void> {
    const signal = this.closed;
    const first = await this.connectionState();
    if (first.status === 'ready' || signal.aborted) return;
    logger.warn({ reason: first.reason }, `the network is unavailable and will be checked again: ${first.reason}`);
    while (await pause(STARTUP_CHECK_FACTOR * PACE.state, { signal })) {
      const { status } = await this.connectionState();
      if (status !== 'ready') continue;
      logger.info({}, 'the network is available');
      return;
    }
  }

  async #close(): Promise<void> {
    this.end();
    await this.#network.slots.idle();
    this.#network.transport.close();
  }
}

/** Resolves with an error when a check has taken too long, or at once when the ledger is closed. */
async function timeoutError(signal: AbortSignal): Promise<LedgerError> {
  await delay(PROBE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  return new LedgerError('LEDGER.TIMEOUT', 'The network did not respond in time.');
}

/** Returns why a call failed; undefined if it succeeded, or a peer refused it only because it has too many calls. */
async function failureOf(call: Promise<unknown>): Promise<LedgerError | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    return isLedgerError(error, 'LEDGER.OVERLOADED') ? undefined : error;
  }
}
