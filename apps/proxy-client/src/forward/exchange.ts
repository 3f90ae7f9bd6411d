import { ByteCount, NO_BYTES, type ActiveConnection } from '../activity/active-connection.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { BodyFraming } from '../http/body-reader.js';
import { trailerSection, type FieldLines } from '../http/field-lines.js';
import type { FormatError } from '../http/format-error.js';
import type { ResponseHead } from '../http/response-head.js';
import { CancelToken, ConnectCancelled } from '../upstream/upstream.js';
import type { ForwardClient } from './client.js';
import {
  authenticatesConnection,
  interimHead,
  responseHead,
  switchingHead,
  withoutOurName,
} from './forwarded-response.js';
import { MessageWriter } from './message-writer.js';
import type { ConnectionUser, OriginConnection } from './origin-connection.js';
import type { OriginRoute } from './origins.js';
import type { PreparedRequest } from './prepared-request.js';
import { Upload, type BodyEnd } from './upload.js';

/** The result of a dial: one of the two is called. */
export interface DialOutcome {
  connected(connection: OriginConnection): void;
  failed(error: Error): void;
}

/** The owner of exchanges: it provides connections and is notified of the result. */
export interface ExchangeHost {
  /** Returns an idle connection for the request, if there is one. */
  takeIdle(exchange: Exchange): OriginConnection | undefined;
  /** Opens a new connection for the request. */
  dial(exchange: Exchange, outcome: DialOutcome, cancel: CancelToken): void;
  /** Accepts a connection back that can be used for another request. */
  reuse(exchange: Exchange, connection: OriginConnection, head: ResponseHead): void;
  /** The whole response was relayed. */
  succeeded(exchange: Exchange): void;
  /** The proxy sent a failure as the response, or cut the response off. */
  failed(exchange: Exchange, failure: ProxyFailure): void;
  /** The client disconnected before the end. */
  aborted(exchange: Exchange): void;
  /** Protocols were switched: joins the client's connection and the origin's. */
  join(exchange: Exchange, connection: OriginConnection, toClient: Buffer): void;
}

/**
 * - `dialling`: there is no connection yet
 * - `waiting`: the request is being sent; so far only interim responses were relayed
 * - `relaying`: a part of the response was relayed
 * - `holding`: the client does not read fast enough; the origin is not read
 * - `uploading`: the response was relayed, the request is still being sent
 * - `finished`: nothing more will happen
 */
type State = 'dialling' | 'waiting' | 'relaying' | 'holding' | 'uploading' | 'finished';

/**
 * One request and its response.
 *
 *     client ── request head, body ──▶ origin
 *     client ◀── response, as it arrives ── origin
 *
 * It finishes once: the response was relayed, the proxy failed the request, or the client disconnected.
 */
export class Exchange implements ConnectionUser, ActiveConnection {
  readonly request: PreparedRequest;
  readonly client: ForwardClient;
  readonly route: OriginRoute;
  readonly startedAt = Date.now();
  bytes: ActiveConnection['bytes'] = NO_BYTES;
  readonly #host: ExchangeHost;
  readonly #writer: MessageWriter;
  readonly #upload: Upload | undefined;
  #state: State = 'dialling';
  #connection: OriginConnection | undefined;
  #cancel: CancelToken | undefined;
  /** The head of the final response, or of 101. */
  #head: ResponseHead | undefined;
  #keepAlive = false;
  /** The client may wait for 100 before it sends its body. */
  #expectsContinue: boolean;

