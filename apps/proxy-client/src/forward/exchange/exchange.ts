import { ProxyFailure } from '../../failure/proxy-failure.js';
import { CancelToken, ConnectCancelled } from '../../upstream/cancel-token.js';
import type { Upstream, UpstreamConnection } from '../../upstream/upstream.js';
import type { ConnectionUser, OriginConnection } from '../pool/origin-connection.js';
import type { PreparedRequest } from '../request/prepared-request.js';
import { answerHead, authenticatesConnection, interimHead, switchingHead } from '../response/answer-head.js';
import { AnswerWriter } from '../response/answer-writer.js';
import type { FieldLines } from '../wire/field-lines.js';
import type { ResponseFormatError } from '../wire/response-format-error.js';
import type { BodyFraming, ResponseHead } from '../wire/response-head.js';
import type { ClientSide } from './client-side.js';
import type { Upload } from './upload.js';

/** Where an exchange gets connections from, and what it tells of its end. */
export interface ExchangeHost {
  /** An idle connection for the request, if there is one. */
  take(exchange: Exchange): OriginConnection | undefined;
  /** A new connection for the request. */
  dial(exchange: Exchange, cancel: CancelToken): Promise<OriginConnection>;
  /** The connection can be used for another request. */
  put(exchange: Exchange, connection: OriginConnection, head: ResponseHead): void;
  /** The answer was relayed whole. */
  succeeded(exchange: Exchange): void;
  /** The proxy had to answer itself or to cut the answer off. */
  failed(exchange: Exchange, failure: ProxyFailure): void;
  /** Nothing more will happen. */
  ended(exchange: Exchange): void;
}

export interface ExchangeOptions {
  readonly host: ExchangeHost;
  readonly request: PreparedRequest;
  readonly client: ClientSide;
  readonly way: Way;
  readonly upload?: Upload | undefined;
  /** Protocols were switched: both sides leave HTTP. `toClient` goes to the client before anything else. */
  readonly onSwitch?: ((upstream: UpstreamConnection, toClient: Buffer) => void) | undefined;
}

/** Where the request goes out. */
export interface Way {
  readonly upstream: Upstream;
  /** Upstream, user and target: what connections are kept by. */
  readonly key: string;
}

/**
 * One request and its answer.
 *
 *     client ── request head, body ──▶ origin
 *     client ◀── answer, as it comes ── origin
 *
 * Whatever happens ends it once: the answer was relayed, the proxy failed it, or the client left.
 */
export class Exchange implements ConnectionUser {
  readonly request: PreparedRequest;
  readonly client: ClientSide;
  readonly way: Way;
  readonly upload: Upload | undefined;
  readonly #onSwitch: ExchangeOptions['onSwitch'];
  readonly #host: ExchangeHost;
  readonly #writer: AnswerWriter;
  #connection: OriginConnection | undefined;
  #cancel: CancelToken | undefined;
  #head: ResponseHead | undefined;
  #keepAlive = false;
  /** The head of the answer, or a part of it, was handed to the client's socket. */
  #begun = false;
  #continued = false;
  #lacksBody = false;
  #switchedTo: ResponseHead | undefined;
  #complete = false;
  #spoiled = false;
  #holds = false;
  #over = false;

