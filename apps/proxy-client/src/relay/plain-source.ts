import type { Socket } from 'node:net';
import type { ByteSource, SocketReader } from './byte-source.js';

/** A source over an ordinary socket and its 'data' events: slower, but it works with every socket and version of Node. */
export class PlainSource implements ByteSource {
  readonly socket: Socket;
  /** A stream reads ahead and does not report the state of the kernel's buffer. */
  readonly drained = false;
  #reader: SocketReader | undefined;
  #early: Buffer | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setTimeout(0);
    socket.on('error', ignore);
  }

  get early(): number {
    return this.#early?.length ?? 0;
  }

  putBack(bytes: Buffer): void {
    this.#early = bytes;
  }

  start(reader: SocketReader): void {
    if (this.#reader === undefined) {
      this.socket
        .on('data', (chunk: Buffer) => {
          if (this.#reader?.read(chunk) === false) this.socket.pause();
        })
        .on('end', () => this.#reader?.onEnd?.())
        .on('close', () => this.#reader?.onClose?.());
    }
    this.#reader = reader;
    const early = this.#early;
    this.#early = undefined;
    if (early !== undefined && !reader.read(early)) this.socket.pause();
    else this.resume();
  }

  resume(): void {
    this.socket.resume();
  }
}

function ignore(): void {
  // Errors are followed by 'close', which the owner of the connection handles.
}
