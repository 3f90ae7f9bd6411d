import { setTimeout as delay } from 'node:timers/promises';
import { type KeySource, previousKeys } from '#chain-pages';
import type { LedgerConfig } from '#ledger-config';
import { isLedgerError, type LedgerBlock, type LedgerChannel, type LedgerErrorCode } from '#ledger-gateway';
import { invalidRequest } from '../http/errors.js';
import { EventWriter, type BlockEvents } from './block-events.js';
import {
  eventId,
  shortHash,
  TEXT,
  type EventPosition,
  type EventSelection,
  type RequestedPosition,
} from './event-position.js';

/** Bytes of events of the newest blocks that are cached. */
const CACHED_BYTES = 4 * 1024 * 1024;
/** The number of blocks that are cached at most. */
const CACHED_BLOCKS = 2000;
/** Bytes of events after which a read of older blocks ends. */
const READ_BYTES = 256 * 1024;

const POLL_INTERVAL_MS = 250;

/** The source of blocks. */
export type BlockSource = Pick<LedgerChannel, 'blockByNumber' | 'blockEvents' | 'chainInfo' | 'indexState' | 'lists'>;

/** Where a stream starts. */
export interface Start {
  readonly position: EventPosition;
  /** The id of the event before it. */
  readonly id: string | undefined;
  /** The number of blocks that the chain has at least. */
  readonly height: number;
}

/** Returns whether an error means that the ledger cannot be reached at the moment. */
export function isUnreachable(error: unknown): boolean {
  return isLedgerError(error, 'LEDGER.UNAVAILABLE') || isLedgerError(error, 'LEDGER.TIMEOUT');
}

/** The events of all blocks of a channel. Those of the newest are cached, so that clients that reconnect together cost one decoding. */
export class EventLog {
  readonly #writer: EventWriter;
  readonly #cache = new Map<number, BlockEvents>();
  #cachedBytes = 0;
  /** The number of blocks that the chain is known to have: the queried peer may lag behind another. */
  #height = 0;
  #lastRead: Promise<unknown> = Promise.resolve();
  /**
   * Milliseconds to wait for a block that does not exist yet: the id may come from a peer that is ahead of the one that is
   * queried now. 0 on the embedded ledger.
   */
  readonly #blockTimeout: number;

  constructor(
    private readonly source: BlockSource,
    config: LedgerConfig,
  ) {
    const { chaincode } = config;
    const isEmbedded = config.driver === 'embedded';
    this.#blockTimeout = isEmbedded ? 0 : config.limits.evaluate;
    const hasIndex = (): boolean => isEmbedded || ['ready', 'reading'].includes(source.indexState?.()?.status ?? '');
    const keys: KeySource = {
      chaincode,
      read: (number) => source.blockByNumber(number),
      existedAt: async (key, block) => (hasIndex() ? existedAt(source, key, block) : undefined),
    };
    this.#writer = new EventWriter(chaincode, (written, block) => previousKeys(written, block, keys));
  }

  /**
   * Determines where a stream starts.
   * @param requested - the position to resume at; undefined for the next block
   * @param isReset - returns whether the client has left
   * @param selection - the chaincode events that are followed
   * @throws `API.INVALID_REQUEST` for a position beyond the head, after a missing event, or of another chain; errors of the
   * ledger
   */
  async start(
    requested: RequestedPosition | undefined,
    isReset: () => boolean,
    selection?: EventSelection,
  ): Promise<Start> {
    const height = await this.#heightFor(requested, isReset);
    const { block, after } = requested ?? { block: height };
    // The event before the position, which the client's id names: block -1 at the start of the chain.
    const before = after === undefined ? { block: block - 1, place: 'end' } : { block, place: after };
    const hash = before.block < 0 ? undefined : await this.#hashOf(before.block);
    requireSameChain(requested?.hash, hash);
    // Read before the answer begins, so that a block that the ledger cannot return is an error.
    const events = block < height ? await this.#at(block) : undefined;
    const position = { block, after };
    if (events?.has(position, selection) === false) throw invalidRequest(TEXT.unknownId);
    return { position, height, id: hash === undefined ? undefined : eventId(before.block, before.place, hash) };
  }

  /** Waits until the chain has the requested block, and returns its height. */
  async #heightFor(requested: RequestedPosition | undefined, isReset: () => boolean): Promise<number> {
    const needed = requested === undefined ? 0 : requested.block + (requested.after === undefined ? 0 : 1);
    const until = performance.now() + this.#blockTimeout;
    for (;;) {
      this.#height = Math.max((await this.source.chainInfo()).height, this.#height);
      if (needed <= this.#height) return this.#height;
      if (isReset() || performance.now() >= until) throw invalidRequest(TEXT.beyondHead(this.#height));
      await delay(POLL_INTERVAL_MS);
    }
  }

  /** Returns the events of a block, or undefined if the chain is shorter. */
  async #at(number: number): Promise<BlockEvents | undefined> {
    const cached = this.#cache.get(number);
    if (cached !== undefined) return cached;
    const block = await this.source.blockByNumber(number);
    return block && this.#eventsOf(block);
  }

  /** Returns the hash of a block, or undefined if the peer no longer has it (it was created from a snapshot). */
  async #hashOf(number: number): Promise<string | undefined> {
    try {
      return this.#cache.get(number)?.hash ?? (await this.source.blockByNumber(number))?.hash;
    } catch (error) {
      if (isUnreachable(error)) throw error;
      return undefined;
    }
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
      for await (const events of this.follow(startBlock, stop.signal)) {
        found.push(events);
        size += events.size;
        if (size >= READ_BYTES || events.block + 1 >= end) break;
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
    const { block, size } = events;
    this.#height = Math.max(this.#height, block + 1);
    if (this.#cache.has(block) || block < this.#height - CACHED_BLOCKS) return events;
    this.#cache.set(block, events);
    this.#cachedBytes += size;
    for (const [number, oldest] of this.#cache) {
      if (this.#cachedBytes <= CACHED_BYTES && this.#cache.size <= CACHED_BLOCKS) break;
      this.#cache.delete(number);
      this.#cachedBytes -= oldest.size;
    }
    return events;
  }
}

/** The answer of an index whose version of an asset could not be returned; undefined if no index has it. */
const EXISTED: Readonly<Partial<Record<LedgerErrorCode, boolean | undefined>>> = {
  'LEDGER.ASSET_NOT_FOUND': false,
  // The stored value is not an asset.
  'LEDGER.REFUSED': true,
  'LEDGER.NOT_SUPPORTED': undefined,
  'LEDGER.INVALID_ARGUMENT': undefined,
};

/** Returns whether an asset existed after a block by the index of a channel; undefined if the index does not have it. */
async function existedAt({ lists }: BlockSource, key: string, block: number): Promise<boolean | undefined> {
  try {
    await lists.assetAt(key, block);
    return true;
  } catch (error) {
    if (isLedgerError(error) && error.code in EXISTED) return EXISTED[error.code];
    throw error;
  }
}

function requireSameChain(requested: string | undefined, hash: string | undefined): void {
  if (requested === undefined || hash === undefined || requested === shortHash(hash)) return;
  throw invalidRequest(TEXT.otherChain);
}
