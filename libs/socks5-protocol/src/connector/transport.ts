import type { Socket } from 'node:net';

/** Takes what a {@link Transport} reads. */
export interface TransportReader {
  /**
   * Takes the bytes of one read; they are valid during the call only. `false` stops reading: what the caller does with
   * the connection from then on is the transport's own affair.
   */
  read(chunk: Buffer): boolean;
}

/** A connection to a SOCKS5 server, as the session needs it: a socket and a way to get its bytes. */
export interface Transport {
  /** Connecting or connected, half-open allowed. */
  readonly socket: Socket;
  start(reader: TransportReader): void;
}

/** The transport over an ordinary socket and its 'data' events. */
export class SocketTransport implements Transport {
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  start(reader: TransportReader): void {
    const take = (chunk: Buffer): void => {
      if (!reader.read(chunk)) {
        this.socket.pause();
        this.socket.off('data', take);
      }
    };
    this.socket.on('data', take);
  }
}
