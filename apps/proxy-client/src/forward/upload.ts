import type { Socket } from 'node:net';
import { tidied, type FieldLines } from '../http/field-lines.js';
import { trailerSection } from '../http/trailers.js';
import { MessageWriter } from './message-writer.js';
import type { PreparedRequest } from './prepared-request.js';

/** What of a body is held while nobody can take it yet; beyond it, its bytes wait in the kernel. */
const MAX_HELD = 65_536;

type State = 'waiting' | 'sending' | 'blocked' | 'complete' | 'discarding';

/** The end of a body. */
export interface BodyEnd {
  readonly trailers: FieldLines | undefined;
}

/** Carries the body of a request to the origin, as fast as the origin takes it. */
export class Upload {
  readonly #request: PreparedRequest;
  readonly #readOn: () => void;
  #state: State = 'waiting';
  #writer: MessageWriter | undefined;
  #socket: Socket | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #end: BodyEnd | undefined;
  #begun = false;
  /** The client waits until it is told to go on. */
  #stopped = false;

  /** @param readOn - called when more of the body can come, after {@link take} said `false` */
  constructor(request: PreparedRequest, readOn: () => void) {
    this.#request = request;
    this.#readOn = readOn;
  }

  /** Whether a byte of the body has come: it goes out at once, if there is somebody to take it. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether all of it has gone out. */
  get complete(): boolean {
    return this.#state === 'complete';
  }

  /** Whether nobody takes it any more. */
  get discarded(): boolean {
    return this.#state === 'discarding';
  }

  /** Whether the client owes bytes: there is somebody to take them, and they are not held up by us. */
  get awaitsClient(): boolean {
    return this.#state === 'sending';
  }

  /**
   * Takes what one read brought of the body.
   *
   * @param pieces - where each piece of it begins and ends in `chunk`, one after the other
   * @param end - if it has ended with them
   * @returns whether the next read may follow at once, into the same memory
   */
  take(chunk: Buffer, pieces: readonly number[], end: BodyEnd | undefined): boolean {
    this.#begun ||= pieces.length > 0 || end !== undefined;
    this.#end = end;
    if (this.#state === 'discarding') return true;
    const goesOn = this.#state === 'waiting' ? this.#hold(chunk, pieces) : this.#send(chunk, pieces);
    this.#stopped = !goesOn;
    return goesOn;
  }

  /** Sends the head of the request, and what has come of its body, on a connection. */
  sendOn(socket: Socket): void {
    this.#socket = socket;
    this.#writer = new MessageWriter(socket);
    this.#writer.head(this.#request.head, this.#request.framing === 'chunked');
    this.#state = 'sending';
    for (const bytes of this.#held) this.#writer.body(bytes, 0, bytes.length);
    this.#held = [];
    this.#heldBytes = 0;
    if (this.#flush() && this.#stopped) this.#goOn();
  }

  /** Waits for another connection; nothing of the body has gone out. */
  hold(): void {
    this.#state = 'waiting';
  }

  /** Reads what is still to come away: there is nobody left to take it. */
  discard(): void {
    if (this.#state !== 'complete') this.#state = 'discarding';
    this.#held = [];
    this.#goOn();
  }

  #hold(chunk: Buffer, pieces: readonly number[]): boolean {
    for (let index = 0; index < pieces.length; index += 2) {
      const bytes = Buffer.from(chunk.subarray(pieces[index], pieces[index + 1]));
      this.#held.push(bytes);
      this.#heldBytes += bytes.length;
    }
    return this.#heldBytes < MAX_HELD;
  }

  #send(chunk: Buffer, pieces: readonly number[]): boolean {
    for (let index = 0; index < pieces.length; index += 2) {
      this.#writer?.body(chunk, pieces[index] ?? 0, pieces[index + 1] ?? 0);
    }
    return this.#flush();
  }

  /** @returns whether all memory of the client's reads is free again, and the connection takes more */
  #flush(): boolean {
    const end = this.#end;
    const { trailers } = end ?? {};
    if (end !== undefined) this.#writer?.end(trailers && trailerSection(trailers, this.#request.connection, tidied));
    const taken = this.#writer?.flush(end !== undefined) === true;
    if (end !== undefined) this.#state = 'complete';
    else if (!taken) this.#state = 'blocked';
    if (!taken) {
      this.#stopped = true;
      // After an error the connection closes, which ends the exchange.
      this.#socket?.write('', (error) => {
        if (!error) this.#goOn();
      });
    }
    return taken;
  }

  #goOn(): void {
    if (this.#state === 'blocked') this.#state = 'sending';
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#readOn();
  }
}
