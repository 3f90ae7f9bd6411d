import { ByteCount, NO_BYTES, type Ongoing } from '../activity/ongoing.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { BodyFraming } from '../http/body-reader.js';
import type { FieldLines } from '../http/field-lines.js';
import type { FormatError } from '../http/format-error.js';
import type { ResponseHead } from '../http/response-head.js';
import { trailerSection } from '../http/trailers.js';
import { CancelToken, ConnectCancelled } from '../upstream/upstream.js';
import { answerHead, authenticatesConnection, interimHead, switchingHead, withoutOurName } from './answer-head.js';
import type { ForwardClient } from './client.js';
import { MessageWriter } from './message-writer.js';
import type { ConnectionUser, OriginConnection } from './origin-connection.js';
import type { Passage } from './origins.js';
import type { PreparedRequest } from './prepared-request.js';
import { Upload, type BodyEnd } from './upload.js';

/** Is told how a dial has ended. */
export interface DialOutcome {
  connected(connection: OriginConnection): void;
  failed(error: Error): void;
}

/** Where an exchange gets connections from, and what it tells of its end. */
export interface ExchangeHost {
  /** An idle connection for the request, if there is one. */
  take(exchange: Exchange): OriginConnection | undefined;
  /** A new connection for the request: `outcome` is told of it later. */
  dial(exchange: Exchange, outcome: DialOutcome, cancel: CancelToken): void;
  /** The connection can be used for another request. */
  put(exchange: Exchange, connection: OriginConnection, head: ResponseHead): void;
  /** The answer was relayed whole. */
  succeeded(exchange: Exchange): void;
  /** The proxy had to answer itself or to cut the answer off. */
  failed(exchange: Exchange, failure: ProxyFailure): void;
  /** The client has left before the end. */
  left(exchange: Exchange): void;
  /** Protocols were switched: the client's connection and the origin's are one from now on. */
  join(exchange: Exchange, connection: OriginConnection, toClient: Buffer): void;
}

/**
 * - `dialling`: there is no connection yet
 * - `waiting`: the request goes out, nothing of its answer was handed to the client but interim ones
 * - `relaying`: a part of the answer was
 * - `holding`: the client does not take what it was given; the origin waits
 * - `uploading`: the answer is with the client, the request is still on its way
 * - `over`: nothing more will happen
 */
type State = 'dialling' | 'waiting' | 'relaying' | 'holding' | 'uploading' | 'over';

/**
 * One request and its answer.
 *
 *     client ── request head, body ──▶ origin
 *     client ◀── answer, as it comes ── origin
 *
 * Whatever happens ends it once: the answer was relayed, the proxy failed it, or the client left.
 */
export class Exchange implements ConnectionUser, Ongoing {
  readonly request: PreparedRequest;
  readonly client: ForwardClient;
  readonly passage: Passage;
  readonly startedAt = Date.now();
  bytes: Ongoing['bytes'] = NO_BYTES;
  readonly #host: ExchangeHost;
  readonly #writer: MessageWriter;
  readonly #upload: Upload | undefined;
  #state: State = 'dialling';
  #connection: OriginConnection | undefined;
  #cancel: CancelToken | undefined;
  /** The head of the final answer, or of 101. */
  #head: ResponseHead | undefined;
  #keepAlive = false;
  /** The client may hold its body back until it gets a 100. */
  #expectsContinue: boolean;

