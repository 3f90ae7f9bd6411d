import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { ApiError } from '../http/errors.js';
import { EventBatch, type BlockEvents } from './block-events.js';
import type { EventLog } from './event-log.js';
import type { EventMetrics } from './event-metrics.js';
import { TEXT, type EventPosition } from './event-position.js';
import { EventStream, type CutReason, type Lease } from './event-stream.js';
import { ReplaySlots } from './replay-slots.js';

/** How often streams are looked after, in milliseconds. */
export interface StreamPace {
  /** So often each gets a heartbeat. */
  readonly beat: number;
  /** So often it is looked whether those who follow still may. */
  readonly lease: number;
}

const PACE: StreamPace = { beat: 15_000, lease: 250 };
/** Most who read at once what is past. */
const REPLAYS = 8;
/** While others wait, a replay gives its place up after so many milliseconds, or when its client takes nothing for as long as the second. */
const REPLAY_SHARE_MS = 2000;
const REPLAY_PATIENCE_MS = 250;
/** So long clients may take what waits for them when all streams end. */
const FAREWELL_MS = 250;
/**
 * Milliseconds between two writes to the same stream, for each that follows: a write costs the system more than a block costs us, so that what many
 * follow comes to them several blocks at a time while blocks come fast. The first one behind a pause goes out at once.
 */
const PAUSE_PER_STREAM_MS = 0.4;
const MOST_PAUSE_MS = 100;
/** So many bytes wait for no others. */
const MOST_TOGETHER = 128 * 1024;
/** Streams that are served in one turn of the event loop. */
const STREAMS_IN_A_TURN = 64;

/** A stream that is about to begin. */
export interface Beginning {
  readonly position: EventPosition;
  /** How many blocks the chain has at least. */
  readonly height: number;
  readonly lease: Lease | undefined;
  /** For the log. */
  readonly facts: object;
}

/** Reads what is new, for all who are up to it. */
interface Reader {
  /** The block that comes next. */
  next: number;
  readonly stop: AbortController;
}

/**
 * All who follow the events. One reader of blocks serves those who are up to date (live); whoever begins further back gets what is past from
 * a replay of its own, until it has reached the reader. Each stream knows the block that comes next for it, so that nothing
 * is missed and nothing comes twice on the way from the one to the other.
 */
export class EventStreams implements OnModuleDestroy {
  readonly #log: EventLog;
  readonly #metrics: EventMetrics;
  readonly #logger: Logger;
  readonly #pace: StreamPace;
  readonly #open = new Set<EventStream>();
  readonly #live = new Set<EventStream>();
  readonly #replays = new ReplaySlots(REPLAYS);
  /** What was read and goes to those who are up to date with the next batch. */
  readonly #waiting: BlockEvents[] = [];
  #waitingBytes = 0;
  #sending: NodeJS.Timeout | undefined;
  #sentAt = -Infinity;
  #lastBatch = Promise.resolve();
  #reader: Reader | undefined;
  #timers: readonly NodeJS.Timeout[] = [];
  #hasEnded = false;

