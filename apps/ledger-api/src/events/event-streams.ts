import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { isLedgerError } from '#ledger-gateway';
import { answerOf, ApiError, ERROR_CODE } from '../http/errors.js';
import type { BlockEvents } from './block-events.js';
import type { EventLog } from './event-log.js';
import type { EventMetrics } from './event-metrics.js';
import { TEXT, type EventPosition } from './event-position.js';
import { EventStream, type CutReason, type Lease } from './event-stream.js';

/** Intervals of the periodic checks in milliseconds. */
export interface StreamIntervals {
  readonly heartbeat: number;
  readonly lease: number;
  /** Between two attempts to start a stream while the ledger is unreachable. */
  readonly retry: number;
}

const INTERVALS: StreamIntervals = { heartbeat: 15_000, lease: 250, retry: 1000 };
/** Streams that replay older blocks at the same time. */
const MAX_REPLAYS = 8;
/** While others wait, a replay releases its slot after this time, or if its client reads nothing for {@link REPLAY_STALL_MS}. */
const REPLAY_SHARE_MS = 2000;
const REPLAY_STALL_MS = 250;
/** How long clients may read what waits for them at shutdown. */
const SHUTDOWN_MS = 250;
/** Bytes of new blocks that may wait for the end of a turn. */
const MAX_BATCH = 128 * 1024;
/** Streams that are served in one turn of the event loop. */
const STREAMS_PER_TURN = 64;

/** Where a stream starts. */
export interface Start {
  readonly position: EventPosition;
  /** The id of the event before it. */
  readonly id: string | undefined;
  /** The number of blocks that the chain has at least. */
  readonly height: number;
}

/** A client whose stream begins. */
export interface Client {
  readonly lease: Lease | undefined;
  /** Fields for the log. */
  readonly facts: object;
}

/** The reader of new blocks, shared by all streams that are up to date. */
interface Reader {
  /** The next block. */
  next: number;
  readonly stop: AbortController;
}

/** Returns whether an error means that the ledger cannot be reached at the moment. */
export function isUnreachable(error: unknown): boolean {
  return isLedgerError(error, 'LEDGER.UNAVAILABLE') || isLedgerError(error, 'LEDGER.TIMEOUT');
}

/**
 * All open event streams. One reader of blocks serves those that are up to date (live). A stream that starts further back
 * replays older blocks until it reaches the reader. Each stream knows its next position, so nothing is missed or sent twice
 * when it changes from one to the other.
 */
export class EventStreams implements OnModuleDestroy {
  readonly #log: EventLog;
  readonly #metrics: EventMetrics;
  readonly #logger: Logger;
  readonly #intervals: StreamIntervals;
  readonly #open = new Set<EventStream>();
  readonly #live = new Set<EventStream>();
  readonly #replays = new Slots(MAX_REPLAYS);
  /** New blocks for the live streams, sent together at the end of the turn. */
  readonly #batch: BlockEvents[] = [];
  #flushing: Promise<void> | undefined;
  #reader: Reader | undefined;
  #timers: readonly NodeJS.Timeout[] = [];
  #isShutDown = false;

