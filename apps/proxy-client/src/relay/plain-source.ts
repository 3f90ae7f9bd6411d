import type { Socket } from 'node:net';
import type { ByteSource, SocketReader } from './byte-source.js';

/** A source over an ordinary socket and its 'data' events: slower, but it takes any socket of any Node. */
export class PlainSource implements ByteSource {
  readonly socket: Socket;
  #reader: SocketReader | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setTimeout(0);
    socket.on('error', ignore);
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
    this.resume();
  }

  resume(): void {
    this.socket.resume();
  }
}

function ignore(): void {
  // Errors are followed by 'close', which whoever owns the connection listens to.
}
