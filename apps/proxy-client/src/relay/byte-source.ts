import type { Socket } from 'node:net';
import type { SocketReader } from '#socks5-protocol';

export type { SocketReader } from '#socks5-protocol';

/**
 * A socket whose bytes come by callback in pooled buffers instead of 'data' events. Everything else is the socket's own:
 * write, end, destroy, 'end' (the peer has finished sending), 'error' and 'close'. Half-open: the end of one direction
 * leaves the other one open.
 */
export interface ByteSource {
  readonly socket: Socket;
  /**
   * Whether the last read has left nothing behind: what comes from now on was not there yet. `false` after a read that
   * filled its buffer, and while and after reading was stopped: the kernel may hold more.
   */
  readonly drained: boolean;
  /**
   * Gives the bytes from now on to `reader`, and reads. May be called again to change the reader: an end that came before
   * is not told again.
   */
  start(reader: SocketReader): void;
  /** Gives bytes back that are for the next reader: {@link start} hands them over first. */
  putBack(bytes: Buffer): void;
  /** How many bytes were put back and not yet handed over. */
  readonly early: number;
  /** Reads again after the reader said `false`. */
  resume(): void;
  /** To be called now and then: a source that has read nothing since the last call gives a large buffer back. */
  trim?(): void;
  /**
   * To be called when the socket has closed and nobody uses the bytes of its last read any more: what was kept for a
   * reader that had said `false` goes back to the pool.
   */
  free?(): void;
}

/** The source of a client's connection, which goes from one reader to the next. */
export interface ClientSource extends ByteSource {
  /** Who gets the bytes at the moment. */
  readonly reader: SocketReader | undefined;
}
