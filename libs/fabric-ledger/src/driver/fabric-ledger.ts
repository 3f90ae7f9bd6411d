import type { Ledger, LedgerChannel, LedgerLogger } from '#ledger-gateway';
import { CallSlots } from '#threads';
import { FabricChannel } from './fabric-channel.js';
import type { FabricLedgerOptions, FabricNetwork } from './fabric-options.js';
import { PACE, type FabricTransport } from './fabric-transport.js';
import { pause } from './waiting.js';

/** Queued calls for each concurrent one. */
const QUEUE_FACTOR = 5;
/** A network that was unavailable at the start is checked again after this many times the cache time. */
const STARTUP_CHECK_FACTOR = 3;

/** A ledger on a Fabric network, through either SDK: its default channel, and the others of its configuration. */
export class FabricLedger extends FabricChannel implements Ledger {
  readonly channels: ReadonlyMap<string, FabricChannel>;
  readonly #transport: FabricTransport;
  readonly #ending: AbortController;
  #closing: Promise<void> | undefined;

  constructor(parts: Pick<FabricNetwork, 'transport' | 'signers'>, options: FabricLedgerOptions) {
    const { channel, channels = [], maxCalls = Infinity, logger } = options;
    const others = [...new Set(channels)].filter((name) => name !== channel);
    // An equal share for each: a channel that hangs must not use up the calls of the others.
    const limit = Math.max(1, Math.floor(maxCalls / (others.length + 1)));
    const ending = new AbortController();
    const network = (): FabricNetwork => ({
      ...parts,
      slots: new CallSlots({ limit, queueLimit: limit * QUEUE_FACTOR }),
      closed: ending.signal,
    });
    super(network(), options);
    this.#transport = parts.transport;
    this.#ending = ending;
    const opened = others.map((name) => new FabricChannel(network(), { ...options, channel: name }, channel));
    this.channels = new Map([this, ...opened].map((each) => [each.channel, each]));
    if (logger === undefined) return;
    for (const each of this.channels.values()) {
      this.#logStart(each, logger).catch((err: unknown) => {
        logger.error({ err }, 'the check of the network failed');
      });
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Logs once that a channel is unavailable at the start, and once when it becomes available. */
  async #logStart(channel: LedgerChannel, logger: LedgerLogger): Promise<void> {
    const { signal } = this.#ending;
    const facts = { channel: channel.channel };
    const first = await channel.connectionState();
    if (first.status === 'ready' || signal.aborted) return;
    const { reason } = first;
    logger.warn({ ...facts, reason }, `the network is unavailable and will be checked again: ${reason}`);
    while (await pause(STARTUP_CHECK_FACTOR * PACE.state, { signal })) {
      const { status } = await channel.connectionState();
      if (status !== 'ready') continue;
      logger.info(facts, 'the network is available');
      return;
    }
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    const channels = [...this.channels.values()];
    await Promise.all(channels.flatMap((channel) => [channel.idle(), channel.closeIndex()]));
    this.#transport.close();
  }
}
