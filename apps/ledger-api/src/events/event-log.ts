import { Inject, Injectable } from '@nestjs/common';
import { formerKeys, type Ledger, type LedgerBlock } from '#ledger-gateway';
import { ledgerConfig } from '../config/config.module.js';
import type { LedgerConfig } from '../config/config.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { EventWriter, type BlockEvents } from './block-events.js';

/** Bytes of events of the newest blocks that are cached. */
const CACHED_BYTES = 4 * 1024 * 1024;
/** The number of blocks that are cached at most. */
const CACHED_BLOCKS = 2000;
/** Bytes of events after which a read of older blocks ends. */
const READ_BYTES = 256 * 1024;

/** The source of blocks. */
export type BlockSource = Pick<Ledger, 'blockByNumber' | 'blockEvents'>;

/** The events of all blocks. Those of the newest are cached, so that clients that reconnect together cost one decoding. */
@Injectable()
export class EventLog {
  readonly #writer: EventWriter;
  readonly #cache = new Map<number, BlockEvents>();
  #cachedBytes = 0;
  #newest = 0;
  #lastRead: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(LEDGER) private readonly source: BlockSource,
    @Inject(ledgerConfig.KEY) { chaincode }: Pick<LedgerConfig, 'chaincode'>,
  ) {
    const read = (number: number): Promise<LedgerBlock | undefined> => source.blockByNumber(number);
    this.#writer = new EventWriter(chaincode, (keys, block) => formerKeys(keys, block, { chaincode, read }));
  }

  /** Returns the events of a block, or undefined if the chain is shorter. */
  async at(number: number): Promise<BlockEvents | undefined> {
    const cached = this.#cache.get(number);
    if (cached !== undefined) return cached;
    const block = await this.source.blockByNumber(number);
    return block && this.#eventsOf(block);
  }

  /** Returns the hash of a block, or undefined if the chain is shorter. */
  async hashOf(number: number): Promise<string | undefined> {
    return this.#cache.get(number)?.hash ?? (await this.source.blockByNumber(number))?.hash;
  }

  /** Yields the events of each block from that number on, and of each new one, until the signal. */
  async *follow(startBlock: number, signal: AbortSignal): AsyncGenerator<BlockEvents, void, undefined> {
    for await (const block of this.source.blockEvents({ startBlock, signal })) yield await this.#eventsOf(block);
  }

  /**
   * Returns the events of one or more blocks before block `end`. Reads of blocks that are not cached run one after the other,
   * and end after {@link READ_BYTES}, so that many clients that replay the chain get their turns.
   */
  async read(start: number, end: number): Promise<readonly BlockEvents[]> {
    const cached = this.#cache.get(start);
    if (cached !== undefined) return [cached];
    const read = this.#lastRead.then(() => this.#read(start, end));
    this.#lastRead = read.catch(() => undefined);
    return read;
  }

  async #read(startBlock: number, end: number): Promise<readonly BlockEvents[]> {
    const found: BlockEvents[] = [];
    let size = 0;
    const stop = new AbortController();
    try {
      for await (const block of this.source.blockEvents({ startBlock, signal: stop.signal })) {
        const events = await this.#eventsOf(block);
        found.push(events);
        size += events.bytes.length;
        if (size >= READ_BYTES || block.number + 1 >= end) break;
      }
    } finally {
      stop.abort();
    }
    return found;
  }

  async #eventsOf(block: LedgerBlock): Promise<BlockEvents> {
    return this.#cache.get(block.number) ?? this.#store(await this.#writer.eventsOf(block));
  }

  #store(events: BlockEvents): BlockEvents {
    const { block, bytes } = events;
    this.#newest = Math.max(this.#newest, block);
    if (this.#cache.has(block) || block < this.#newest - CACHED_BLOCKS) return events;
    this.#cache.set(block, events);
    this.#cachedBytes += bytes.length;
    for (const [number, oldest] of this.#cache) {
      if (this.#cachedBytes <= CACHED_BYTES && this.#cache.size <= CACHED_BLOCKS) break;
      this.#cache.delete(number);
      this.#cachedBytes -= oldest.bytes.length;
    }
    return events;
  }
}
