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
}
