import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '#ledger-gateway';
import { ApiError } from '../http/errors.js';
import type { EventLog } from './event-log.js';
import { eventId, shortHash, TEXT, type EventPosition, type RequestedPosition } from './event-position.js';
import { isUnreachable, type EventStreams, type Start } from './event-streams.js';

const POLL_INTERVAL_MS = 250;

export interface EventsServiceOptions {
  readonly ledger: Ledger;
  readonly log: EventLog;
  readonly streams: EventStreams;
  /**
   * Milliseconds to wait for a block that does not exist yet: the id may come from a peer that is ahead of the one that is
   * queried now. 0 on the embedded ledger.
   */
  readonly blockTimeout: number;
}

/** Determines where a stream starts. */
export class EventsService {
  readonly #options: EventsServiceOptions;

  constructor(options: EventsServiceOptions) {
    this.#options = options;
  }

  /**
   * @param requested - the position to resume at; undefined for the next block
   * @param isGone - returns whether the client has left
   * @throws `API.INVALID_REQUEST` for a position beyond the head, after a missing event, or of another chain; errors of the
   * ledger
   */
  async start(requested: RequestedPosition | undefined, isGone: () => boolean): Promise<Start> {
    const height = await this.#heightFor(requested, isGone);
    const position = requested ?? { block: height };
    const { block, place } = eventBefore(position);
    const hash = block < 0 ? undefined : await this.#hashOf(block);
    if (hash !== undefined) requireSameChain(hash, requested?.seen);
    if (position.block < height) {
      // Read before the answer begins, so that a block that the ledger cannot return is an error.
      const events = await this.#options.log.at(position.block);
      if (events?.has(position) === false) throw new ApiError('API.INVALID_REQUEST', TEXT.unknownId);
    }
    return { position, height, id: hash === undefined ? undefined : eventId(block, place, hash) };
  }

  /** Waits until the chain has the requested block, and returns its height. */
  async #heightFor(requested: RequestedPosition | undefined, isGone: () => boolean): Promise<number> {
    const { ledger, streams, blockTimeout } = this.#options;
    const needed = requested === undefined ? 0 : requested.block + (requested.after === undefined ? 0 : 1);
    const until = performance.now() + blockTimeout;
    for (;;) {
      const height = Math.max((await ledger.chainInfo()).height, streams.next);
      if (needed <= height) return height;
      if (isGone() || performance.now() >= until) throw new ApiError('API.INVALID_REQUEST', beyondHead(height));
      await delay(POLL_INTERVAL_MS);
    }
  }

  /** Returns the hash of a block, or undefined if the peer no longer has it (it was created from a snapshot). */
  async #hashOf(block: number): Promise<string | undefined> {
    try {
      return await this.#options.log.hashOf(block);
    } catch (error) {
      if (isUnreachable(error)) throw error;
      return undefined;
    }
  }
}

/** Returns the event before a position, which is the one that the client's id names; block -1 at the start of the chain. */
function eventBefore({ block, after }: EventPosition): { readonly block: number; readonly place: string } {
  if (after === undefined) return { block: block - 1, place: 'end' };
  return { block, place: `${after.transaction}:${after.event}` };
}

function requireSameChain(hash: string, seen: RequestedPosition['seen']): void {
  if (seen?.hash !== undefined && seen.hash !== shortHash(hash)) {
    throw new ApiError('API.INVALID_REQUEST', TEXT.otherChain);
  }
}

/** Returns the text for a position beyond the head, also for the OpenAPI document. */
export function beyondHead(height: number): string {
  return `This is beyond the newest block, ${height - 1}. The id may be from another ledger.`;
}
