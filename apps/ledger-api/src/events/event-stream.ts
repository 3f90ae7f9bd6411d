import type { ServerResponse } from 'node:http';
import type { BlockEvents, EventBatch } from './block-events.js';
import { idBefore, type EventPosition } from './event-position.js';

/** Why a stream is cut. */
export type CutReason = 'slow' | 'stalled' | 'revoked' | 'failed';

/** Whether somebody who was let in may still be here. */
export type Lease = () => boolean;

/** So much may wait in this program for one client; the kernel holds some more. */
const MOST_WAITING = 1024 * 1024;
/** The events of a block that are more than this are sent in pieces, as the client takes them. */
const MOST_AT_ONCE = 256 * 1024;
const PIECE = 64 * 1024;
/** Looks, between which a client to whom bytes are owed took none, until it counts as stalled. */
const MOST_IDLE_LOOKS = 2;
/** Milliseconds after which clients connect again. */
const RETRY_MS = 2000;
/** Longer than a packet takes to a client and back, mostly. */
const PROBE_MS = 500;
/** A comment: keeps what is on the way from taking the connection for a dead one. */
const HEARTBEAT = Buffer.from(':\n\n');

/** One client that follows, and up to where. Its connection ends with the answer, whose end nothing else marks. */
export class EventStream {
  readonly lease: Lease | undefined;
  /** For the log. */
  readonly facts: object;
  readonly #response: ServerResponse;
  #position: EventPosition;
  #taken = 0;
  #idleLooks = 0;

  constructor(
    response: ServerResponse,
    { position, lease, facts }: Readonly<{ position: EventPosition; lease: Lease | undefined; facts: object }>,
  ) {
    this.#response = response;
    this.#position = position;
    this.lease = lease;
    this.facts = facts;
    response.socket?.once('end', () => {
      this.#probe();
    });
    const id = idBefore(position);
    // An id without data sets where a client goes on, before it was given any event (WHATWG HTML, 9.2.6).
    response.write(`retry: ${RETRY_MS}\n${id === undefined ? '' : `id: ${id}\n`}\n`);
  }

  get position(): EventPosition {
    return this.#position;
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Whether these events are few enough to be sent at once, and the client took enough of those before. */
  takes({ bytes: { length } }: EventBatch): 'now' | 'in pieces' | 'no more' {
    if (this.#response.writableLength > MOST_WAITING - Math.min(length, MOST_AT_ONCE)) return 'no more';
    return length > MOST_AT_ONCE ? 'in pieces' : 'now';
  }

  /** Sends at once what follows of a batch, and gives how many events that were. */
  send(batch: EventBatch): number {
    if (batch.next <= this.#position.block || !this.isOpen) return 0;
    const { bytes, count } = batch.from(this.#position);
    this.#position = { block: batch.next };
    this.#response.write(bytes);
    return count;
  }

  /** The same of a block in pieces; resolves when the client has taken nearly all of it, or is gone. */
  async sendInPieces(events: BlockEvents): Promise<number> {
    const { bytes, count } = events.from(this.#position);
    this.#position = { block: events.block + 1 };
    for (let at = 0; at < bytes.length && this.isOpen; at += PIECE) {
      if (!this.#response.write(bytes.subarray(at, at + PIECE))) await this.#drained();
    }
    return count;
  }

  /** Sends a heartbeat to a client that took everything else; gives false for one that takes nothing at all. */
  beat(): boolean {
    const { socket, writableLength } = this.#response;
    if (writableLength === 0) {
      this.#idleLooks = 0;
      this.#response.write(HEARTBEAT);
      return true;
    }
    const taken = (socket?.bytesWritten ?? 0) - writableLength;
    this.#idleLooks = taken === this.#taken ? this.#idleLooks + 1 : 0;
    this.#taken = taken;
    return this.#idleLooks < MOST_IDLE_LOOKS;
  }

  /**
   * A client that sends no more may have gone, or wait for what comes: servers here let it (server/api-server.ts). One that has gone
   * resets the connection when the first of two bytes comes, which the second then meets.
   */
  #probe(): void {
    this.#response.write(HEARTBEAT);
    setTimeout(() => {
      if (this.isOpen) this.#response.write(HEARTBEAT);
    }, PROBE_MS).unref();
  }

  /** Ends it behind what waits for the client. */
  end(): void {
    this.#response.end();
  }

  /** @returns what takes the listener away again */
  onClose(listener: () => void): () => void {
    this.#response.once('close', listener);
    return () => this.#response.off('close', listener);
  }

  cut(): void {
    this.#response.destroy();
  }

  #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const response = this.#response;
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve(undefined);
    };
    response.on('drain', done).on('close', done);
    return promise;
  }
}
