import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import type { ProgramLog } from '#logging';
import { ApiError } from '../http/errors.js';
import { answerOf, ERROR_CODE } from '../http/error-answers.js';
import { sseMessage, type BlockEvents, type EncodedEvents } from './block-events.js';
import { isUnreachable, type EventLog, type Start } from './event-log.js';
import { TEXT, type EventPosition, type EventSelection } from './event-position.js';

/** Intervals in milliseconds: of the periodic checks, and of attempts to start a stream while the ledger is unreachable. */
const INTERVALS = { heartbeat: 15_000, lease: 250, retry: 1000 };
export type StreamIntervals = Readonly<typeof INTERVALS>;
/** How long clients may read what waits for them at shutdown. */
const SHUTDOWN_MS = 250;
/** Live clients receive up to this many bytes at once, and more in pieces, at their pace. */
const MAX_AT_ONCE = 256 * 1024;
/** New blocks that may wait for the end of a turn. */
const MAX_BATCH = 64;
/** Streams that are served in one turn of the event loop. */
const STREAMS_PER_TURN = 64;
/** Bytes that may wait in this process for one client; the kernel holds some more. */
const MAX_WAITING = 1024 * 1024;
/** The bytes of a block are sent in pieces of this size while a client catches up. */
const PIECE = 64 * 1024;
/** Heartbeats without progress after which a client that has not read everything counts as stalled. */
const MAX_IDLE_BEATS = 2;
/** The reconnection time of clients in milliseconds. */
const RETRY_MS = 2000;
/** Longer than most round trips to a client. */
const PROBE_MS = 500;
/** A comment, which keeps proxies from closing an idle connection. */
const HEARTBEAT = Buffer.from(':\n\n');

/** A client whose stream begins. */
export interface EventClient {
  /** Returns whether the client is still allowed to follow the events; undefined without authentication. */
  readonly lease: (() => boolean) | undefined;
  /** Fields for the log. */
  readonly facts: object;
  /** The chaincode events that it follows; without it the changes of assets. */
  readonly selection?: EventSelection | undefined;
}

/** Why a stream was cut. */
const CUT_REASONS = ['slow', 'stalled', 'revoked', 'failed'] as const;
type CutReason = (typeof CUT_REASONS)[number];

/** The metrics of the event streams of all channels. */
@Injectable()
export class StreamMetrics {
  readonly sent: Counter;
  readonly cuts: Counter<'reason'>;
  readonly open: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    const help = 'Event streams that were cut, by reason.';
    this.cuts = new Counter({ name: 'ledger_event_streams_cut_total', help, labelNames: ['reason'], registers });
    this.sent = new Counter({
      name: 'ledger_events_sent_total',
      help: 'Events sent, counted once per stream.',
      registers,
    });
    for (const reason of CUT_REASONS) this.cuts.inc({ reason }, 0);
    this.open = new Gauge({ name: 'ledger_event_streams', help: 'Open event streams.', registers });
  }
}

