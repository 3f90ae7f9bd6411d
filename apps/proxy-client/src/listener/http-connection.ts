import type { Ongoing } from '../activity/ongoing.js';
import { askedBy, type LoggedRequest } from '../activity/request-line.js';
import { failureAnswer } from '../failure/answer-failure.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { ForwardClient } from '../forward/client.js';
import type { Exchange } from '../forward/exchange.js';
import type { OriginConnection } from '../forward/origin-connection.js';
import type { BodyEnd } from '../forward/upload.js';
import { readBasic } from '../http/field-values.js';
import type { FieldLines } from '../http/field-lines.js';
import { httpDate, REASON_PHRASES } from '../http/answer-parts.js';
import type { RequestHead } from '../http/request-head.js';
import { RequestReader, type RequestHandler } from '../http/request-reader.js';
import { MORE } from '../http/scanner.js';
import type { SectionMemory } from '../http/section.js';
import type { ByteSource, ClientSource } from '../relay/byte-source.js';
import { Standstill } from '../relay/sweeper.js';
import { Uptake } from '../relay/uptake.js';
import type { Users, Verdict } from '../users/users.js';
import { ClientConnection, refusalOf, type ClientHost } from './client-connection.js';
import { pageFor } from './failure-page.js';

/** What an HTTP client's connection needs beside its host: where its requests go. */
export interface HttpService {
  /** Bytes that a header or trailer section may have. */
  readonly headerBytes: number;
  /** What the unfinished heads of all clients are held in. */
  readonly headMemory: SectionMemory;
  /** Whether connections may carry another request behind the present one. */
  readonly mayGoOn: boolean;
  /**
   * A request has come, as far as its head; what of its body came with it is given next.
   *
   * @param malformed - what is known to be wrong with its body already
   */
  serve(head: RequestHead, client: HttpConnection, malformed: ProxyFailure | undefined): void;
}

/**
 * A client that speaks HTTP.
 *
 *     client ──▶ request reader ──▶ own pages, forward, tunnel: one request at a time
 *     client ◀── its answer
 */
export class HttpConnection extends ClientConnection implements RequestHandler, ForwardClient {
  readonly asks = 'CONNECT';
  ownOrigins: Map<string, OriginConnection> | undefined = undefined;
  readonly #service: HttpService;
  /** What was right on this connection, and for whom it was. */
  #proof: { readonly users: Users; readonly authorization: string } | undefined;
  #reader: RequestReader;
  /** Requests that have been answered. */
  #served = 0;
  /** The request that is being served. */
  #head: RequestHead | undefined;
  /** A head has come with the present read. */
  #isNew = false;
  #exchange: Exchange | undefined;
  /** What the present read brought: the pieces of a body, and its end. */
  #pieces: number[] = [];
  #end: BodyEnd | undefined;
  /** The bytes that are being taken, and where those begin that have not been. */
  #chunk: Buffer | undefined;
  #position = 0;
  /** Of the origin, at a look while a request is being answered. */
  #answers: Standstill | undefined;
  /** While the origin says nothing to a request that has a body, at a look. */
  #uptake: Uptake | undefined;

  constructor(source: ClientSource, host: ClientHost, cameOverLimit: boolean, service: HttpService) {
    super(source, host, cameOverLimit);
    this.#service = service;
    this.#reader = new RequestReader(service.headerBytes, service.headMemory);
  }

  get mayGoOn(): boolean {
    return this.#persists && this.#head?.switchesTo === undefined;
  }

  override get ongoing(): Ongoing | undefined {
    return this.#exchange ?? super.ongoing;
  }

  override get asked(): Pick<LoggedRequest, 'method' | 'asked'> {
    const head = this.#head;
    return { method: head?.method, asked: head && askedBy(head) };
  }

  get requestComplete(): boolean {
    return !this.#reader.inBody;
  }