  constructor(host: ExchangeHost, request: PreparedRequest, client: ForwardClient, passage: Passage) {
    this.#host = host;
    this.request = request;
    this.client = client;
    this.passage = passage;
    this.#writer = new MessageWriter(client.socket);
    this.#expectsContinue = request.expectsContinue;
    if (request.framing !== 'none') {
      this.#upload = new Upload(request, () => {
        client.readOn();
      });
    }
  }

  get method(): string {
    return this.request.method;
  }

  get authority(): string {
    return this.request.origin.place;
  }

  /** The URL, for the request log. */
  get asked(): string {
    const { authority, path } = this.request.asked;
    return `http://${authority}${path === '*' ? '' : path}`;
  }

  get through(): string {
    return this.#connection?.through ?? this.passage.upstream.name;
  }

  get rule(): number | undefined {
    return this.passage.rule;
  }

  /** The connection that serves it. */
  get connection(): OriginConnection | undefined {
    return this.#connection;
  }

  /** The status of the answer, once its head is there. */
  get status(): number | undefined {
    return this.#head?.status;
  }

  /** Whether the client owes bytes of its request: not while it waits for 100 (RFC 9110, section 10.1.1). */
  get awaitsClient(): boolean {
    return this.#upload?.awaitsClient === true && (!this.#mayLackBody() || this.#head !== undefined);
  }

  /** Whether the next step is the origin's: its answer, or the rest of it, or taking the request. */
  get awaitsOrigin(): boolean {
    return (this.#state === 'waiting' || this.#state === 'relaying') && !this.awaitsClient;
  }

  /** Whether the request authenticates its connection, or the answer says that it does. */
  get pins(): boolean {
    return this.request.authenticates || authenticatesConnection(this.#head?.challenge ?? '');
  }

  /** Sends the request: on an idle connection at once, else on a new one. */
  begin(): void {
    if (this.#state === 'over') return;
    const idle = this.#host.take(this);
    if (idle === undefined) this.#dial();
    else this.#use(idle);
  }

  /**
   * Takes what one read brought of the request's body.
   *
   * @param pieces - where each piece of it begins and ends in `chunk`, one after the other
   * @param end - if it has ended with them
   * @returns whether the next read may follow at once, into the same memory; if not, the client is told when
   */
  take(chunk: Buffer, pieces: readonly number[], end: BodyEnd | undefined): boolean {
    const goesOn = this.#upload?.take(chunk, pieces, end) ?? true;
    if (end !== undefined && this.#state === 'uploading') this.#succeed();
    return goesOn;
  }

  /** The client has left: nobody wants the answer any more. */
  abort(): void {
    if (this.#state === 'over') return;
    this.#finish();
    this.#connection?.abort();
    this.#host.left(this);
  }

  /** Ends the exchange with a failure: the client gets it as the answer, or sees the answer cut. */
  fail(failure: ProxyFailure): void {
    if (this.#state === 'over') return;
    const begun = this.#state !== 'dialling' && this.#state !== 'waiting' && this.#head !== undefined;
    const seen = begun && failure.row.status >= 500 ? cutOff(failure) : failure;
    this.#finish();
    this.#connection?.abort();
    this.#host.failed(this, seen);
    if (begun) this.#cut();
    else {
      this.client.fail(seen);
      this.#upload?.discard();
    }
  }

  informational(head: ResponseHead): void {
    if (head.status === 100) this.#expectsContinue = false;
    if (this.request.minor === 1) this.#writer.raw(interimHead(head));
  }

  switched(head: ResponseHead): void {
    this.#head = head;
  }

  head(head: ResponseHead): void {
    const { minor, origin } = this.request;
    const framing = framingFor(head.framing, minor);
    const lacksBody = this.#mayLackBody();
    this.#head = head;
    this.#keepAlive = this.client.mayGoOn && framing !== 'close' && !lacksBody;
    const options = { framing, clientMinor: minor, keepAlive: this.#keepAlive, viaToken: origin.viaToken };
    this.#writer.head(answerHead(head, options), framing === 'chunked');
    if (lacksBody) this.#upload?.discard();
  }

  body(chunk: Buffer, start: number, end: number): void {
    this.#writer.body(chunk, start, end);
  }

  complete(trailers: FieldLines | undefined): void {
    this.#writer.end(trailers && this.#head && trailerSection(trailers, this.#head.connection, withoutOurName));
  }

  taken(rest: Buffer | undefined): boolean {
    if (this.#state === 'over') return true;
    if (this.#head?.status === 101) {
      this.#switch(this.#head, rest);
      return true;
    }
    if (this.#head !== undefined) this.#state = 'relaying';
    const complete = this.#isAnswered();
    if (this.#writer.flush(complete)) {
      if (complete) this.#written();
      return true;
    }
    this.#state = 'holding';
    this.client.socket.write('', (error) => {
      // After an error the socket closes, which ends the exchange.
      if (!error) this.#flushed();
    });
    return false;
  }

  failed(error: FormatError): void {
    if (this.#isAnswered()) this.#endUpload();
    else if (this.#mayRepeat()) this.#repeat();
    else this.fail(new ProxyFailure(`response_${error.fault}`, { detail: error.message }));
  }

  #isAnswered(): boolean {
    return this.#connection?.answered === true;
  }

  #dial(): void {
    const cancel = new CancelToken();
    this.#state = 'dialling';
    this.#cancel = cancel;
    const outcome: DialOutcome = {
      connected: (connection) => {
        if (this.#state === 'over') connection.destroy();
        else this.#use(connection);
      },
      failed: (error) => {
        if (!(error instanceof ConnectCancelled)) this.fail(ProxyFailure.from(error));
      },
    };
    this.#host.dial(this, outcome, cancel);
  }

  #use(connection: OriginConnection): void {
    this.#cancel = undefined;
    this.#connection = connection;
    this.bytes = new ByteCount(connection.socket);
    this.#state = 'waiting';
    if (this.#upload === undefined) connection.socket.write(this.request.head, 'latin1');
    else this.#upload.sendOn(connection.socket);
    connection.serve(this, this.request);
  }

  /**
   * RFC 9112, section 9.3.1: a request is sent again when the origin may have closed an idle connection before it came,
   * if sending it twice is harmless and nothing of it or its answer is lost.
   */
  #mayRepeat(): boolean {
    const connection = this.#connection;
    if (connection === undefined || connection.served === 0 || connection.answerBegun) return false;
    return this.request.idempotent && this.#upload?.begun !== true;
  }

  #repeat(): void {
    this.#upload?.hold();
    this.#connection?.destroy();
    this.#connection = undefined;
    this.#dial();
  }

  /** RFC 9110, section 10.1.1: a client that waited for 100 in vain may send its body all the same, or not. */
  #mayLackBody(): boolean {
    return this.#expectsContinue && this.#upload?.begun !== true && !this.client.requestComplete;
  }

  #flushed(): void {
    if (this.#state === 'over') return;
    this.#state = this.#head === undefined ? 'waiting' : 'relaying';
    this.#connection?.resume();
    if (this.#isAnswered()) this.#written();
  }

  /** The whole answer is with the client; the request may still be on its way. */
  #written(): void {
    const upload = this.#upload;
    if (upload !== undefined && !upload.complete && !upload.discarded) {
      this.#state = 'uploading';
      if (this.#connection?.usable === true) return;
      upload.discard();
    }
    this.#succeed();
  }

  #succeed(): void {
    if (this.#state === 'over') return;
    this.#finish();
    if (this.#connection !== undefined && this.#head !== undefined) this.#leave(this.#connection, this.#head);
    this.#host.succeeded(this);
    this.client.finish(this.#keepAlive);
  }

  #leave(connection: OriginConnection, head: ResponseHead): void {
    if (this.#upload?.complete === false) connection.abort();
    else if (!head.reusable || connection.spoiled) connection.destroy();
    else {
      connection.free(() => {
        this.#host.put(this, connection, head);
      });
    }
  }

  /** The answer is there, but its connection is gone: what the client still sends has nowhere to go. */
  #endUpload(): void {
    this.#connection?.destroy();
    this.#upload?.discard();
    if (this.#state !== 'holding') this.#written();
  }

  #switch(head: ResponseHead, rest: Buffer | undefined): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#finish();
    const toClient = Buffer.concat([Buffer.from(switchingHead(head), 'latin1'), rest ?? Buffer.alloc(0)]);
    this.#host.succeeded(this);
    this.#host.join(this, connection, toClient);
  }

  #finish(): void {
    this.#state = 'over';
    this.#cancel?.cancel();
    this.client.exchangeOver();
  }

  /** RFC 9112, section 8: an answer that is not whole must not look whole. */
  #cut(): void {
    const { socket } = this.client;
    if (this.#head !== undefined && framingFor(this.#head.framing, this.request.minor) === 'close')
      socket.resetAndDestroy();
    else socket.destroySoon();
  }
}

/** HTTP/1.1 clients get a body without a length chunked, HTTP/1.0 clients a chunked one up to the end of the connection. */
function framingFor(framing: BodyFraming, clientMinor: number): BodyFraming {
  if (framing === 'close' || framing === 'chunked') return clientMinor === 1 ? 'chunked' : 'close';
  return framing;
}

function cutOff(failure: ProxyFailure): ProxyFailure {
  const { detail } = failure.facts;
  return new ProxyFailure('response_cut', detail === undefined ? {} : { detail }, failure.cause);
}