  constructor(host: ExchangeHost, request: PreparedRequest, client: ForwardClient, route: OriginRoute) {
    this.#host = host;
    this.request = request;
    this.client = client;
    this.route = route;
    this.#writer = new MessageWriter(client.socket);
    this.#expectsContinue = request.expectsContinue;
    if (request.framing !== 'none') {
      this.#upload = new Upload(request, () => {
        client.resumeReading();
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
    return this.#connection?.through ?? this.route.upstream.name;
  }

  get rule(): number | undefined {
    return this.route.rule;
  }

  /** The connection that serves it. */
  get connection(): OriginConnection | undefined {
    return this.#connection;
  }

  /** The status of the response, once its head was received. */
  get status(): number | undefined {
    return this.#head?.status;
  }

  /** Whether the next bytes are due from the client: not while it waits for 100 (RFC 9110, section 10.1.1). */
  get awaitsClient(): boolean {
    return this.#upload?.awaitsClient === true && (!this.#mayLackBody() || this.#head !== undefined);
  }

  /** Whether the next step is the origin's: to send its response or the rest of it, or to read the request. */
  get awaitsOrigin(): boolean {
    return (this.#state === 'waiting' || this.#state === 'relaying') && !this.awaitsClient;
  }

  /** Whether the request or the response authenticates the connection. */
  get pins(): boolean {
    return this.request.authenticates || authenticatesConnection(this.#head?.challenge ?? '');
  }

  /** Sends the request on an idle connection, or on a new one. */
  begin(): void {
    if (this.#state === 'finished') return;
    const idle = this.#host.takeIdle(this);
    if (idle === undefined) this.#dial();
    else this.#use(idle);
  }

  /**
   * Forwards the part of the request's body that one read produced.
   *
   * @param pieces - the start and end of each piece in `chunk`, one after the other
   * @param end - if the body ends with them
   * @returns whether the client may read on at once, into the same memory; otherwise `resumeReading` is called later
   */
  pushBody(chunk: Buffer, pieces: readonly number[], end: BodyEnd | undefined): boolean {
    const goesOn = this.#upload?.push(chunk, pieces, end) ?? true;
    if (end !== undefined && this.#state === 'uploading') this.#succeed();
    return goesOn;
  }

  /** Ends the exchange because the client disconnected. */
  abort(): void {
    if (this.#state === 'finished') return;
    this.#finish();
    this.#connection?.abort();
    this.#host.aborted(this);
  }

  /** Ends the exchange with a failure, which is sent as the response or cuts the response off. */
  fail(failure: ProxyFailure): void {
    if (this.#state === 'finished') return;
    const hasBegun = this.#state !== 'dialling' && this.#state !== 'waiting' && this.#head !== undefined;
    const seen = hasBegun && failure.row.status >= 500 ? asCutOff(failure) : failure;
    this.#finish();
    this.#connection?.abort();
    this.#host.failed(this, seen);
    if (hasBegun) this.#cutOff();
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
    this.#keepAlive = this.client.canKeepAlive && framing !== 'close' && !lacksBody;
    const options = { framing, clientMinor: minor, keepAlive: this.#keepAlive, viaToken: origin.viaToken };
    this.#writer.head(responseHead(head, options), framing === 'chunked');
    if (lacksBody) this.#upload?.discard();
  }

  body(chunk: Buffer, start: number, end: number): void {
    this.#writer.body(chunk, start, end);
  }

  complete(trailers: FieldLines | undefined): void {
    this.#writer.end(trailers && this.#head && trailerSection(trailers, this.#head.connection, withoutOurName));
  }

  readHandled(rest: Buffer | undefined): boolean {
    if (this.#state === 'finished') return true;
    if (this.#head?.status === 101) {
      this.#switchProtocols(this.#head, rest);
      return true;
    }
    if (this.#head !== undefined) this.#state = 'relaying';
    const isComplete = this.#isAnswered();
    if (this.#writer.flush(isComplete)) {
      if (isComplete) this.#responseWritten();
      return true;
    }
    this.#state = 'holding';
    this.client.socket.write('', (error) => {
      // After an error the socket closes, which ends the exchange.
      if (!error) this.#clientDrained();
    });
    return false;
  }

  failed(error: FormatError): void {
    if (this.#isAnswered()) this.#endUpload();
    else if (this.#mayRepeat()) this.#repeat();
    else this.fail(new ProxyFailure(`response_${error.fault}`, { detail: error.message }));
  }

  #isAnswered(): boolean {
    return this.#connection?.isAnswered === true;
  }

  #dial(): void {
    const cancel = new CancelToken();
    this.#state = 'dialling';
    this.#cancel = cancel;
    const outcome: DialOutcome = {
      connected: (connection) => {
        if (this.#state === 'finished') connection.destroy();
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
   * Whether the request may be sent again (RFC 9112, section 9.3.1): the origin may have closed an idle connection before the
   * request arrived, repeating it is harmless, and nothing of its body or response is lost.
   */
  #mayRepeat(): boolean {
    const connection = this.#connection;
    if (connection === undefined || connection.served === 0 || connection.isAnswerBegun) return false;
    return this.request.isIdempotent && this.#upload?.hasBegun !== true;
  }

  #repeat(): void {
    this.#upload?.waitForConnection();
    this.#connection?.destroy();
    this.#connection = undefined;
    this.#dial();
  }

  /** Whether the client still waits for 100. It may send its body without it, or omit it (RFC 9110, section 10.1.1). */
  #mayLackBody(): boolean {
    return this.#expectsContinue && this.#upload?.hasBegun !== true && !this.client.isRequestComplete;
  }

  #clientDrained(): void {
    if (this.#state === 'finished') return;
    this.#state = this.#head === undefined ? 'waiting' : 'relaying';
    this.#connection?.resume();
    if (this.#isAnswered()) this.#responseWritten();
  }

  /** The whole response was written to the client; the request may still be incomplete. */
  #responseWritten(): void {
    const upload = this.#upload;
    if (upload !== undefined && !upload.isComplete && !upload.isDiscarded) {
      this.#state = 'uploading';
      if (this.#connection?.isUsable === true) return;
      upload.discard();
    }
    this.#succeed();
  }

  #succeed(): void {
    if (this.#state === 'finished') return;
    this.#finish();
    if (this.#connection !== undefined && this.#head !== undefined) this.#release(this.#connection, this.#head);
    this.#host.succeeded(this);
    this.client.responseSent(this.#keepAlive);
  }

  #release(connection: OriginConnection, head: ResponseHead): void {
    if (this.#upload?.isComplete === false) connection.abort();
    else if (!head.reusable || connection.isSpoiled) connection.destroy();
    else {
      connection.free(() => {
        this.#host.reuse(this, connection, head);
      });
    }
  }

  /** The response is complete, but its connection is gone: the rest of the request cannot be sent. */
  #endUpload(): void {
    this.#connection?.destroy();
    this.#upload?.discard();
    if (this.#state !== 'holding') this.#responseWritten();
  }

  #switchProtocols(head: ResponseHead, rest: Buffer | undefined): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#finish();
    const toClient = Buffer.concat([Buffer.from(switchingHead(head), 'latin1'), rest ?? Buffer.alloc(0)]);
    this.#host.succeeded(this);
    this.#host.join(this, connection, toClient);
  }

  #finish(): void {
    this.#state = 'finished';
    this.#cancel?.cancel();
    this.client.exchangeEnded();
  }

  /** Closes the client's connection so that an incomplete response does not look complete (RFC 9112, section 8). */
  #cutOff(): void {
    const { socket } = this.client;
    if (this.#head !== undefined && framingFor(this.#head.framing, this.request.minor) === 'close')
      socket.resetAndDestroy();
    else socket.destroySoon();
  }
}

/** Returns the framing towards the client: chunked for a body without a length, up to the end of the connection in HTTP/1.0. */
function framingFor(framing: BodyFraming, clientMinor: number): BodyFraming {
  if (framing === 'close' || framing === 'chunked') return clientMinor === 1 ? 'chunked' : 'close';
  return framing;
}

function asCutOff(failure: ProxyFailure): ProxyFailure {
  const { detail } = failure.facts;
  return new ProxyFailure('response_cut', detail === undefined ? {} : { detail }, failure.cause);
}