  /** Serves the present request by an exchange. */
  exchange(exchange: Exchange): void {
    this.#exchange = exchange;
    if (this.#pieces.length > 0 || this.#end !== undefined) this.#giveBody(this.#chunk ?? NOTHING);
    if (this.requestComplete || this.source.drained) exchange.begin();
    else {
      // More of its body is there already: if that is malformed, nothing of the request goes anywhere.
      setImmediate(() => {
        exchange.begin();
      });
    }
  }

  /**
   * Finds out who sends the present request.
   *
   * @param then - is told what speaks against it, if anything does: at once, or when a password was checked
   */
  authenticate(users: Users, authorization: string, then: (refusal: ProxyFailure | undefined) => void): void {
    // A client repeats the same field with each request.
    if (this.#proof?.authorization === authorization && this.#proof.users === users) {
      then(undefined);
      return;
    }
    const credentials = readBasic(authorization);
    const judged = (verdict: Verdict): void => {
      if (verdict === 'right' && credentials !== undefined) {
        this.#proof = { users, authorization };
        this.identify(credentials.username);
      }
      then(refusalOf(verdict));
    };
    if (credentials === undefined) then(new ProxyFailure('authentication_required'));
    else if (users.knows(credentials)) judged('right');
    else {
      void this.checkCredentials(users, credentials, (verdict) => {
        this.state = 'serving';
        judged(verdict);
        if (this.#chunk !== undefined) this.#takeOn(this.#chunk, false);
      });
    }
  }

  exchangeOver(): void {
    this.#exchange = undefined;
    this.#uptake = undefined;
  }

  override onEnd(): void {
    if (this.state !== 'closing' && (this.#reader.inBody || this.#reader.inHead)) this.#cutShort();
    else super.onEnd();
  }

  finish(keepAlive: boolean): void {
    this.#exchange = undefined;
    if (!keepAlive || !this.#persists) this.#close();
    else if (this.#reader.inBody) this.state = 'discarding';
    else this.#next();
  }

  override fail(failure: ProxyFailure): void {
    const keepAlive = this.mayGoOn && !this.#awaitsContinue && !failure.row.closes && this.#mayReadAway(failure);
    const form = { keepAlive, withBody: this.#head?.method !== 'HEAD', page: this.#head && pageFor(this.#head) };
    this.socket.write(failureAnswer(failure, form), 'latin1');
    if (keepAlive) this.finish(true);
    else this.linger();
  }

  override opened(): ByteSource {
    this.socket.write(ESTABLISHED);
    return this.leave();
  }

  override leave(carries?: Ongoing): ByteSource {
    this.#reader.release();
    // A tunnel may rest for days: what read its request, nearly 1 KiB, is not kept for it.
    this.#reader = SPENT;
    this.#head = undefined;
    this.#end = undefined;
    this.#pieces = NONE;
    return super.leave(carries);
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

  head(head: RequestHead): void {
    this.#head = head;
    this.#isNew = true;
    this.state = 'serving';
  }

  body(_chunk: Buffer, start: number, end: number): void {
    this.#pieces.push(start, end);
  }

  complete(trailers: FieldLines | undefined): void {
    this.#end = { trailers };
  }

  protected rests(): boolean {
    return this.socket.bytesRead === 0 || (this.state === 'reading' && this.#reader.rests);
  }

  protected tell(failure: ProxyFailure): void {
    this.socket.write(failureAnswer(failure, { keepAlive: false, withBody: true }), 'latin1');
  }

  protected override sweepOpen(now: number): void {
    const { read, idle } = this.host.limits;
    if (this.#exchange !== undefined) this.#sweepExchange(now, this.#exchange);
    else if (this.state === 'discarding') {
      if (this.hasWaited(now, this.socket.bytesRead, read)) this.socket.destroy();
    } else if (this.state === 'reading') {
      if (this.#served > 0 && this.#reader.rests) {
        if (this.hasWaited(now, -1 - this.#served, idle)) this.socket.destroy();
        // From the connection for the first request, from its first byte for the others; in total, dribbling or not.
      } else if (this.hasWaited(now, -1.5 - this.#served, read)) this.refuse(new ProxyFailure('request_timeout'));
    }
  }

  #sweepExchange(now: number, exchange: Exchange): void {
    const { read, response } = this.host.limits;
    if (this.hasWaited(now, this.socket.bytesRead, read, exchange.awaitsClient)) {
      exchange.fail(new ProxyFailure('request_body_timeout'));
    } else if (response > 0 && this.#silentFor(now, exchange) >= response) {
      exchange.fail(new ProxyFailure('response_timeout'));
    }
  }

  /** For how long the origin has neither said anything nor taken any of the request. */
  #silentFor(now: number, exchange: Exchange): number {
    const { connection } = exchange;
    this.#answers ??= new Standstill();
    const silent = this.#answers.for(now, moved(exchange), exchange.awaitsOrigin);
    if (silent === 0 || connection === undefined || exchange.request.framing === 'none') {
      this.#uptake = undefined;
      return silent;
    }
    this.#uptake ??= new Uptake(connection.socket, this.host.uptakes);
    return Math.min(silent, this.#uptake.stillFor(now));
  }

  protected override cutUnread(): void {
    this.#exchange?.fail(new ProxyFailure('response_cut', { detail: 'the client took nothing for timeouts.write' }));
    super.cutUnread();
  }

  /** Whether client and proxy keep the connection behind the present request. */
  get #persists(): boolean {
    const head = this.#head;
    return head !== undefined && head.keepAlive && head.method !== 'CONNECT' && this.#service.mayGoOn;
  }

  /** Whether the client waits for 100: when we answer instead, it may send its body or not. */
  get #awaitsContinue(): boolean {
    return /\b100-continue\b/i.test(this.#head?.expect ?? '');
  }

  /** Whether the rest of a refused request is read away: of a client that nobody knows only as much as a form has. */
  #mayReadAway({ row }: ProxyFailure): boolean {
    const head = this.#head;
    if (row.status !== 407 || head === undefined || this.requestComplete) return true;
    return head.framing === 'length' && head.length <= MAX_READ_AWAY;
  }

  protected take(chunk: Buffer, isOurs: boolean): void {
    this.#chunk = chunk;
    this.#position = 0;
    this.#takeOn(chunk, isOurs);
  }

  #takeOn(chunk: Buffer, isOurs: boolean): void {
    while (this.#position < chunk.length && this.listens()) {
      if (this.state === 'serving' && !this.#reader.inBody) {
        this.hold(chunk.subarray(this.#position), isOurs);
        break;
      }
      this.#step(chunk);
      if (this.#isChecking()) return;
    }
    this.#chunk = undefined;
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
    if (head !== undefined) this.#service.serve(head, this, failure && inBody(failure));
    else if (failure !== undefined) this.#malformed(failure);
    else if (this.state === 'discarding') this.#discarded();
    else if (this.state === 'serving') this.#giveBody(chunk);
  }

  #isChecking(): boolean {
    return this.state === 'checking';
  }

  /** The head that has come with the present read, if one has. */
  #newHead(): RequestHead | undefined {
    return this.#isNew ? this.#head : undefined;
  }

  #giveBody(chunk: Buffer): void {
    const goesOn = this.#exchange?.take(chunk, this.#pieces, this.#end) ?? true;
    if (!goesOn) this.stop();
  }

  #discarded(): void {
    if (this.#end !== undefined) this.#next();
  }

  #malformed(failure: ProxyFailure): void {
    if (this.state === 'reading') this.refuse(failure);
    else if (this.#exchange !== undefined) this.#exchange.fail(inBody(failure));
    else this.linger();
  }

  /** The client has finished sending in the middle of a request. */
  #cutShort(): void {
    const failure = new ProxyFailure('bad_request', { detail: 'connection ended inside the request' });
    if (this.state === 'reading') this.refuse(failure);
    else if (this.#exchange !== undefined) this.#exchange.fail(failure);
    else this.socket.destroySoon();
  }

  #next(): void {
    this.state = 'reading';
    this.#head = undefined;
    this.#served += 1;
    // While bytes are being taken, they go on by themselves.
    if (this.#chunk === undefined) this.takeHeld();
  }

  /** Ends the connection behind the last answer. */
  #close(): void {
    if (this.#reader.inBody || this.isStopped()) this.linger();
    else {
      this.state = 'closing';
      // Once the kernel has all of it, closing tells the end as well, with one system call instead of two.
      if (this.socket.writableLength === 0) this.socket.destroy();
      else this.socket.destroySoon();
    }
  }

  protected override closed(): void {
    this.#reader.release();
    this.#exchange?.abort();
    for (const connection of this.ownOrigins?.values() ?? []) connection.destroy();
    this.ownOrigins = undefined;
    super.closed();
  }
}

const NOTHING = Buffer.alloc(0);
const NONE: number[] = [];
/** In place of the reader of a connection that has left: it is never given bytes. */
const SPENT = new RequestReader(0);
const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');

/** What an unknown client's request is read away of, so that its connection can go on. */
const MAX_READ_AWAY = 1_048_576;

/** The failure of a request whose body is malformed: it had a target. */
function inBody({ facts }: ProxyFailure): ProxyFailure {
  return new ProxyFailure('request_body_malformed', facts);
}

/** Bytes of the connection to the origin, in both directions: a slow upload is not the origin's silence. */
function moved({ connection }: Exchange): number {
  return connection === undefined ? 0 : connection.socket.bytesRead + connection.socket.bytesWritten;
}
