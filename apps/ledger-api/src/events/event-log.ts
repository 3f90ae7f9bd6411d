import type { LedgerBlock } from '#ledger-gateway';
import type { BlockEvents, EventWriter } from './block-events.js';

/** So many bytes of events of the newest blocks are kept. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** Blocks this far behind the newest are not kept, however few bytes there are. */
const KEPT_BLOCKS = 2000;

/** Where blocks come from. */
export interface BlockSource {
  /** The block of that number, or undefined when the chain is not that high. */
  blockByNumber(number: number): Promise<LedgerBlock | undefined>;
  /** Blocks from that number on, in order and without gaps, and each new one, until the signal. */
  blockEvents(options: { readonly startBlock: number; readonly signal: AbortSignal }): AsyncIterable<LedgerBlock>;
}

/**
 * The events of all blocks. Those of the newest are kept, so that many who connect again after a restart, or fell a little
 * behind, cost no more than one.
 */
export class EventLog {
  readonly #source: BlockSource;
  readonly #writer: EventWriter;
  readonly #kept = new Map<number, BlockEvents>();
  #keptBytes = 0;
  #oldest = 0;
  #newest = 0;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(source: BlockSource, writer: EventWriter) {
    this.#source = source;
    this.#writer = writer;
  }

  /** The events of a block, if they are at hand. */
  kept(block: number): BlockEvents | undefined {
    return this.#kept.get(block);
  }

  /** The events of a block; undefined when the chain is not that high. */
  async at(number: number): Promise<BlockEvents | undefined> {
    const kept = this.#kept.get(number);
    if (kept !== undefined) return kept;
    const block = await this.#source.blockByNumber(number);
    return block && this.#inTurn(block);
  }

  /** The events of each block from that number on, and of each new one, until the signal. */
  async *follow(startBlock: number, signal: AbortSignal): AsyncGenerator<BlockEvents, void, undefined> {
    for await (const block of this.#source.blockEvents({ startBlock, signal })) {
      yield this.#keep(await this.#writer.eventsOf(block));
    }
  }

  /** The same for what is past: several who read it take turns, a block each, so that others are served between them. */
  async *replay(startBlock: number, signal: AbortSignal): AsyncGenerator<BlockEvents, void, undefined> {
    for await (const block of this.#source.blockEvents({ startBlock, signal })) yield await this.#inTurn(block);
  }

  #inTurn(block: LedgerBlock): Promise<BlockEvents> {
    const turn = this.#lastTurn.then(async () => this.#keep(await this.#writer.eventsOf(block)));
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  #keep(events: BlockEvents): BlockEvents {
    const { block, bytes } = events;
    if (this.#kept.has(block) || block < this.#newest - KEPT_BLOCKS) return events;
    this.#newest = Math.max(this.#newest, block);
    this.#oldest = this.#kept.size === 0 ? block : Math.min(this.#oldest, block);
    this.#kept.set(block, events);
    this.#keptBytes += bytes.length;
    while (this.#keptBytes > KEPT_BYTES || this.#oldest < this.#newest - KEPT_BLOCKS) this.#forgetOldest();
    return events;
  }

  #forgetOldest(): void {
    this.#keptBytes -= this.#kept.get(this.#oldest)?.bytes.length ?? 0;
    this.#kept.delete(this.#oldest);
    this.#oldest += 1;
  }
}
