import type { ServerResponse } from 'node:http';
import type { BlockEvents } from './block-events.js';
import type { EventPosition } from './event-position.js';

/** A client whose stream begins. */
export interface EventClient {
  /** Returns whether the client is still allowed to follow the events; undefined without authentication. */
  readonly lease: (() => boolean) | undefined;
  /** Fields for the log. */
  readonly facts: object;
}

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
    response.socket?.once('end', () => {
      this.#probe();
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
  }

  /** The next block to send. */
  get block(): number {
    return this.#position.block;
  }

  get isOpen(): boolean {
    return !this.response.destroyed && !this.response.writableEnded;
  }

  /** Whether the client has not read enough of what was sent to receive more. */
  get isFull(): boolean {
    return this.response.writableLength > MAX_WAITING;
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
  #advance(events: BlockEvents): ReturnType<BlockEvents['from']> {
    const rest = events.from(this.#position);
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
  #probe(): void {
    if (!this.isOpen) return;
    this.response.write(HEARTBEAT);
    setTimeout(() => {
      if (this.isOpen) this.response.write(HEARTBEAT);
    }, PROBE_MS).unref();
  }

  #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const done = (): void => {
      this.response.off('drain', done).off('close', done);
      resolve(undefined);
    };
    this.response.on('drain', done).on('close', done);
    return promise;
  }
}
