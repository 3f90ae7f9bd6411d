import { contain } from '#socks5-protocol';
import { ByteCount, NO_BYTES, type ActiveConnection } from '../activity/active-connection.js';
import {
  countForwarded,
  recordDisconnection,
  recordEnd,
  recordFailedConnection,
  recordRefusal,
  type ProxyServices,
} from '../activity/proxy-services.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { BodyPart } from '../http/body-reader.js';
import type { FormatError } from '../http/field-lines.js';
import type { ResponseHead } from '../http/response-reader.js';
import { SectionAccount } from '../http/section-memory.js';
import { acceptedBytes } from '../node-internals/socket-handle.js';
import type { ByteSource } from '../relay/byte-source.js';
import { abort } from '../relay/connection-socket.js';
import type { Route } from '../routing/router.js';
import { settleRoute } from '../routing/settle-route.js';
import type { Attempt, ConnectOutcome, ConnectQuery, Upstream } from '../upstream/upstream.js';
import type { ForwardClient } from './forward-client.js';
import { switchingHead } from './forwarded-response.js';
import {
  failureOfResponse,
  OriginConnection,
  originWay,
  type ConnectionUser,
  type ResponsePart,
} from './origin-connection.js';
import type { OriginPool } from './origin-pool.js';
import { headFor, type PreparedRequest } from './prepared-request.js';
import { RelayedResponse } from './relayed-response.js';
import { Upload } from './upload.js';

/** The status of a change of protocols. */
const SWITCHED = 101;

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
export class Exchange implements ConnectionUser, ConnectOutcome, ActiveConnection {
  readonly client: ForwardClient;
  readonly method: string;
  readonly authority: string;
  /** The URL, for the request log. */
  readonly requestedTarget: string;
  rule: number | undefined;
  readonly startedAt = Date.now();
  bytes: ActiveConnection['bytes'] = NO_BYTES;
  /** The connection that serves it. */
  connection: OriginConnection | undefined;
  readonly #services: ProxyServices;
  readonly #pool: OriginPool;
  readonly #request: PreparedRequest;
  #route: Route;
  readonly #response: RelayedResponse;
  readonly #upload: Upload | undefined;
  /** The memory of the response's sections. */
  readonly #sections: SectionAccount;
  #state: State = 'dialling';
  #dialling: Attempt | undefined;
  /** The upstream that could not connect. */
  #failedUpstream: string | undefined;
  #isRefused = false;
  #isRouted = false;

