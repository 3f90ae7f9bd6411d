import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '#ledger-gateway';
import { ApiError } from '../http/errors.js';
import type { EventLog } from './event-log.js';
import { TEXT, type EventPosition } from './event-position.js';
import type { EventStreams } from './event-streams.js';

const ASK_AGAIN_MS = 250;

/** Where a stream begins. */
export interface Start {
  readonly position: EventPosition;
  /** How many blocks the chain has at least. */
  readonly height: number;
}

export interface EventsServiceOptions {
  readonly ledger: Ledger;
  readonly log: EventLog;
  readonly streams: EventStreams;
  /**
   * For so many milliseconds a block is waited for that is not there yet: another peer may have told of it that is ahead of the one that is asked
   * now. 0 where there is one ledger.
   */
  readonly patience: number;
}

/** Finds out where a client is to go on. */
export class EventsService {
  readonly #it: EventsServiceOptions;

  constructor(options: EventsServiceOptions) {
    this.#it = options;
  }

  /**
   * @param wanted - undefined: the next block
   * @param isGone - whether nobody waits for it any more
   * @throws `API.INVALID_REQUEST` for a position beyond the head of the chain, or behind an event that there is not
   */
  async start(wanted: EventPosition | undefined, isGone: () => boolean): Promise<Start> {
    const { log } = this.#it;
    const height = await this.#heightFor(wanted, isGone);
    if (wanted === undefined) return { position: { block: height }, height };
    if (wanted.block < height) {
      // Read before the answer begins, so that a ledger that cannot give it is an error.
      const events = await log.at(wanted.block);
      if (events?.has(wanted) === false) throw new ApiError('API.INVALID_REQUEST', TEXT.unknownId);
    }
    return { position: wanted, height };
  }

  /** Number of blocks of the chain: as many as it takes to go on there. */
  async #heightFor(wanted: EventPosition | undefined, isGone: () => boolean): Promise<number> {
    const { ledger, streams, patience } = this.#it;
    const needed = wanted === undefined ? 0 : wanted.block + (wanted.behind === undefined ? 0 : 1);
    const until = performance.now() + patience;
    for (;;) {
      const height = Math.max((await ledger.chainInfo()).height, streams.next);
      if (needed <= height) return height;
      if (isGone() || performance.now() >= until) throw new ApiError('API.INVALID_REQUEST', beyondHead(height));
      await delay(ASK_AGAIN_MS);
    }
  }
}

/** Also for the document. */
export function beyondHead(height: number): string {
  return `That is beyond the newest block, which is block ${height - 1}: was the id given by another ledger?`;
}
