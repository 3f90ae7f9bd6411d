import type { Socket } from 'node:net';
import { NOWHERE, type Listed } from '#metrics';
import { failureAnswer } from '../failure/answer-failure.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { ForwardClient } from '../forward/client.js';
import type { Exchange } from '../forward/exchange.js';
import type { OriginConnection } from '../forward/origin-connection.js';
import type { BodyEnd } from '../forward/upload.js';
import type { FieldLines } from '../http/field-lines.js';
import { httpDate } from '../http/http-date.js';
import { REASON_PHRASES } from '../http/reason-phrases.js';
import type { RequestHead } from '../http/request-head.js';
import { RequestReader, type RequestHandler } from '../http/request-reader.js';
import { MORE } from '../http/scanner.js';
import type { SectionMemory } from '../http/section.js';
import type { ByteSource, ClientSource, SocketReader } from '../relay/byte-source.js';
import { Standstill } from '../relay/sweeper.js';
import type { TunnelClient, TunnelOpening } from '../tunnel/tunnel-opening.js';

/** Whoever has the clients: the listener. */
export interface ClientHost {
  /** Bytes that a header or trailer section may have. */
  readonly headerBytes: number;
  /** What the unfinished heads of all clients are held in. */
  readonly headMemory: SectionMemory;
  /** Whether connections may carry another request behind the present one. */
  readonly mayGoOn: boolean;
  /** Milliseconds; 0 means no limit. */
  readonly limits: ClientLimits;
  /**
   * A request has come, as far as its head; what of its body came with it is given next.
   *
   * @param malformed - what is known to be wrong with its body already
   */
  serve(head: RequestHead, client: ClientConnection, malformed: ProxyFailure | undefined): void;
  /** The connection's first proxied request counts it. */
  counted(): void;
  /** The connection is refused, with nothing served. */
  refused(client: ClientConnection, failure: ProxyFailure): void;
  /** The connection has closed. */
  closed(client: ClientConnection): void;
}

/** Milliseconds; 0 means no limit. */
export interface ClientLimits {
  /** How long a head may take as a whole, and how long a client may owe bytes of a body without sending one. */
  readonly read: number;
  /** How long the client may take nothing of what is written to it. */
  readonly write: number;
  /** How long a connection may wait for another request. */
  readonly idle: number;
  /** How long the origin may send nothing while we wait for its answer, or for more of it. */
  readonly response: number;
}

/** What a client may send behind a request before that is answered; beyond it, its bytes wait in the kernel. */
const MAX_HELD = 65_536;
/** So long the rest of what a refused client sends is read away, at most. */
const LINGER_MS = 2000;
/** When a peer that vanished without a word is first asked (TCP keep-alive). */
const TCP_KEEP_ALIVE_MS = 60_000;

/**
 * - `reading`: waits for a request, or for the rest of its head
 * - `serving`: a request is being answered; what comes is the rest of its body, or is held until it is answered
 * - `discarding`: a request was answered before all of its body came, which is read away
 * - `left`: the connection is a tunnel's, or speaks another protocol
 * - `closing`: the last answer was written; what still comes is read away
 */
type State = 'reading' | 'serving' | 'discarding' | 'left' | 'closing';

/**
 * One connection of a client, from when it is accepted until it closes or leaves HTTP.
 *
 *     client ──▶ request reader ──▶ own pages, forward, tunnel: one request at a time
 *     client ◀── its answer
 */
export class ClientConnection implements SocketReader, RequestHandler, ForwardClient, TunnelClient, Listed {
  place = NOWHERE;
  ownOrigins: Map<string, OriginConnection> | undefined = undefined;
  /** Came when as many were open as may be: it may look at /stats, nothing else, while that is so. */
  readonly cameOverLimit: boolean;
  readonly socket: Socket;
  readonly #source: ClientSource;
  readonly #host: ClientHost;
  readonly #reader: RequestReader;
  #state: State = 'reading';
  #isCounted = false;
  /** Requests that have been answered. */
  #served = 0;
  /** The request that is being served. */
  #head: RequestHead | undefined;
  /** A head has come with the present read. */
  #isNew = false;
  #exchange: Exchange | undefined;
  #tunnel: TunnelOpening | undefined;
  /** What the present read brought: the pieces of a body, and its end. */
  #pieces: number[] = [];
  #end: BodyEnd | undefined;
  /** The bytes that are being taken, and where those begin that have not been. */
  #chunk: Buffer | undefined;
  #position = 0;
  /** What came while it was nobody's turn. */
  #held: Buffer | undefined;
  /** The source is calling. */
  #reads = false;
  /** It has been told to stop. */
  #stopped = false;
  /** It has been looked at: it lives for more than a moment. */
  #aged = false;
  readonly #waits = new Standstill();
  readonly #writes = new Standstill();
  readonly #answers = new Standstill();