/**
 * All open event streams of a channel. One reader of blocks serves those that are up to date (live). A stream that starts
 * further back replays older blocks until it reaches the reader. Each stream knows its next position, so nothing is missed or
 * sent twice when it changes from one to the other.
 */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  readonly #live = new Set<EventStream>();
  /** New blocks for the live streams, sent together at the end of the turn. */
  readonly #batch: BlockEvents[] = [];
  #flushing: Promise<void> | undefined;
  /** Ends the reader of new blocks, which all live streams share. */
  #reader: AbortController | undefined;
  /** The next block of the reader. */
  #next = 0;
  #timers: readonly NodeJS.Timeout[] = [];
  #isShutDown = false;

  constructor(
    private readonly log: EventLog,
    private readonly metrics: StreamMetrics,
    private readonly programLog: Pick<ProgramLog, 'logger'>,
    private readonly intervals: StreamIntervals = INTERVALS,
  ) {}

  /** @throws `API.NOT_READY` during shutdown */
  requireOpen(): void {
    if (this.#isShutDown) throw new ApiError('API.NOT_READY', TEXT.ending);
  }

  /**
   * Starts a stream on a response whose head was written. Without a start, because the ledger is unreachable, it receives
   * heartbeats until `attempt` succeeds, or an `error` event if that fails for another reason.
   */
  add(
    response: ServerResponse,
    client: EventClient,
    { start, attempt }: Readonly<{ start: Start | undefined; attempt: () => Promise<Start> }>,
  ): void {
    const stream = new EventStream(response, client);
    if (this.#isShutDown) stream.response.end();
    if (!stream.isOpen) return;
    if (this.#open.size === 0) this.#startTimers();
    this.#open.add(stream);
    this.metrics.open.inc();
    response.once('close', () => {
      this.#remove(stream);
    });
    if (start !== undefined) this.#start(stream, start);
    else void this.#startWhenReachable(stream, attempt);
  }

  /** Closes all streams. */
  shutDown(): void {
    this.#isShutDown = true;
    for (const stream of this.#open) stream.response.end();
    setTimeout(() => {
      for (const stream of this.#open) stream.response.destroy();
    }, SHUTDOWN_MS).unref();
  }

  #start(stream: EventStream, { position, id, height }: Start): void {
    if (!stream.isOpen) return;
    stream.startAt(position, id);
    if (this.#reader === undefined) {
      this.#reader = new AbortController();
      this.#next = height;
      void this.#read(this.#reader);
    }
    void this.#catchUp(stream);
  }

  async #startWhenReachable(stream: EventStream, attempt: () => Promise<Start>): Promise<void> {
    for (;;) {
      await delay(this.intervals.retry, undefined, { ref: false });
      if (!stream.isOpen) return;
      try {
        this.#start(stream, await attempt());
        return;
      } catch (error) {
        if (isUnreachable(error)) continue;
        // As the last event: the status was sent long before.
        const { headers, body } = answerOf(error);
        const data = JSON.stringify({ code: headers[ERROR_CODE], message: body.message });
        stream.response.end(sseMessage('error', undefined, data));
        return;
      }
    }
  }

  /** Sends new blocks to the live streams until no stream is left. */
  async #read(reader: AbortController): Promise<void> {
    try {
      for await (const events of this.log.follow(this.#next, reader.signal)) {
        if (reader.signal.aborted) return;
        this.#next = events.block + 1;
        this.#batch.push(events);
        const flushed = (this.#flushing ??= this.#flush());
        if (this.#batch.length >= MAX_BATCH) await flushed;
      }
    } catch (error) {
      if (!reader.signal.aborted) {
        this.programLog.logger.error({ err: error }, 'new blocks cannot be read: streams are cut');
      }
    }
    // Clients that reconnect receive the error, or resume.
    if (this.#reader === reader) for (const stream of this.#open) this.#cut(stream, 'failed');
  }

  /** Sends the blocks of a turn together, because a write to a socket costs more than the events in it. */
  async #flush(): Promise<void> {
    await nextTurn();
    while (this.#batch.length > 0) {
      const blocks = this.#batch.splice(0);
      await this.#inTurns(this.#live, (stream) => {
        const { selection } = stream.client;
        const size = blocks.reduce((sum, events) => sum + events.sizeOf(selection), 0);
        if (stream.response.writableLength > MAX_WAITING) this.#cut(stream, 'slow');
        else if (size <= MAX_AT_ONCE) this.metrics.sent.inc(stream.send(blocks));
        else {
          this.#live.delete(stream);
          void this.#catchUp(stream);
        }
      });
    }
    this.#flushing = undefined;
  }

  /** Sends older blocks to a stream until it is up to date. */
  async #catchUp(stream: EventStream): Promise<void> {
    try {
      while (stream.isOpen && stream.block < this.#next) {
        for (const events of await this.log.read(stream.block, this.#next)) {
          this.metrics.sent.inc(await stream.sendInPieces(events));
        }
      }
      if (stream.isOpen) this.#live.add(stream);
    } catch (error) {
      this.programLog.logger.error({ err: error }, 'a block cannot be read: the stream is cut');
      this.#cut(stream, 'failed');
    }
  }

  #cut(stream: EventStream, reason: CutReason): void {
    if (!stream.isOpen) return;
    this.metrics.cuts.inc({ reason });
    this.programLog.logger.info({ ...stream.client.facts, reason }, 'an event stream was cut');
    stream.response.destroy();
  }

  #remove(stream: EventStream): void {
    if (this.#open.delete(stream)) this.metrics.open.dec();
    this.#live.delete(stream);
    if (this.#open.size > 0) return;
    this.#reader?.abort();
    this.#reader = undefined;
    this.#batch.length = 0;
    for (const timer of this.#timers) clearInterval(timer);
  }

  #startTimers(): void {
    const { heartbeat, lease } = this.intervals;
    this.#timers = [
      setInterval(() => {
        void this.#inTurns(this.#open, (stream) => {
          if (!stream.beat()) this.#cut(stream, 'stalled');
        });
      }, heartbeat),
      setInterval(() => {
        for (const stream of this.#open) if (stream.client.lease?.() === false) this.#cut(stream, 'revoked');
      }, lease),
    ];
  }

  /** Serves many streams without blocking the event loop. */
  async #inTurns(streams: ReadonlySet<EventStream>, serve: (stream: EventStream) => void): Promise<void> {
    let served = 0;
    for (const stream of streams) {
      if (stream.isOpen) serve(stream);
      served += 1;
      if (served % STREAMS_PER_TURN === 0) await nextTurn();
    }
  }
}