  constructor({ host, request, client, way, upload, onSwitch }: ExchangeOptions) {
    this.#host = host;
    this.request = request;
    this.client = client;
    this.way = way;
    this.upload = upload;
    this.#onSwitch = onSwitch;
    this.#writer = new AnswerWriter(client.socket);
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
    return this.upload?.awaitsClient === true && (!this.#mayLackBody() || this.#head !== undefined);
  }

  /** Whether the next step is the origin's: its answer, or the rest of it, or taking the request. */
  get awaitsOrigin(): boolean {
    return this.#connection !== undefined && !this.#complete && !this.#holds && !this.awaitsClient;
  }

  /** Whether the request authenticates its connection, or the answer says that it does. */
  get pins(): boolean {
    return this.request.authenticates || authenticatesConnection(this.#head?.challenge ?? '');
  }

  /** Sends the request: on an idle connection at once, else on a new one. */
  begin(): void {
    const idle = this.#host.take(this);
    if (idle === undefined) this.#dial();
    else this.#use(idle);
  }

  /** The client has left: nobody wants the answer any more. */
  abort(): void {
    if (this.#over) return;
    this.#finish();
    this.#connection?.abort();
  }

  /** Ends the exchange with a failure: the client gets it as the answer, or sees the answer cut. */
  fail(failure: ProxyFailure): void {
    if (this.#over) return;
    const connection = this.#connection;
    const seen = this.#begun && failure.row.status >= 500 ? cutOff(failure) : failure;
    this.#finish();
    connection?.abort();
    this.#host.failed(this, seen);
    if (this.#begun) this.#cut();
    else {
      this.client.fail(seen);
      this.upload?.discard();
    }
  }

  informational(head: ResponseHead): void {
    if (head.status === 100) this.#continued = true;
    if (this.request.minor === 1) this.#writer.raw(interimHead(head));
  }

  switched(head: ResponseHead): void {
    this.#switchedTo = head;
  }

  head(head: ResponseHead): void {
    const { minor, route } = this.request;
    const framing = framingFor(head.framing, minor);
    this.#head = head;
    this.#lacksBody = this.#mayLackBody();
    this.#keepAlive = this.client.mayGoOn && framing !== 'close' && !this.#lacksBody;
    const options = {
      framing,
      clientMinor: minor,
      keepAlive: this.#keepAlive,
      viaToken: route.viaToken,
    };
    this.#writer.head(answerHead(head, options), framing, head.connection);
  }

  body(chunk: Buffer, start: number, end: number): void {
    this.#writer.body(chunk, start, end);
  }

  complete(trailers: FieldLines | undefined): void {
    this.#writer.end(trailers);
    this.#complete = true;
  }

  taken(rest: Buffer | undefined): boolean {
    if (this.#over) return true;
    if (this.#switchedTo !== undefined) {
      this.#switch(this.#switchedTo, rest);
      return true;
    }
    if (rest !== undefined) this.#spoiled = true;
    this.#begun = this.#head !== undefined;
    if (this.#writer.flush(this.#complete)) {
      if (this.#complete) this.#written();
      return true;
    }
    this.#holds = true;
    this.client.socket.write('', (error) => {
      // After an error the socket closes, which ends the exchange.
      if (!error) this.#flushed();
    });
    return false;
  }

  failed(error: ResponseFormatError): void {
    if (this.#complete) this.#endUpload();
    else if (this.#mayRepeat()) this.#repeat();
    else this.fail(new ProxyFailure(error.code, { detail: error.message }));
  }

  drained(): void {
    this.upload?.drained();
  }

  #dial(): void {
    const cancel = new CancelToken();
    this.#cancel = cancel;
    this.#host.dial(this, cancel).then(
      (connection) => {
        if (this.#over) connection.destroy();
        else this.#use(connection);
      },
      (error: unknown) => {
        if (!(error instanceof ConnectCancelled)) this.fail(ProxyFailure.from(error));
      },
    );
  }

  #use(connection: OriginConnection): void {
    this.#cancel = undefined;
    this.#connection = connection;
    connection.send(this, this.request, this.request.head);
    if (!this.#over)
      this.upload?.sendOn(connection, () => {
        if (this.#complete && !this.#holds) this.#written();
      });
  }

  /**
   * RFC 9112, section 9.3.1: a request is sent again when the origin may have closed an idle connection before it came,
   * if sending it twice is harmless and nothing of it or its answer is lost.
   */
  #mayRepeat(): boolean {
    const connection = this.#connection;
    if (connection === undefined || connection.served === 0 || connection.answerBegun) return false;
    return this.request.idempotent && this.upload?.begun !== true;
  }

  #repeat(): void {
    this.upload?.hold();
    this.#connection?.destroy();
    this.#connection = undefined;
    this.#dial();
  }

  /** RFC 9110, section 10.1.1: a client that waited for 100 in vain may send its body all the same, or not. */
  #mayLackBody(): boolean {
    return (
      this.request.expectsContinue && !this.#continued && this.upload?.begun !== true && !this.client.requestComplete
    );
  }

  #flushed(): void {
    if (this.#over) return;
    this.#holds = false;
    this.#connection?.resume();
    if (this.#complete) this.#written();
  }

  /** The whole answer is with the client; the request may still be on its way. */
  #written(): void {
    const { upload } = this;
    if (upload !== undefined && !upload.complete && !this.#lacksBody) {
      if (this.#connection?.usable === true) return;
      upload.discard();
    }
    this.#succeed();
  }

  #succeed(): void {
    if (this.#over) return;
    this.#finish();
    if (this.#connection !== undefined && this.#head !== undefined) this.#leave(this.#connection, this.#head);
    this.#host.succeeded(this);
    this.client.finish(this.#keepAlive);
  }

  #leave(connection: OriginConnection, head: ResponseHead): void {
    if (this.upload?.complete === false) connection.abort();
    else if (!head.reusable || this.#spoiled) connection.destroy();
    else {
      connection.free(() => {
        this.#host.put(this, connection, head);
      });
    }
  }

  /** The answer is there, but its connection is gone: what the client still sends has nowhere to go. */
  #endUpload(): void {
    this.#connection?.destroy();
    this.upload?.discard();
    if (!this.#holds) this.#written();
  }

  #switch(head: ResponseHead, rest: Buffer | undefined): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#finish();
    const toClient = Buffer.concat([Buffer.from(switchingHead(head), 'latin1'), rest ?? Buffer.alloc(0)]);
    this.#host.succeeded(this);
    this.#onSwitch?.(connection.release(), toClient);
  }

  #finish(): void {
    this.#over = true;
    this.#cancel?.cancel();
    this.#host.ended(this);
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
