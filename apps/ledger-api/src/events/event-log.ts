import type { LedgerBlock } from '#ledger-gateway';
import type { BlockEvents, EventWriter } from './block-events.js';

/** Bytes of events of the newest blocks that are cached. */
const CACHED_BYTES = 4 * 1024 * 1024;
/** The number of blocks that are cached at most. */
const CACHED_BLOCKS = 2000;

/** The source of blocks. */
export interface BlockSource {
  /** Returns a block by its number, or undefined if the chain is shorter. */
  blockByNumber(number: number): Promise<LedgerBlock | undefined>;
  /** Yields blocks from that number on, in order and without gaps, and each new one, until the signal. */
  blockEvents(options: { readonly startBlock: number; readonly signal: AbortSignal }): AsyncIterable<LedgerBlock>;
}

/** The events of all blocks. Those of the newest are cached, so that clients that reconnect together cost one decoding. */
export class EventLog {
  readonly #source: BlockSource;
  readonly #writer: EventWriter;
  readonly #cache = new Map<number, BlockEvents>();
  #cachedBytes = 0;
  #oldest = 0;
  #newest = 0;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(source: BlockSource, writer: EventWriter) {
    this.#source = source;
    this.#writer = writer;
  }

  /** Returns the events of a block if they are cached. */
  cached(block: number): BlockEvents | undefined {
    return this.#cache.get(block);
  }

  /** Returns the events of a block, or undefined if the chain is shorter. */
  async at(number: number): Promise<BlockEvents | undefined> {
    const cached = this.#cache.get(number);
    if (cached !== undefined) return cached;
    const block = await this.#source.blockByNumber(number);
    return block && this.#inTurn(block);
  }

  /** Returns the hash of a block, or undefined if the chain is shorter. */
  async hashOf(number: number): Promise<string | undefined> {
    return this.#cache.get(number)?.hash ?? (await this.#source.blockByNumber(number))?.hash;
  }

  /** Yields the events of each block from that number on, and of each new one, until the signal. */
  async *follow(startBlock: number, signal: AbortSignal): AsyncGenerator<BlockEvents, void, undefined> {
    for await (const block of this.#source.blockEvents({ startBlock, signal })) {
      yield this.#store(await this.#writer.eventsOf(block));
    }
  }

  /** The same for older blocks: concurrent replays take turns, a block each, so that other work runs between them. */
  async *replay(startBlock: number, signal: AbortSignal): AsyncGenerator<BlockEvents, void, undefined> {
    for await (const block of this.#source.blockEvents({ startBlock, signal })) yield await this.#inTurn(block);
  }

  #inTurn(block: LedgerBlock): Promise<BlockEvents> {
    const turn = this.#lastTurn.then(async () => this.#store(await this.#writer.eventsOf(block)));
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  #store(events: BlockEvents): BlockEvents {
    const { block, bytes } = events;
    if (this.#cache.has(block) || block < this.#newest - CACHED_BLOCKS) return events;
    this.#newest = Math.max(this.#newest, block);
    this.#oldest = this.#cache.size === 0 ? block : Math.min(this.#oldest, block);
    this.#cache.set(block, events);
    this.#cachedBytes += bytes.length;
    while (this.#cachedBytes > CACHED_BYTES || this.#oldest < this.#newest - CACHED_BLOCKS) this.#evictOldest();
    return events;
  }

  #evictOldest(): void {
    this.#cachedBytes -= this.#cache.get(this.#oldest)?.bytes.length ?? 0;
    this.#cache.delete(this.#oldest);
    this.#oldest += 1;
  }
}
