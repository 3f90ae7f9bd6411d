import type { Socket } from 'node:net';
import type { ClientSource, SocketReader } from './byte-source.js';

/** A source over an ordinary socket and its 'data' events: slower, but it takes any socket of any Node. */
export class PlainSource implements ClientSource {
  readonly socket: Socket;
  /** A stream reads ahead, and says nothing of the kernel. */
  readonly drained = false;
  #reader: SocketReader | undefined;
  #back: Buffer | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setTimeout(0);
    socket.on('error', ignore);
  }

  get reader(): SocketReader | undefined {
    return this.#reader;
  }

  get early(): number {
    return this.#back?.length ?? 0;
  }

  putBack(bytes: Buffer): void {
    this.#back = bytes;
  }

  start(reader: SocketReader): void {
    if (this.#reader === undefined) {
      this.socket
        .on('data', (chunk: Buffer) => {
          if (this.#reader?.read(chunk) === false) {
            this.socket.pause();
          }
        })
        .on('end', () => this.#reader?.onEnd?.())
        .on('close', () => this.#reader?.onClose?.());
    }
    this.#reader = reader;
    const back = this.#back;
    this.#back = undefined;
    if (back !== undefined && !reader.read(back)) {
      this.socket.pause();
      return;
    }
    this.resume();
  }

  resume(): void {
    this.socket.resume();
  }
}

function ignore(): void {
  // Errors are followed by 'close', which whoever owns the connection listens to.
}
