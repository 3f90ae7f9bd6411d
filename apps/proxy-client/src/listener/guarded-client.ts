import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { badRequest } from '../forward/request/bad-request.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { SocketReader } from '../relay/byte-source.js';
import type { ClientConnection, RequestSource } from './client-connections.js';
import { readOrdinaryConnect, type OrdinaryConnect } from './ordinary-connect.js';
import { readOrdinaryRequest, type OrdinaryRequest } from './ordinary-request.js';
import type { OrdinaryClient } from './proxy-handlers.js';
import { RequestGuard, type GuardedBody } from './request-guard.js';

/** Whoever has the clients: the listener. */
export interface ClientHost {
  /** Bytes that a header or trailer section may have. */
  readonly headerBytes: number;
  /** Whether a connection may carry another request behind the present one. */
  readonly mayGoOn: boolean;
  /** Takes a request past node:http; false leaves it to that one. */
  takeRequest(request: OrdinaryRequest, client: GuardedClient): boolean;
  /** The same for a CONNECT; the connection has left then. */
  takeConnect(request: OrdinaryConnect, connection: ClientConnection): boolean;
  /**
   * Makes a connection known to node:http.
   *
   * @returns gives bytes to it; during the call it tells of the requests that are in them
   */
  serve(socket: Socket): (bytes: Buffer) => void;
  /** What came is refused; called once. */
  refuse(connection: ClientConnection, failure: ProxyFailure): void;
}

/** What a client may send behind an ordinary request before that is answered; beyond it, its bytes wait in the kernel. */
const MAX_HELD = 65_536;
/** What CONNECT begins with, and GET and HEAD do not. */
const LETTER_C = 0x43;

/**
 * Stands between a client's socket and node:http. An ordinary request goes past node:http when all before it are
 * answered; of the rest that one gets the bytes when {@link RequestGuard} has found them in order, up to the end of a head
 * or of a message at a time.
 *
 *     client ──▶ pooled buffer ──▶ ordinary, all of it there ──▶ forward, tunnel
 *                              └─▶ guard ──▶ node:http's parser ──▶ 'request', 'upgrade', 'connect'
 */
export class GuardedClient implements SocketReader, RequestSource, OrdinaryClient {
  readonly socket: Socket;
  readonly connection: ClientConnection;
  readonly #host: ClientHost;
  /** Made for the first bytes that are not ordinary. */
  #guard: RequestGuard | undefined;
  /** Gives bytes to node:http, once it knows of the connection. */
  #feed: ((bytes: Buffer) => void) | undefined;
  /** What came while nobody wanted it. */
  #held: Buffer | undefined;
  /** The source has been told to stop: as much is held as may be. */
  #stopped = false;
  #served = false;

  constructor(connection: ClientConnection, host: ClientHost) {
    this.connection = connection;
    this.socket = connection.source.socket;
    this.#host = host;
  }

  get mayGoOn(): boolean {
    return this.#host.mayGoOn;
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
    this.#feed ??= this.#host.serve(this.socket);
  }

  answered(): void {
    const { connection } = this;
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
      if (this.connection.busy || this.socket.isPaused()) return this.#hold(chunk.subarray(position), isOurs);
      position = this.#step(chunk, position);
    }
    return position >= chunk.length || this.#pass(chunk.subarray(position));
  }

  /** Whether there is somebody to take more. */
  #listens(): boolean {
    const { refused, left } = this.connection;
    return !refused && !left && !this.socket.destroyed;
  }

  /** Whether node:http has nothing to do, and nothing of a message. */
  #isFree(): boolean {
    const { response, busy } = this.connection;
    if (busy || this.#guard?.rests === false || !this.socket.writable) return false;
    return response === undefined ? this.#feed === undefined : response.closed;
  }

  /** @returns where the ordinary request that begins at `start` ends; `start` if there is none */
  #ordinary(chunk: Buffer, start: number): number {
    if (!this.#isFree()) return start;
    const { connection } = this;
    connection.busy = true;
    const length = chunk[start] === LETTER_C ? this.#connect(chunk, start) : this.#request(chunk, start);
    if (length === 0) connection.busy = false;
    return start + length;
  }

  /** @returns how many bytes it has; 0 if there is none that is taken */
  #request(chunk: Buffer, start: number): number {
    const request = readOrdinaryRequest(chunk, start, this.#host.headerBytes);
    if (request === undefined || !this.#host.takeRequest(request, this)) return 0;
    this.#served = true;
    return request.length;
  }

  /** What node:http knows of has to leave it in its own way. */
  #connect(chunk: Buffer, start: number): number {
    if (this.#feed !== undefined) return 0;
    const request = readOrdinaryConnect(chunk, start, this.#host.headerBytes);
    return request === undefined || !this.#host.takeConnect(request, this.connection) ? 0 : request.length;
  }

  #step(chunk: Buffer, start: number): number {
    try {
      const stop = this.#ordinary(chunk, start);
      return stop === start ? this.#guarded(chunk, start) : stop;
    } catch (error) {
      this.#host.refuse(this.connection, ProxyFailure.from(error));
      return chunk.length;
    }
  }

  #guarded(chunk: Buffer, start: number): number {
    const guard = (this.#guard ??= new RequestGuard(this.#host.headerBytes));
    const stop = guard.next(chunk, start);
    const { connection } = this;
    const before = connection.response;
    this.#feed ??= this.#host.serve(this.socket);
    this.#feed(start === 0 && stop === chunk.length ? chunk : chunk.subarray(start, stop));
    if (this.#listens()) compare(guard, connection.response === before ? undefined : connection.response);
    return stop;
  }

  /** What stands behind a CONNECT or an upgrade is for whoever reads now, or will; behind what was refused, for nobody. */
  #pass(rest: Buffer): boolean {
    const { source, left, refused } = this.connection;
    if (source.reader !== undefined && source.reader !== this) return source.reader.read(rest);
    if (!left || refused) return true;
    source.putBack(Buffer.from(rest));
    return false;
  }

  #hold(rest: Buffer, isOurs: boolean): boolean {
    this.#held = isOurs ? rest : Buffer.from(rest);
    if (this.connection.busy) return this.#mayHoldMore();
    this.socket.once('resume', () => {
      const held = this.#held;
      this.#held = undefined;
      if (held !== undefined && !this.#take(held, true)) this.socket.pause();
    });
    return true;
  }

  #mayHoldMore(): boolean {
    this.#stopped = this.connection.busy && (this.#held?.length ?? 0) >= MAX_HELD;
    return !this.#stopped;
  }
}

/** The guard and node:http have to agree where a head ends. */
function compare(guard: RequestGuard, response: ServerResponse | undefined): void {
  if ((response !== undefined) !== guard.headOver) throw badRequest('head that could end in two places');
  if (response !== undefined) guard.body(bodyOf(response.req));
}

/** Node's parser has found the framing in order. */
function bodyOf({ headers }: IncomingMessage): GuardedBody {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 'chunked';
}