  constructor(log: EventLog, metrics: EventMetrics, logger: Logger, intervals: StreamIntervals = INTERVALS) {
    this.#log = log;
    this.#metrics = metrics;
    this.#logger = logger;
    this.#intervals = intervals;
    metrics.watch(() => this.#open.size);
  }

  /** The next block of the live streams; 0 while there are none. */
  get next(): number {
    return this.#reader?.next ?? 0;
  }

  /** @throws `API.NOT_READY` during shutdown */
  requireOpen(): void {
    if (this.#isShutDown) throw new ApiError('API.NOT_READY', TEXT.ending);
  }

  /** Starts a stream on a response whose head was written. */
  add(response: ServerResponse, client: Client, start: Start): void {
    const stream = this.#accept(response, client);
    if (stream !== undefined) this.#start(stream, start);
  }

  /**
   * Opens a stream while the ledger is unreachable. It receives heartbeats until `attempt` succeeds, and an `error` event if
   * that fails for another reason than the ledger being unreachable.
   */
  addWaiting(response: ServerResponse, client: Client, attempt: () => Promise<Start>): void {
    const stream = this.#accept(response, client);
    if (stream !== undefined) void this.#startWhenReachable(stream, attempt);
  }

  /** Closes all streams before the listeners drain: they would delay that up to its limit. */
  onModuleDestroy(): void {
    this.#isShutDown = true;
    for (const stream of this.#open) stream.end();
    setTimeout(() => {
      for (const stream of this.#open) stream.cut();
    }, SHUTDOWN_MS).unref();
  }

  #accept(response: ServerResponse, client: Client): EventStream | undefined {
    const stream = new EventStream(response, client);
    if (this.#isShutDown) stream.end();
    if (!stream.isOpen) return undefined;
    if (this.#open.size === 0) this.#startTimers();
    this.#open.add(stream);
    stream.onClose(() => {
      this.#remove(stream);
    });
    return stream;
  }

  #start(stream: EventStream, { position, id, height }: Start): void {
    if (!stream.isOpen) return;
    stream.startAt(position, id);
    if (this.#reader === undefined) {
      this.#reader = { next: height, stop: new AbortController() };
      void this.#read(this.#reader);
    }
    void this.#catchUp(stream);
  }

  async #startWhenReachable(stream: EventStream, attempt: () => Promise<Start>): Promise<void> {
    for (;;) {
      await delay(this.#intervals.retry, undefined, { ref: false });
      if (!stream.isOpen) return;
      try {
        this.#start(stream, await attempt());
        return;
      } catch (error) {
        if (isUnreachable(error)) continue;
        const { headers, body } = answerOf(error);
        stream.fail(headers[ERROR_CODE] ?? '', body.message);
        return;
      }
    }
  }

  /** Sends new blocks to the live streams until no stream is left. */
  async #read(reader: Reader): Promise<void> {
    try {
      for await (const events of this.#log.follow(reader.next, reader.stop.signal)) {
        reader.next = events.block + 1;
        this.#batch.push(events);
        const flushed = (this.#flushing ??= this.#flush());
        if (this.#batch.reduce((sum, { bytes }) => sum + bytes.length, 0) > MAX_BATCH) await flushed;
      }
    } catch (error) {
      if (!reader.stop.signal.aborted) this.#logger.error({ err: error }, 'new blocks cannot be read: streams are cut');
    }
    // Clients that reconnect receive the error, or resume.
    if (this.#reader === reader) for (const stream of this.#open) this.#cut(stream, 'failed');
  }

  /** Sends the blocks of a turn together, because a write to a socket costs more than the events in it. */
  async #flush(): Promise<void> {
    await nextTurn();
    while (this.#batch.length > 0) await this.#sendToLive(this.#batch.splice(0));
    this.#flushing = undefined;
  }

  async #sendToLive(blocks: readonly BlockEvents[]): Promise<void> {
    const first = blocks[0]?.block ?? 0;
    const next = first + blocks.length;
    const whole = joined(blocks, { block: first });
    let served = 0;
    for (const stream of this.#live) {
      const { position } = stream;
      if (position === undefined || position.block >= next) continue;
      const isWhole = position.block === first && position.after === undefined;
      this.#sendTo(stream, isWhole ? whole : joined(blocks, position), next);
      served += 1;
      if (served % STREAMS_PER_TURN === 0) await nextTurn();
    }
  }

  #sendTo(stream: EventStream, { bytes, count }: ReturnType<typeof joined>, next: number): void {
    const how = stream.isOpen ? stream.canTake(bytes.length) : 'no';
    if (how === 'at once') {
      stream.send(bytes, next);
      this.#metrics.sent(count);
    } else if (how === 'no') this.#cut(stream, 'slow');
    else {
      this.#live.delete(stream);
      void this.#catchUp(stream);
    }
  }

  /** Sends older blocks to a stream until it is up to date. */
  async #catchUp(stream: EventStream): Promise<void> {
    try {
      while (stream.isOpen && stream.position !== undefined && this.#reader !== undefined) {
        const { block } = stream.position;
        if (block >= this.#reader.next) {
          this.#live.add(stream);
          return;
        }
        const cached = this.#log.cached(block);
        if (cached !== undefined) this.#metrics.sent(await stream.sendInPieces(cached));
        else {
          const { unfinished } = await this.#replays.run(() => this.#replay(stream, block));
          await unfinished;
        }
      }
    } catch (error) {
      this.#logger.error({ err: error }, 'a block cannot be read: the stream is cut');
      this.#cut(stream, 'failed');
    }
  }

  /** @returns the write that the client has not read yet, when other streams wait for the slot */
  async #replay(stream: EventStream, from: number): Promise<{ readonly unfinished?: Promise<unknown> }> {
    const stop = new AbortController();
    const forget = stream.onClose(() => {
      stop.abort();
    });
    const until = performance.now() + REPLAY_SHARE_MS;
    try {
      for await (const events of this.#log.replay(from, stop.signal)) {
        const sending = stream.sendInPieces(events).then((count) => {
          this.#metrics.sent(count);
        });
        if (!(await this.#isRead(sending))) return { unfinished: sending };
        if (this.#isCaughtUp(stream) || (this.#replays.isContended && performance.now() > until)) break;
      }
    } finally {
      forget();
    }
    return {};
  }

  #isCaughtUp({ isOpen, position }: EventStream): boolean {
    if (!isOpen || position === undefined) return true;
    return position.block >= this.next || this.#log.cached(position.block) !== undefined;
  }

  /** Waits until a client has read what was sent or, while other streams wait for its slot, until that takes too long. */
  async #isRead(sending: Promise<void>): Promise<boolean> {
    const read = sending.then(() => true);
    for (;;) {
      const stop = new AbortController();
      const late = delay(REPLAY_STALL_MS, false, { signal: stop.signal }).catch(() => false);
      const isRead = await Promise.race([read, late]);
      stop.abort();
      if (isRead || this.#replays.isContended) return isRead;
    }
  }

  #cut(stream: EventStream, reason: CutReason): void {
    if (!stream.isOpen) return;
    this.#metrics.cut(reason);
    this.#logger.info({ ...stream.facts, reason }, 'an event stream was cut');
    stream.cut();
  }

  #remove(stream: EventStream): void {
    this.#open.delete(stream);
    this.#live.delete(stream);
    if (this.#open.size > 0) return;
    this.#reader?.stop.abort();
    this.#reader = undefined;
    this.#batch.length = 0;
    for (const timer of this.#timers) clearInterval(timer);
  }

  #startTimers(): void {
    const { heartbeat, lease } = this.#intervals;
    this.#timers = [
      setInterval(() => void this.#beat(), heartbeat),
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
      if (served % STREAMS_PER_TURN === 0) await nextTurn();
    }
  }
}

/** Returns the messages of consecutive blocks that follow a position, as one buffer. */
function joined(
  blocks: readonly BlockEvents[],
  position: EventPosition,
): { readonly bytes: Buffer; readonly count: number } {
  const parts = blocks.filter(({ block }) => block >= position.block).map((each) => each.from(position));
  const [{ bytes: only } = { bytes: Buffer.alloc(0) }] = parts;
  const bytes = parts.length === 1 ? only : Buffer.concat(parts.map((part) => part.bytes));
  return { bytes, count: parts.reduce((sum, { count }) => sum + count, 0) };
}

/** A semaphore that serves its waiters in order. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Whether someone waits for a slot. */
  get isContended(): boolean {
    return this.#waiting.length > 0;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
