import type { Socket } from 'node:net';
import type { SocketReader } from '#socks5-protocol';
import { enableKeepAlive, type ConnectionSocket } from './connection-socket.js';

export type { SocketReader } from '#socks5-protocol';

/** Receives what a {@link ByteSource} reads. */
export interface SourceReader extends SocketReader {
  /**
   * Whether it relays content, for which large buffers save system calls. Other readers wait for the end of a message, and
   * a peer that never sends it must not hold a large buffer.
   */
  readonly relaysContent?: boolean;
  /**
   * Receives the chunks of one turn of the event loop, in order. Without this method `read` receives a copy of them as one.
   *
   * @returns as `read`; after `true` the memory of the chunks is freed at once
   */
  readTurn?(chunks: readonly Buffer[]): boolean;
}

/** The options of every socket of a client or upstream. See {@link enableKeepAlive} for TCP keep-alive. */
export const SOCKET_OPTIONS = { allowHalfOpen: true, noDelay: true } as const;

/**
 * A socket whose bytes are delivered by callback in pooled buffers instead of 'data' events. Everything else is the socket's
 * own: write, end, destroy, 'end' (the peer has finished sending), 'error' and 'close'. It is half-open: the end of one
 * direction leaves the other one open.
 */
export interface ByteSource {
  readonly socket: ConnectionSocket;
  /**
   * Whether the last read emptied the kernel's buffer. `false` after a read that filled its buffer, and while and after
   * reading was stopped: the kernel may hold more.
   */
  readonly drained: boolean;
  /**
   * Reads, and delivers the bytes to `reader`. May be called again to replace the reader: an end that was already reported is
   * not reported again.
   */
  start(reader: SourceReader): void;
  /** Puts bytes back for the next reader: {@link start} delivers them first. */
  putBack(bytes: Buffer): void;
  /** The number of bytes that were put back and not yet delivered. */
  readonly early: number;
  /** Resumes reading after the reader returned `false`. */
  resume(): void;
  /** Called periodically: enables TCP keep-alive, and releases a large buffer if nothing was read since the last call. */
  trim(): void;
  /** The current reader. */
  readonly reader: SourceReader | undefined;
  /** Is notified when the socket has closed, while its counters can still be read. */
  meter: { end(): void } | undefined;
}

/** A source over an ordinary socket and its 'data' events: slower, but it works with every socket and version of Node. */
export class PlainSource implements ByteSource {
  readonly socket: Socket;
  /** A stream reads ahead and does not report the state of the kernel's buffer. */
  readonly drained = false;
  reader: SourceReader | undefined;
  meter: { end(): void } | undefined;
  #isStarted = false;
  #isKeptAlive = false;
  #early: Buffer | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setTimeout(0);
    socket.on('error', ignore).on('close', () => {
      this.closed();
    });
  }

  get early(): number {
    return this.#early?.length ?? 0;
  }

  putBack(bytes: Buffer): void {
    this.#early = bytes;
  }

  start(reader: SourceReader): void {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.socket
        .on('data', (chunk: Buffer) => {
          this.received(chunk);
        })
        .on('end', () => {
          this.ended();
        });
    }
    this.reader = reader;
    const early = this.#early;
    this.#early = undefined;
    if (early !== undefined && !reader.read(early)) this.socket.pause();
    else this.resume();
  }

  trim(): void {
    if (!this.#isKeptAlive) enableKeepAlive(this.socket);
    this.#isKeptAlive = true;
  }

  protected received(chunk: Buffer): void {
    try {
      if (this.reader?.read(chunk) === false) this.socket.pause();
    } catch (error) {
      endAfterDefect(this, error);
    }
  }

  protected ended(): void {
    try {
      this.reader?.onEnd?.();
    } catch (error) {
      endAfterDefect(this, error);
    }
  }

  protected closed(): void {
    try {
      this.meter?.end();
      this.reader?.onClose?.();
    } catch (error) {
      endAfterDefect(this, error);
    }
  }

  resume(): void {
    this.socket.resume();
  }
}

/**
 * Ends the work on a connection whose reader has thrown: the reader fails its request, so that the exception does not end the
 * process. Without a reader that can, the connection is closed.
 */
export function endAfterDefect({ socket, reader }: Pick<ByteSource, 'socket' | 'reader'>, error: unknown): void {
  try {
    if (reader?.onDefect === undefined) socket.destroy();
    else reader.onDefect(error);
  } catch {
    socket.destroy();
  }
}

function ignore(): void {
  // Errors are followed by 'close', which the owner of the connection handles.
}
