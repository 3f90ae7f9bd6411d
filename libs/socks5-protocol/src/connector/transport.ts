import type { Socket } from 'node:net';

/** Takes what a {@link Transport} reads. */
export interface TransportReader {
  /**
   * Takes the bytes of one read; they are valid during the call only. `false` stops reading: what the caller does with
   * the connection from then on is the transport's own affair.
   */
  read(chunk: Buffer): boolean;
  /** The server has finished sending. */
  onEnd?(): void;
  /** The socket has closed; `errored` of the socket says why, if it broke. */
  onClose?(): void;
}

/** A connection to a SOCKS5 server, as the session needs it: a socket, its bytes and its end. */
export interface Transport {
  /** Connecting or connected, half-open allowed, with an 'error' listener. */
  readonly socket: Socket;
  /** Also called while the socket is connecting. */
  start(reader: TransportReader): void;
}

/** The transport over an ordinary socket and its events. Once its reader has said `false` it has let go of the socket. */
export class SocketTransport implements Transport {
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  start(reader: TransportReader): void {
    const { socket } = this;
    const onEnd = (): void => {
      reader.onEnd?.();
    };
    const onClose = (): void => {
      reader.onClose?.();
    };
    const take = (chunk: Buffer): void => {
      if (!reader.read(chunk)) {
        socket.pause();
        socket.off('data', take).off('end', onEnd).off('close', onClose).off('error', ignore);
      }
    };
    socket.on('data', take).on('end', onEnd).on('close', onClose).on('error', ignore);
  }
}

function ignore(): void {
  // 'close' follows.
}