  constructor(log: EventLog, metrics: EventMetrics, logger: Logger, pace: StreamPace = PACE) {
    this.#log = log;
    this.#metrics = metrics;
    this.#logger = logger;
    this.#pace = pace;
    metrics.watch(() => this.#open.size);
  }

  /** The block that those who are up to date get next; 0 while there is nobody. */
  get next(): number {
    return this.#reader?.next ?? 0;
  }

  /** @throws `API.NOT_READY` when no more streams are begun */
  requireOpen(): void {
    if (this.#hasEnded) throw new ApiError('API.NOT_READY', TEXT.ending);
  }

  /** Takes a client whose answer has begun: it is written here from now on. */
  add(response: ServerResponse, { height, ...beginning }: Beginning): void {
    const stream = new EventStream(response, beginning);
    if (this.#hasEnded) stream.end();
    if (!stream.isOpen) return;
    this.#open.add(stream);
    stream.onClose(() => {
      this.#leave(stream);
    });
    if (this.#reader === undefined) {
      this.#reader = { next: height, stop: new AbortController() };
      this.#lookAfterAll();
      void this.#read(this.#reader);
    }
    void this.#bringUp(stream);
  }

  /** Ends all, before the listeners drain: streams would hold that up to its limit. */
  onModuleDestroy(): void {
    this.#hasEnded = true;
    for (const stream of this.#open) stream.end();
    setTimeout(() => {
      for (const stream of this.#open) stream.cut();
    }, FAREWELL_MS).unref();
  }

  /** What the ledger gives goes to all who are up to date, until nobody follows any more. */
  async #read(reader: Reader): Promise<void> {
    try {
      for await (const events of this.#log.follow(reader.next, reader.stop.signal)) {
        reader.next = events.block + 1;
        await this.#publish(events);
      }
    } catch (error) {
      if (!reader.stop.signal.aborted) this.#logger.error({ err: error }, 'new blocks cannot be read: streams are cut');
    }
    // Whoever connects again is told what is wrong, or goes on where it was.
    if (this.#reader === reader) for (const stream of this.#open) this.#cut(stream, 'failed');
  }

  /** Sends a block to all who are up to date, or has it wait for those that come within the pause. */
  async #publish(events: BlockEvents): Promise<void> {
    this.#waiting.push(events);
    this.#waitingBytes += events.bytes.length;
    const pause = Math.min(MOST_PAUSE_MS, this.#live.size * PAUSE_PER_STREAM_MS);
    const left = this.#sentAt + pause - performance.now();
    if (left <= 1 || this.#waitingBytes > MOST_TOGETHER) await this.#send();
    else this.#sending ??= setTimeout(() => void this.#send(), left);
  }

  async #send(): Promise<void> {
    clearTimeout(this.#sending);
    this.#sending = undefined;
    const [first, ...others] = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    if (first === undefined) return;
    this.#sentAt = performance.now();
    const batch = new EventBatch([first, ...others]);
    // One behind the other: a stream must not get the second batch before the first.
    this.#lastBatch = this.#lastBatch.then(() => this.#sendToLive(batch));
    await this.#lastBatch;
  }

  async #sendToLive(batch: EventBatch): Promise<void> {
    let served = 0;
    for (const stream of this.#live) {
      this.#sendTo(stream, batch);
      served += 1;
      if (served % STREAMS_IN_A_TURN === 0) await nextTurn();
    }
  }

  #sendTo(stream: EventStream, batch: EventBatch): void {
    if (batch.next <= stream.position.block) return;
    const taken = stream.takes(batch);
    if (taken === 'now') this.#metrics.sent(stream.send(batch));
    else if (taken === 'no more') this.#cut(stream, 'slow');
    else {
      this.#live.delete(stream);
      void this.#bringUp(stream);
    }
  }

  /** Gives a stream what is past, until it is up to date. */
  async #bringUp(stream: EventStream): Promise<void> {
    try {
      while (stream.isOpen && this.#reader !== undefined) {
        if (stream.position.block >= this.#reader.next) {
          this.#live.add(stream);
          return;
        }
        const kept = this.#log.kept(stream.position.block);
        if (kept !== undefined) this.#metrics.sent(await stream.sendInPieces(kept));
        else {
          const { unfinished } = await this.#replays.run(() => this.#replay(stream));
          await unfinished;
        }
      }
    } catch (error) {
      this.#logger.error({ err: error }, 'a block cannot be read: the stream is cut');
      this.#cut(stream, 'failed');
    }
  }

  /** @returns what the client has not taken yet, when others wait for the place */
  async #replay(stream: EventStream): Promise<{ readonly unfinished?: Promise<unknown> }> {
    const stop = new AbortController();
    const forget = stream.onClose(() => {
      stop.abort();
    });
    const until = performance.now() + REPLAY_SHARE_MS;
    try {
      for await (const events of this.#log.replay(stream.position.block, stop.signal)) {
        const sending = stream.sendInPieces(events).then((count) => {
          this.#metrics.sent(count);
        });
        if (!(await this.#isTaken(sending))) return { unfinished: sending };
        if (this.#isUpToDate(stream) || (this.#replays.isWanted && performance.now() > until)) break;
      }
    } finally {
      forget();
    }
    return {};
  }

  #isUpToDate({ isOpen, position }: EventStream): boolean {
    return !isOpen || position.block >= this.next || this.#log.kept(position.block) !== undefined;
  }

  /** Waits until a client has taken what was sent, or, while others wait for its place, until that takes too long. */
  async #isTaken(sending: Promise<void>): Promise<boolean> {
    const taken = sending.then(() => true);
    for (;;) {
      const stop = new AbortController();
      const late = delay(REPLAY_PATIENCE_MS, false, { signal: stop.signal }).catch(() => false);
      const isTaken = await Promise.race([taken, late]);
      stop.abort();
      if (isTaken || this.#replays.isWanted) return isTaken;
    }
  }

  #cut(stream: EventStream, reason: CutReason): void {
    if (!stream.isOpen) return;
    this.#metrics.cut(reason);
    this.#logger.info({ ...stream.facts, reason }, 'a stream of events was cut');
    stream.cut();
  }

  #leave(stream: EventStream): void {
    this.#open.delete(stream);
    this.#live.delete(stream);
    if (this.#open.size > 0) return;
    this.#reader?.stop.abort();
    this.#reader = undefined;
    clearTimeout(this.#sending);
    this.#sending = undefined;
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    for (const timer of this.#timers) clearInterval(timer);
  }

  #lookAfterAll(): void {
    const { beat, lease } = this.#pace;
    this.#timers = [
      setInterval(() => void this.#beat(), beat),
      setInterval(() => {
        for (const stream of this.#open) if (stream.lease?.() === false) this.#cut(stream, 'revoked');
      }, lease),
    ];
  }

  async #beat(): Promise<void> {
    let served = 0;
    for (const stream of this.#open) {
      if (stream.isOpen && !stream.beat()) this.#cut(stream, 'stalled');
      served += 1;
      if (served % STREAMS_IN_A_TURN === 0) await nextTurn();
    }
  }
}
