import type { Socket } from 'node:net';
import type { SocketReader } from '#socks5-protocol';

export type { SocketReader } from '#socks5-protocol';

/**
 * A socket whose bytes are delivered by callback in pooled buffers instead of 'data' events. Everything else is the socket's
 * own: write, end, destroy, 'end' (the peer has finished sending), 'error' and 'close'. It is half-open: the end of one
 * direction leaves the other one open.
 */
export interface ByteSource {
  readonly socket: Socket;
  /**
   * Whether the last read emptied the kernel's buffer. `false` after a read that filled its buffer, and while and after
   * reading was stopped: the kernel may hold more.
   */
  readonly drained: boolean;
  /**
   * Reads, and delivers the bytes to `reader`. May be called again to replace the reader: an end that was already reported is
   * not reported again.
   */
  start(reader: SocketReader): void;
  /** Puts bytes back for the next reader: {@link start} delivers them first. */
  putBack(bytes: Buffer): void;
  /** The number of bytes that were put back and not yet delivered. */
  readonly early: number;
  /** Resumes reading after the reader returned `false`. */
  resume(): void;
  /** Called periodically: a source that has read nothing since the last call releases a large buffer. */
  trim?(): void;
  /** Called when the socket has closed and the bytes of its last read are not needed any more: releases their buffer. */
  free?(): void;
}

/** The source of a client's connection, which passes from one reader to the next. */
export interface ClientSource extends ByteSource {
  /** The current reader. */
  readonly reader: SocketReader | undefined;
}