  constructor(
    services: ProxyServices,
    pool: OriginPool,
    client: ForwardClient,
    request: PreparedRequest,
    route: Route,
  ) {
    this.#services = services;
    this.#pool = pool;
    this.#request = request;
    this.#response = new RelayedResponse(request);
    this.#route = route;
    this.client = client;
    this.method = request.received.method;
    this.authority = request.origin.authority;
    this.requestedTarget = request.url;
    this.rule = route.rule;
    this.#sections = new SectionAccount(services.sections, () => {
      contain(this, () => {
        this.fail(
          new ProxyFailure('response_header_too_large', { detail: 'no memory left for a header of that size' }),
        );
      });
    });
    if (request.received.framing !== 'none') {
      this.#upload = new Upload(request, services.sections, () => {
        contain(client, client.resumeReading.bind(client));
      });
    }
  }

  get isGranted(): true | undefined {
    return this.#route.isGranted;
  }

  get upstream(): string {
    return this.connection?.upstream.name ?? this.#failedUpstream ?? this.#route.name;
  }

  /** Whether the next bytes are due from the client: not while it waits for 100 (RFC 9110, section 10.1.1). */
  get awaitsClient(): boolean {
    return this.#upload?.state === 'sending' && (!this.#mayLackBody() || this.#response.head !== undefined);
  }

  /** Whether the next step is the origin's: to send its response or the rest of it, or to read the request. */
  get awaitsOrigin(): boolean {
    return (this.#state === 'waiting' || this.#state === 'relaying') && !this.awaitsClient;
  }

  /** The progress towards the origin, in both directions: a slow upload is progress too. */
  get progress(): number {
    const { connection } = this;
    return connection === undefined ? 0 : connection.socket.bytesRead + acceptedBytes(connection.socket);
  }

  /** Sends the request on an idle connection, or on a new one. */
  begin(): void {
    contain(this, () => {
      const waiting = settleRoute(this.#query, this.#route, this.#services.chooseRoute, this);
      if (waiting !== undefined) this.#dialling = waiting;
    });
  }

  routed(route: Route): void {
    if (this.#state === 'finished') return;
    contain(this, () => {
      this.#route = route;
      this.#isRouted = true;
      this.rule = route.rule;
      const idle = this.#takeIdle();
      if (idle === undefined) this.#dial();
      else this.#use(idle);
    });
  }

  /** Ends the exchange because no upstream was chosen for it. */
  refused(failure: ProxyFailure): void {
    contain(this, () => {
      this.#isRefused = true;
      this.fail(failure);
    });
  }

  onDefect(error: unknown): void {
    this.client.onDefect(error);
  }

  /**
   * Forwards the part of the request's body that one read produced.
   *
   * @returns whether the client may read on at once, into the same memory; otherwise `resumeReading` is called later
   */
  pushBody(chunk: Buffer, part: BodyPart): boolean {
    const continues = this.#upload?.push(chunk, part) ?? true;
    if (part.isComplete && this.#state === 'uploading') this.#succeed();
    return continues;
  }

  /** Ends the exchange because the client disconnected. */
  abort(): void {
    if (this.#state === 'finished') return;
    this.#finish();
    this.connection?.abort();
    recordDisconnection(this.#services, this, this.#isRouted);
  }

  /** Ends the exchange with a failure, which is sent as the response or cuts the response off. */
  fail(failure: ProxyFailure): void {
    if (this.#state === 'finished') return;
    const hasBegun = this.#state !== 'dialling' && this.#state !== 'waiting' && this.#response.head !== undefined;
    const isCutOff = hasBegun && failure.row.status >= 500;
    const seen = isCutOff ? new ProxyFailure('response_cut', failure.facts, failure.cause) : failure;
    this.#finish();
    this.connection?.abort();
    try {
      if (this.#isRefused) recordRefusal(this.#services, this, seen);
      else recordFailedConnection(this.#services, this, seen);
    } finally {
      // Also after a defect: the client must not wait for an answer.
      if (hasBegun) this.#cutOff();
      else {
        this.client.fail(seen);
        this.#upload?.discard();
      }
    }
  }

  connected(link: ByteSource, upstream: Upstream): void {
    contain(this, () => {
      const { headerBytes } = this.#services.config.limits;
      // A group may have used another member than the one that was expected.
      const way = originWay(upstream, this.#query, this.authority);
      this.#use(new OriginConnection(link, way, headerBytes, this.#pool.remove));
    });
  }

  failed(failure: ProxyFailure, upstream: Upstream): void {
    contain(this, () => {
      this.#failedUpstream = upstream.name;
      this.fail(failure);
    });
  }

  received(part: ResponsePart, chunk: Buffer, rest?: Buffer): boolean {
    if (this.#state === 'finished') return true;
    try {
      return this.#relay(part, chunk, rest);
    } catch (error) {
      this.onDefect(error);
      return true;
    }
  }

  #relay({ heads, body }: ResponsePart, chunk: Buffer, rest?: Buffer): boolean {
    const last = heads.at(-1);
    if (last?.status === SWITCHED) {
      this.#switchProtocols(last, rest);
      return true;
    }
    for (const head of heads) {
      if (head.status === 100) this.#upload?.continued();
      if (head.status < 200) this.#response.addInterim(head);
      else this.#writeHead(head);
    }
    this.#response.addBody(chunk, body);
    return this.#flush();
  }

  #writeHead(head: ResponseHead): void {
    const lacksBody = this.#mayLackBody();
    this.#response.addHead(head, this.client.canKeepAlive && !lacksBody);
    if (lacksBody) this.#upload?.discard();
  }

  #flush(): boolean {
    if (this.#response.head !== undefined) this.#state = 'relaying';
    const isComplete = this.#isAnswered();
    const isWritten = this.#response.flush(this.client.socket, isComplete, () => {
      contain(this, this.#clientDrained.bind(this));
    });
    if (!isWritten) this.#state = 'holding';
    else if (isComplete) this.#responseWritten();
    return isWritten;
  }

  loginRefused(failure: ProxyFailure): void {
    contain(this, () => {
      const { connection } = this;
      const isRenewable = connection?.forwarding?.isPerConnection === true && connection.served > 0;
      // The proxy has not forwarded the request.
      if (isRenewable && this.#request.isIdempotent && this.#upload?.hasBegun !== true) this.#repeat();
      else this.fail(failure);
    });
  }

  responseFailed(error: FormatError): void {
    contain(this, () => {
      if (this.#isAnswered()) this.#endUpload();
      else if (this.#mayRepeat()) this.#repeat();
      else this.fail(failureOfResponse(error, this.connection));
    });
  }

  #isAnswered(): boolean {
    return this.connection?.isAnswered === true;
  }

  get #query(): ConnectQuery {
    const { origin, mayForward, url } = this.#request;
    return { target: origin.target, client: this.client, mayForward, url };
  }

  #takeIdle(): OriginConnection | undefined {
    const { isIdempotent, received } = this.#request;
    const key = this.#route.upstream.keyFor(this.#query, this.authority);
    return this.#pool.takeFor(this.client, key, isIdempotent && received.framing === 'none');
  }

  #dial(): void {
    this.#state = 'dialling';
    this.#dialling = this.#route.upstream.begin(this.#query, this);
  }

  #use(connection: OriginConnection): void {
    this.#dialling = undefined;
    this.connection = connection;
    this.bytes = new ByteCount(connection.socket);
    this.#state = 'waiting';
    const head = headFor(this.#request, connection);
    if (this.#upload === undefined) connection.socket.write(head, 'latin1');
    else this.#upload.sendOn(connection.socket, head);
    connection.serve(this, this.#request.received, this.#sections);
  }

  /**
   * Whether the request may be sent again (RFC 9112, section 9.3.1): the origin may have closed an idle connection before the
   * request arrived, repeating it is harmless, and nothing of its body or response is lost.
   */
  #mayRepeat(): boolean {
    const connection = this.connection;
    if (connection === undefined || connection.served === 0 || connection.isAnswerBegun) return false;
    return this.#request.isIdempotent && this.#upload?.hasBegun !== true;
  }

  #repeat(): void {
    this.#upload?.waitForConnection();
    this.connection?.close();
    this.connection = undefined;
    this.#dial();
  }

  #mayLackBody(): boolean {
    return this.#upload?.mayBeOmitted === true && !this.client.isRequestComplete;
  }

  #clientDrained(): void {
    if (this.#state === 'finished') return;
    this.#state = this.#response.head === undefined ? 'waiting' : 'relaying';
    this.connection?.resume();
    if (this.#isAnswered()) this.#responseWritten();
  }

  /** The whole response was written to the client; the request may still be incomplete. */
  #responseWritten(): void {
    const upload = this.#upload;
    if (upload !== undefined && upload.state !== 'complete' && upload.state !== 'discarding') {
      this.#state = 'uploading';
      if (this.connection?.isUsable === true) return;
      upload.discard();
    }
    this.#succeed();
  }

  #succeed(): void {
    const { connection } = this;
    const { head, keepAlive } = this.#response;
    if (this.#state === 'finished' || connection === undefined || head === undefined) return;
    this.#finish();
    if (this.#upload !== undefined && this.#upload.state !== 'complete') connection.abort();
    else this.#pool.reuse(this.client, connection, head, this.#request.authenticates);
    recordEnd(this.#services, this, { status: head.status });
    countForwarded(this.#services, this, head.status);
    this.client.responseSent(keepAlive);
  }

  /** The response is complete, but its connection is gone: the rest of the request cannot be sent. */
  #endUpload(): void {
    this.connection?.close();
    this.#upload?.discard();
    if (this.#state !== 'holding') this.#responseWritten();
  }

  #switchProtocols(head: ResponseHead, rest: Buffer | undefined): void {
    const { connection } = this;
    if (connection === undefined) return;
    this.#finish();
    countForwarded(this.#services, this, SWITCHED);
    this.client.socket.write(Buffer.concat([Buffer.from(switchingHead(head), 'latin1'), rest ?? Buffer.alloc(0)]));
    this.#services.relays.join(this.client.handOver(this), connection.release(), (relay) => {
      recordEnd(this.#services, this, { status: SWITCHED, relay });
    });
  }

  #finish(): void {
    this.#state = 'finished';
    this.#sections.releaseRetained();
    this.#upload?.release();
    this.#dialling?.abort();
    this.client.exchangeEnded();
  }

  /** Closes the client's connection so that an incomplete response does not look complete (RFC 9112, section 8). */
  #cutOff(): void {
    const { socket } = this.client;
    if (this.#response.endsWithConnection) abort(socket);
    else socket.destroySoon();
  }
}