  constructor(source: ClientSource, host: ClientHost, cameOverLimit: boolean) {
    this.#source = source;
    this.#host = host;
    this.socket = source.socket;
    this.cameOverLimit = cameOverLimit;
    this.#reader = new RequestReader(host.headerBytes, host.headMemory);
    this.socket.on('close', () => {
      this.#closed();
    });
  }

  /** Begins to read. */
  start(): void {
    this.#source.start(this);
  }

  get isCounted(): boolean {
    return this.#isCounted;
  }

  get mayGoOn(): boolean {
    return this.#persists && this.#head?.switchesTo === undefined;
  }

  get requestComplete(): boolean {
    return !this.#reader.inBody;
  }

  proxied(): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    this.#host.counted();
  }

  /** Serves the present request by an exchange. */
  exchange(exchange: Exchange): void {
    this.#exchange = exchange;
    if (this.#pieces.length > 0 || this.#end !== undefined) this.#giveBody(this.#chunk ?? NOTHING);
    if (this.requestComplete || this.#source.drained) exchange.begin();
    else {
      // More of its body is there already: if that is malformed, nothing of the request goes anywhere.
      setImmediate(() => {
        exchange.begin();
      });
    }
  }

  /** Serves the present request by a tunnel. */
  tunnel(tunnel: TunnelOpening): void {
    this.#tunnel = tunnel;
    tunnel.begin();
  }

  exchangeOver(): void {
    this.#exchange = undefined;
  }

  read(chunk: Buffer): boolean {
    if (!this.#listens()) return true;
    this.#reads = true;
    if (this.#held === undefined) this.#take(chunk, false);
    else this.#hold(chunk, false);
    this.#reads = false;
    return !this.#stopped;
  }

  /** The client has finished sending: it has left, unless a tunnel has bytes of it (docs/adr/0042). */
  onEnd(): void {
    if (this.#state === 'closing') this.socket.destroySoon();
    else if (this.#reader.inBody || this.#reader.inHead) this.#cutShort();
    else if (this.#tunnel === undefined || this.#held === undefined) this.socket.end();
  }

  readOn(): void {
    if (!this.#stopped || (this.#held?.length ?? 0) >= MAX_HELD) return;
    this.#stopped = false;
    this.#source.resume();
  }

  finish(keepAlive: boolean): void {
    this.#exchange = undefined;
    if (!keepAlive || !this.#persists) this.#close();
    else if (this.#reader.inBody) this.#state = 'discarding';
    else this.#next();
  }

  fail(failure: ProxyFailure): void {
    const keepAlive = this.mayGoOn && !this.#awaitsContinue && !failure.row.closes;
    this.socket.write(failureAnswer(failure, { keepAlive, withBody: this.#head?.method !== 'HEAD' }), 'latin1');
    if (keepAlive) this.finish(true);
    else this.#linger();
  }

  /**
   * Answers the present request here.
   *
   * @param fields - lines, each with its CRLF; all but Date, and Connection unless `closes`
   * @param body - latin1
   * @param closes - the connection ends with this answer
   */
  answer(status: number, fields: string, body: string, closes = false): void {
    const keepAlive = this.#persists && !this.#awaitsContinue && !closes;
    const connection = closes ? '' : `Connection: ${keepAlive ? 'keep-alive' : 'close'}\r\n`;
    const head = `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? ''}\r\n${fields}Date: ${httpDate()}\r\n${connection}\r\n`;
    this.socket.write(this.#head?.method === 'HEAD' ? head : head + body, 'latin1');
    this.finish(keepAlive);
  }

  leave(): ByteSource {
    this.#state = 'left';
    this.#tunnel = undefined;
    const early = this.#held ?? this.#chunk?.subarray(this.#position);
    this.#held = undefined;
    if (early !== undefined && early.length > 0) this.#source.putBack(Buffer.from(early));
    return this.#source;
  }

  /** Refuses what comes on the connection: it is answered, then closed. */
  refuse(failure: ProxyFailure): void {
    this.#host.refused(this, failure);
    this.socket.write(failureAnswer(failure, { keepAlive: false, withBody: true }), 'latin1');
    this.#linger();
  }

  head(head: RequestHead): void {
    this.#head = head;
    this.#isNew = true;
    this.#state = 'serving';
  }

  body(_chunk: Buffer, start: number, end: number): void {
    this.#pieces.push(start, end);
  }

  complete(trailers: FieldLines | undefined): void {
    this.#end = { trailers };
  }

  /** The proxy ends: what is under way is finished, what waits for nothing is closed. */
  drain(): void {
    if (this.socket.bytesRead === 0 || (this.#state === 'reading' && this.#reader.rests)) this.socket.destroy();
  }

  /**
   * Looks for what stands still, from the counters that the socket keeps anyway: nothing is set or reset when bytes move.
   *
   * @param now - in milliseconds
   */
  sweep(now: number): void {
    if (!this.#aged) {
      // Four system calls that connections of a moment do without.
      this.#aged = true;
      this.socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    }
    if (this.#state === 'left') return;
    this.#source.trim?.();
    const { write } = this.#host.limits;
    if (exceeds(this.#writes.for(now, taken(this.socket), this.socket.writableLength > 0), write)) this.#cutUnread();
    else if (this.#exchange !== undefined) this.#sweepExchange(now, this.#exchange);
    else this.#sweepWaiting(now);
  }

  #sweepExchange(now: number, exchange: Exchange): void {
    const { read, response } = this.#host.limits;
    if (exceeds(this.#waits.for(now, this.socket.bytesRead, exchange.awaitsClient), read)) {
      exchange.fail(new ProxyFailure('request_body_timeout'));
    } else if (exceeds(this.#answers.for(now, moved(exchange), exchange.awaitsOrigin), response)) {
      exchange.fail(new ProxyFailure('response_timeout'));
    }
  }

  #sweepWaiting(now: number): void {
    const { read, idle } = this.#host.limits;
    switch (this.#state) {
      case 'closing':
        if (this.#hasWaited(now, CLOSING, LINGER_MS)) this.socket.destroy();
        break;
      case 'discarding':
        if (this.#hasWaited(now, this.socket.bytesRead, read)) this.socket.destroy();
        break;
      case 'reading':
        if (this.#served > 0 && this.#reader.rests) {
          if (this.#hasWaited(now, -1 - this.#served, idle)) this.socket.destroy();
          // From the connection for the first request, from its first byte for the others; in total, dribbling or not.
        } else if (this.#hasWaited(now, -1.5 - this.#served, read)) this.refuse(new ProxyFailure('request_timeout'));
        break;
      default:
    }
  }

  /** Whether the figure, which no other wait has, has been the same for so long. */
  #hasWaited(now: number, figure: number, limit: number): boolean {
    return exceeds(this.#waits.for(now, figure, true), limit);
  }

  #cutUnread(): void {
    this.#exchange?.fail(new ProxyFailure('response_cut', { detail: 'the client took nothing for timeouts.write' }));
    this.socket.destroy();
  }

  /** Whether client and proxy keep the connection behind the present request. */
  get #persists(): boolean {
    const head = this.#head;
    return head !== undefined && head.keepAlive && head.method !== 'CONNECT' && this.#host.mayGoOn;
  }

  /** Whether the client waits for 100: when we answer instead, it may send its body or not. */
  get #awaitsContinue(): boolean {
    return /\b100-continue\b/i.test(this.#head?.expect ?? '');
  }

  /** @param isOurs - whether the bytes stay as they are */
  #take(chunk: Buffer, isOurs: boolean): void {
    this.#chunk = chunk;
    this.#position = 0;
    while (this.#position < chunk.length && this.#listens()) {
      if (this.#state === 'serving' && !this.#reader.inBody) {
        this.#hold(chunk.subarray(this.#position), isOurs);
        break;
      }
      this.#step(chunk);
    }
    this.#chunk = undefined;
  }

  /** Whether there is somebody to take more. */
  #listens(): boolean {
    return this.#state !== 'closing' && this.#state !== 'left' && !this.socket.destroyed;
  }

  #step(chunk: Buffer): void {
    this.#pieces.length = 0;
    this.#end = undefined;
    this.#isNew = false;
    let failure: ProxyFailure | undefined;
    try {
      const stop = this.#reader.push(chunk, this.#position, chunk.length, this);
      this.#position = stop === MORE ? chunk.length : stop;
    } catch (error) {
      this.#position = chunk.length;
      failure = ProxyFailure.from(error);
    }
    const head = this.#newHead();
    if (head !== undefined) this.#host.serve(head, this, failure && inBody(failure));
    else if (failure !== undefined) this.#malformed(failure);
    else if (this.#state === 'discarding') this.#discarded();
    else if (this.#state === 'serving') this.#giveBody(chunk);
  }

  /** The head that has come with the present read, if one has. */
  #newHead(): RequestHead | undefined {
    return this.#isNew ? this.#head : undefined;
  }

  #giveBody(chunk: Buffer): void {
    const goesOn = this.#exchange?.take(chunk, this.#pieces, this.#end) ?? true;
    if (!goesOn) this.#stop();
  }

  #discarded(): void {
    if (this.#end !== undefined) this.#next();
  }

  #malformed(failure: ProxyFailure): void {
    if (this.#state === 'reading') this.refuse(failure);
    else if (this.#exchange !== undefined) this.#exchange.fail(inBody(failure));
    else this.#linger();
  }

  /** The client has finished sending in the middle of a request. */
  #cutShort(): void {
    const failure = new ProxyFailure('bad_request', { detail: 'connection ended inside the request' });
    if (this.#state === 'reading') this.refuse(failure);
    else if (this.#exchange !== undefined) this.#exchange.fail(failure);
    else this.socket.destroySoon();
  }

  #next(): void {
    this.#state = 'reading';
    this.#head = undefined;
    this.#served += 1;
    const held = this.#held;
    // While bytes are being taken, they go on by themselves.
    if (this.#chunk !== undefined || held === undefined) return;
    const stopped = this.#stopped;
    this.#held = undefined;
    this.#stopped = false;
    this.#take(held, true);
    if (stopped && !this.#isStopped()) this.#source.resume();
  }

  #hold(bytes: Buffer, isOurs: boolean): void {
    if (this.#held !== undefined) this.#held = Buffer.concat([this.#held, bytes]);
    else this.#held = isOurs ? bytes : Buffer.from(bytes);
    if (this.#held.length >= MAX_HELD) this.#stop();
  }

  #isStopped(): boolean {
    return this.#stopped;
  }

  #stop(): void {
    this.#stopped = true;
    // During a read it is told by what that one returns.
    if (!this.#reads) this.socket.pause();
  }

  /** Ends the connection behind the last answer. */
  #close(): void {
    if (this.#reader.inBody || this.#stopped) this.#linger();
    else {
      this.#state = 'closing';
      this.socket.destroySoon();
    }
  }

  /**
   * Ends the connection, and reads away for a moment what the client still sends: closing a socket with unread bytes resets
   * the connection, and the client loses the answer (RFC 9112, section 9.6).
   */
  #linger(): void {
    this.#state = 'closing';
    this.#held = undefined;
    if (this.socket.readableEnded || !this.socket.writable) this.socket.destroySoon();
    else this.socket.end();
    this.readOn();
  }

  #closed(): void {
    this.#reader.release();
    this.#exchange?.abort();
    this.#tunnel?.abort();
    for (const connection of this.ownOrigins?.values() ?? []) connection.destroy();
    this.ownOrigins = undefined;
    this.#host.closed(this);
  }
}

const NOTHING = Buffer.alloc(0);
/** Stands for a figure that no other wait has. */
const CLOSING = -0.5;

/** The failure of a request whose body is malformed: it had a target. */
function inBody({ facts }: ProxyFailure): ProxyFailure {
  return new ProxyFailure('request_body_malformed', facts);
}

function exceeds(milliseconds: number, limit: number): boolean {
  return limit > 0 && milliseconds >= limit;
}

/** Bytes that the client's side of the connection has taken. */
function taken(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

/** Bytes of the connection to the origin, in both directions: a slow upload is not the origin's silence. */
function moved({ connection }: Exchange): number {
  return connection === undefined ? 0 : connection.socket.bytesRead + connection.socket.bytesWritten;
}
