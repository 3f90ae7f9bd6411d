import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { badRequest } from '../forward/request/bad-request.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { SocketReader } from '../relay/byte-source.js';
import type { ClientConnection, RequestSource } from './client-connections.js';
import { readOrdinaryRequest, type OrdinaryRequest } from './ordinary-request.js';
import type { OrdinaryClient } from './proxy-handlers.js';
import { RequestGuard, type GuardedBody } from './request-guard.js';

export interface GuardedClientOptions {
  readonly connection: ClientConnection;
  /** Bytes that a header or trailer section may have. */
  readonly headerBytes: number;
  /** Whether the connection may carry another request behind the present one. */
  readonly mayGoOn: () => boolean;
  /** Takes a request past node:http; false leaves it to that one. */
  readonly take: (request: OrdinaryRequest, client: OrdinaryClient) => boolean;
  /**
   * Makes the connection known to node:http.
   *
   * @returns gives bytes to it; during the call it tells of the requests that are in them
   */
  readonly serve: () => (bytes: Buffer) => void;
  /** What came is refused; called once. */
  readonly refuse: (failure: ProxyFailure) => void;
}

/** What a client may send behind an ordinary request before that is answered; beyond it, its bytes wait in the kernel. */
const MAX_HELD = 65_536;

/**
 * Stands between a client's socket and node:http. An ordinary request goes past node:http when all before it are
 * answered; of the rest that one gets the bytes when {@link RequestGuard} has found them in order, up to the end of a head
 * or of a message at a time.
 *
 *     client ──▶ pooled buffer ──▶ ordinary, all of it there ──▶ forward
 *                              └─▶ guard ──▶ node:http's parser ──▶ 'request', 'upgrade', 'connect'
 */
export class GuardedClient implements SocketReader, RequestSource, OrdinaryClient {
  readonly socket: Socket;
  readonly #options: GuardedClientOptions;
  readonly #guard: RequestGuard;
  /** Gives bytes to node:http, once it knows of the connection. */
  #feed: ((bytes: Buffer) => void) | undefined;
  /** What came while nobody wanted it. */
  #held: Buffer | undefined;
  /** The source has been told to stop: as much is held as may be. */
  #stopped = false;
  #served = false;

  constructor(options: GuardedClientOptions) {
    this.#options = options;
    this.socket = options.connection.source.socket;
    this.#guard = new RequestGuard(options.headerBytes);
  }

  get mayGoOn(): boolean {
    return this.#options.mayGoOn();
  }

  get rests(): boolean {
    return this.#isFree() && (this.#served || this.#feed !== undefined) && this.#held === undefined;
  }

  read(chunk: Buffer): boolean {
    if (this.#held === undefined) return this.#take(chunk);
    this.#held = Buffer.concat([this.#held, chunk]);
    return this.#mayHoldMore();
  }

  onEnd(): void {
    // What node:http does with a client that has finished sending.
    if (this.#feed === undefined) this.socket.end();
  }

  meetParser(): void {
    this.#feed ??= this.#options.serve();
  }

  answered(): void {
    const { connection } = this.#options;
    connection.busy = false;
    const held = this.#held;
    if (held === undefined) return;
    const stopped = this.#stopped;
    this.#held = undefined;
    this.#stopped = false;
    const goesOn = this.#take(held, true);
    if (goesOn && stopped) connection.source.resume();
    else if (!goesOn && !stopped) this.socket.pause();
  }

  /** @param isOurs - whether the bytes stay as they are */
  #take(chunk: Buffer, isOurs = false): boolean {
    let position = 0;
    while (position < chunk.length && this.#listens()) {
      if (this.#options.connection.busy || this.socket.isPaused()) return this.#hold(chunk.subarray(position), isOurs);
      position = this.#step(chunk, position);
    }
    return position >= chunk.length || this.#pass(chunk.subarray(position));
  }

  /** Whether there is somebody to take more. */
  #listens(): boolean {
    const { refused, left } = this.#options.connection;
    return !refused && !left && !this.socket.destroyed;
  }

  /** Whether node:http has nothing to do, and nothing of a message. */
  #isFree(): boolean {
    const { response, busy } = this.#options.connection;
    if (busy || !this.#guard.rests || !this.socket.writable) return false;
    return response === undefined ? this.#feed === undefined : response.closed;
  }

  /** @returns where the ordinary request that begins at `start` ends; `start` if there is none */
  #ordinary(chunk: Buffer, start: number): number {
    if (!this.#isFree()) return start;
    const { connection, headerBytes, take } = this.#options;
    const request = readOrdinaryRequest(chunk, start, headerBytes);
    if (request === undefined) return start;
    connection.busy = true;
    if (take(request, this)) {
      this.#served = true;
      return start + request.length;
    }
    connection.busy = false;
    return start;
  }

  #step(chunk: Buffer, start: number): number {
    try {
      const stop = this.#ordinary(chunk, start);
      return stop === start ? this.#guarded(chunk, start) : stop;
    } catch (error) {
      this.#options.refuse(ProxyFailure.from(error));
      return chunk.length;
    }
  }

  #guarded(chunk: Buffer, start: number): number {
    const stop = this.#guard.next(chunk, start);
    const { connection } = this.#options;
    const before = connection.response;
    this.#feed ??= this.#options.serve();
    this.#feed(start === 0 && stop === chunk.length ? chunk : chunk.subarray(start, stop));
    if (this.#listens()) this.#compare(connection.response === before ? undefined : connection.response);
    return stop;
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

  #hold(rest: Buffer, isOurs: boolean): boolean {
    this.#held = isOurs ? rest : Buffer.from(rest);
    if (this.#options.connection.busy) return this.#mayHoldMore();
    this.socket.once('resume', () => {
      const held = this.#held;
      this.#held = undefined;
      if (held !== undefined && !this.#take(held, true)) this.socket.pause();
    });
    return true;
  }

  #mayHoldMore(): boolean {
    this.#stopped = this.#options.connection.busy && (this.#held?.length ?? 0) >= MAX_HELD;
    return !this.#stopped;
  }
}

/** Node's parser has found the framing in order. */
function bodyOf({ headers }: IncomingMessage): GuardedBody {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 'chunked';
}
