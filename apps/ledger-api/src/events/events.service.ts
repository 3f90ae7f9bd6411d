import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Ledger } from '#ledger-gateway';
import { ledgerConfig } from '../config/config.module.js';
import type { LedgerConfig } from '../config/config.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { invalidRequest } from '../http/errors.js';
import { EventLog } from './event-log.js';
import { eventId, shortHash, TEXT, type RequestedPosition } from './event-position.js';
import { EventStreams, isUnreachable, type Start } from './event-streams.js';

const POLL_INTERVAL_MS = 250;

/** Determines where a stream starts. */
@Injectable()
export class EventsService {
  /**
   * Milliseconds to wait for a block that does not exist yet: the id may come from a peer that is ahead of the one that is
   * queried now. 0 on the embedded ledger.
   */
  readonly #blockTimeout: number;

  constructor(
    @Inject(LEDGER) private readonly ledger: Pick<Ledger, 'chainInfo'>,
    private readonly log: EventLog,
    private readonly streams: EventStreams,
    @Inject(ledgerConfig.KEY) config: LedgerConfig,
  ) {
    this.#blockTimeout = config.driver === 'embedded' ? 0 : config.limits.evaluate;
  }

  /**
   * @param requested - the position to resume at; undefined for the next block
   * @param isGone - returns whether the client has left
   * @throws `API.INVALID_REQUEST` for a position beyond the head, after a missing event, or of another chain; errors of the
   * ledger
   */
  async start(requested: RequestedPosition | undefined, isGone: () => boolean): Promise<Start> {
    const height = await this.#heightFor(requested, isGone);
    const { block, after } = requested ?? { block: height };
    // The event before the position, which the client's id names: block -1 at the start of the chain.
    const before = after === undefined ? { block: block - 1, place: 'end' } : { block, place: after };
    const hash = before.block < 0 ? undefined : await this.#hashOf(before.block);
    requireSameChain(requested?.hash, hash);
    const position = { block, after };
    if (block < height) {
      // Read before the answer begins, so that a block that the ledger cannot return is an error.
      const events = await this.log.at(block);
      if (events?.has(position) === false) throw invalidRequest(TEXT.unknownId);
    }
    return { position, height, id: hash === undefined ? undefined : eventId(before.block, before.place, hash) };
  }

  /** Waits until the chain has the requested block, and returns its height. */
  async #heightFor(requested: RequestedPosition | undefined, isGone: () => boolean): Promise<number> {
    const needed = requested === undefined ? 0 : requested.block + (requested.after === undefined ? 0 : 1);
    const until = performance.now() + this.#blockTimeout;
    for (;;) {
      const height = Math.max((await this.ledger.chainInfo()).height, this.streams.next);
      if (needed <= height) return height;
      if (isGone() || performance.now() >= until) {
        throw invalidRequest(TEXT.beyondHead(height));
      }
      await delay(POLL_INTERVAL_MS);
    }
  }

  /** Returns the hash of a block, or undefined if the peer no longer has it (it was created from a snapshot). */
  async #hashOf(block: number): Promise<string | undefined> {
    try {
      return await this.log.hashOf(block);
    } catch (error) {
      if (isUnreachable(error)) throw error;
      return undefined;
    }
  }
}

function requireSameChain(requested: string | undefined, hash: string | undefined): void {
  if (requested === undefined || hash === undefined || requested === shortHash(hash)) return;
  throw invalidRequest(TEXT.otherChain);
}
