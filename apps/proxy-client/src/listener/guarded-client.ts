import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { badRequest } from '../forward/request/bad-request.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { SocketReader } from '../relay/byte-source.js';
import type { ClientConnection } from './client-connections.js';
import { RequestGuard, type GuardedBody } from './request-guard.js';

export interface GuardedClientOptions {
  readonly connection: ClientConnection;
  /** Bytes that a trailer section may have. */
  readonly headerBytes: number;
  /** Gives bytes to node:http; during the call it tells of the requests that are in them. */
  readonly feed: (bytes: Buffer) => void;
  /** What came is refused; called once. */
  readonly refuse: (failure: ProxyFailure) => void;
}

/**
 * Stands between a client's socket and node:http, which gets the bytes only when {@link RequestGuard} has found them in
 * order, up to the end of a head or of a message at a time.
 *
 *     client ──▶ pooled buffer ──▶ guard ──▶ node:http's parser ──▶ 'request', 'upgrade', 'connect'
 */
export class GuardedClient implements SocketReader {
  readonly #options: GuardedClientOptions;
  readonly #socket: Socket;
  readonly #guard: RequestGuard;
  /** What came while node:http wanted nothing. */
  #held: Buffer | undefined;

  constructor(options: GuardedClientOptions) {
    this.#options = options;
    this.#socket = options.connection.source.socket;
    this.#guard = new RequestGuard(options.headerBytes);
  }

  read(chunk: Buffer): boolean {
    if (this.#held === undefined) return this.#take(chunk);
    this.#held = Buffer.concat([this.#held, chunk]);
    return true;
  }

  #take(chunk: Buffer): boolean {
    let position = 0;
    while (position < chunk.length && this.#listens()) {
      if (this.#socket.isPaused()) {
        this.#hold(chunk.subarray(position));
        return true;
      }
      position = this.#step(chunk, position);
    }
    return position >= chunk.length || this.#pass(chunk.subarray(position));
  }

  /** Whether node:http is there to take more. */
  #listens(): boolean {
    const { refused, left } = this.#options.connection;
    return !refused && !left && !this.#socket.destroyed;
  }

  #step(chunk: Buffer, start: number): number {
    try {
      const stop = this.#guard.next(chunk, start);
      const { connection, feed } = this.#options;
      const before = connection.response;
      feed(start === 0 && stop === chunk.length ? chunk : chunk.subarray(start, stop));
      if (this.#listens()) this.#compare(connection.response === before ? undefined : connection.response);
      return stop;
    } catch (error) {
      this.#options.refuse(ProxyFailure.from(error));
      return chunk.length;
    }
  }

  /** The guard and node:http have to agree where a head ends. */
  #compare(response: ServerResponse | undefined): void {
    if ((response !== undefined) !== this.#guard.headOver) throw badRequest('head that could end in two places');
    if (response !== undefined) this.#guard.body(bodyOf(response.req));
  }

  /** What stands behind a CONNECT or an upgrade is for whoever reads now, or will; behind what was refused, for nobody. */
  #pass(rest: Buffer): boolean {
    const { source, left, refused } = this.#options.connection;
    if (source.reader !== undefined && source.reader !== this) return source.reader.read(rest);
    if (!left || refused) return true;
    source.putBack(Buffer.from(rest));
    return false;
  }

  #hold(rest: Buffer): void {
    this.#held = Buffer.from(rest);
    this.#socket.once('resume', () => {
      const held = this.#held;
      this.#held = undefined;
      if (held !== undefined && !this.#take(held)) this.#socket.pause();
    });
  }
}

/** Node's parser has found the framing in order. */
function bodyOf({ headers }: IncomingMessage): GuardedBody {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 'chunked';
}
