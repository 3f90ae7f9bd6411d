import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Optional, type OnModuleDestroy } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { answerOf, ApiError, ERROR_CODE } from '../http/errors.js';
import { sseMessage, type BlockEvents } from './block-events.js';
import { EventLog, isUnreachable, type Start } from './event-log.js';
import { TEXT } from './event-position.js';
import { EventStream, type EventClient } from './event-stream.js';

/** Intervals of the periodic checks in milliseconds. */
export interface StreamIntervals {
  readonly heartbeat: number;
  readonly lease: number;
  /** Between two attempts to start a stream while the ledger is unreachable. */
  readonly retry: number;
}

const INTERVALS: StreamIntervals = { heartbeat: 15_000, lease: 250, retry: 1000 };
/** How long clients may read what waits for them at shutdown. */
const SHUTDOWN_MS = 250;
/** Live clients receive up to this many bytes at once, and more in pieces, at their pace. */
const MAX_AT_ONCE = 256 * 1024;
/** New blocks that may wait for the end of a turn. */
const MAX_BATCH = 64;
/** Streams that are served in one turn of the event loop. */
const STREAMS_PER_TURN = 64;

/** Why a stream was cut. */
const CUT_REASONS = ['slow', 'stalled', 'revoked', 'failed'] as const;
type CutReason = (typeof CUT_REASONS)[number];

/**
 * All open event streams. One reader of blocks serves those that are up to date (live). A stream that starts further back
 * replays older blocks until it reaches the reader. Each stream knows its next position, so nothing is missed or sent twice
 * when it changes from one to the other.
 */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  readonly #open = new Set<EventStream>();
  readonly #live = new Set<EventStream>();
  readonly #sent: Counter;
  readonly #cuts: Counter<'reason'>;
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
    registry: Registry,
    @Inject(PROGRAM_LOG) private readonly programLog: Pick<ProgramLog, 'logger'>,
    @Optional() private readonly intervals: StreamIntervals = INTERVALS,
  ) {
    const registers = [registry];
    const sent = { name: 'ledger_events_sent_total', help: 'Events sent, counted once per stream.' };
    const cuts = { name: 'ledger_event_streams_cut_total', help: 'Event streams that were cut, by reason.' };
    this.#sent = new Counter({ ...sent, registers });
    this.#cuts = new Counter({ ...cuts, labelNames: ['reason'], registers });
    for (const reason of CUT_REASONS) this.#cuts.inc({ reason }, 0);
    const count = (): number => this.#open.size;
    new Gauge({
      name: 'ledger_event_streams',
      help: 'Open event streams.',
      registers,
      collect() {
        this.set(count());
      },
    });
  }

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
    response.once('close', () => {
      this.#remove(stream);
    });
    if (start !== undefined) this.#start(stream, start);
    else void this.#startWhenReachable(stream, attempt);
  }

  /** Closes all streams before the listeners drain: they would delay that up to its limit. */
  onModuleDestroy(): void {
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
      const isSmall = blocks.reduce((sum, { bytes }) => sum + bytes.length, 0) <= MAX_AT_ONCE;
      await this.#inTurns(this.#live, (stream) => {
        if (stream.isFull) this.#cut(stream, 'slow');
        else if (isSmall) this.#sent.inc(stream.send(blocks));
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
          this.#sent.inc(await stream.sendInPieces(events));
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
    this.#cuts.inc({ reason });
    this.programLog.logger.info({ ...stream.client.facts, reason }, 'an event stream was cut');
    stream.response.destroy();
  }

  #remove(stream: EventStream): void {
    this.#open.delete(stream);
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