/** The stream of one client. The end of its connection is the end of the stream. */
export class EventStream {
  /** The next position to send. */
  #position: EventPosition = { block: 0 };
  #bytesRead = 0;
  #idleBeats = 0;

  constructor(
    readonly response: ServerResponse,
    readonly client: EventClient,
  ) {
    response.socket?.once('end', () => void this.#probe());
    response.write(`retry: ${RETRY_MS}\n\n`);
  }

  /** The next block to send. */
  get block(): number {
    return this.#position.block;
  }

  get isOpen(): boolean {
    return !this.response.destroyed && !this.response.writableEnded;
  }

  /**
   * Sets where the stream starts.
   *
   * @param id - the id of the event before it. An id without data lets the client resume before it has received
   * an event (WHATWG HTML, 9.2.6)
   */
  startAt(position: EventPosition, id: string | undefined): void {
    this.#position = position;
    if (id !== undefined && this.isOpen) this.response.write(`id: ${id}\n\n`);
  }

  /** Sends the blocks that the client has not received, in one write, and returns the number of events. */
  send(blocks: readonly BlockEvents[]): number {
    let sent = 0;
    this.response.cork();
    for (const events of blocks.filter(({ block }) => block >= this.block)) {
      const { bytes, count } = this.#advance(events);
      this.response.write(bytes);
      sent += count;
    }
    this.response.uncork();
    return sent;
  }

  /** Sends the rest of a block in pieces and returns the number of events when the client has read most of it or left. */
  async sendInPieces(events: BlockEvents): Promise<number> {
    const { bytes, count } = this.#advance(events);
    for (let at = 0; at < bytes.length && this.isOpen; at += PIECE) {
      if (!this.response.write(bytes.subarray(at, at + PIECE))) await this.#drained();
    }
    return count;
  }

  /** Returns the rest of a block, and sets the position to its end. */
  #advance(events: BlockEvents): EncodedEvents {
    const rest = events.from(this.#position, this.client.selection);
    this.#position = { block: events.block + 1 };
    return rest;
  }

  /** Sends a heartbeat to a client that has read everything. Returns false for a client that reads nothing. */
  beat(): boolean {
    const { socket, writableLength } = this.response;
    if (writableLength === 0) {
      this.#idleBeats = 0;
      this.response.write(HEARTBEAT);
      return true;
    }
    const read = (socket?.bytesWritten ?? 0) - writableLength;
    this.#idleBeats = read === this.#bytesRead ? this.#idleBeats + 1 : 0;
    this.#bytesRead = read;
    return this.#idleBeats < MAX_IDLE_BEATS;
  }

  /**
   * A client that closes its side has left, or only waits for the answer (server/api-server.ts permits half-close). One that
   * left resets the connection at the first heartbeat, which the second one detects.
   */
  async #probe(): Promise<void> {
    if (this.isOpen) this.response.write(HEARTBEAT);
    await delay(PROBE_MS, undefined, { ref: false });
    if (this.isOpen) this.response.write(HEARTBEAT);
  }

  async #drained(): Promise<void> {
    const stop = new AbortController();
    const events = ['drain', 'close'].map((name) => once(this.response, name, { signal: stop.signal }));
    await Promise.race(events).finally(() => {
      stop.abort();
    });
  }
}
