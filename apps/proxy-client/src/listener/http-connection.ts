import { contain } from '#socks5-protocol';
import { requestedTargetOf, type LoggedRequest } from '../activity/request-line.js';
import type { ActiveConnection } from '../activity/active-connection.js';
import { failureAnswer, pageFor } from '../failure/answer-failure.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Exchange } from '../forward/exchange.js';
import type { ForwardClient } from '../forward/forward-client.js';
import type { OriginConnection } from '../forward/origin-connection.js';
import { joinedValues } from '../http/field-lines.js';
import { ownResponse, type ResponseFields } from '../http/own-response.js';
import { awaitsContinue, readBasic, type RequestHead } from '../http/request-head.js';
import { RequestReader } from '../http/request-reader.js';
import { SectionAccount } from '../http/section-memory.js';
import { MORE } from '../http/section.js';
import type { ByteSource } from '../relay/byte-source.js';
import { closeWritten } from '../relay/connection-socket.js';
import { connectTarget } from '../tunnel/tunnels.js';
import type { Users } from '../users/users.js';
import { ClientConnection, type AcceptedClient } from './client-connection.js';

/** Bytes that are being parsed. */
interface Input {
  readonly chunk: Buffer;
  /** The first byte that was not parsed. */
  position: number;
}

const NOTHING = Buffer.alloc(0);
const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');
/** Replace the parser of a connection that was handed over: a tunnel may be idle for days, and the parser takes nearly 1 KiB. */
const NO_READER = new RequestReader(0);
/** The limit of a body that is read and dropped for a client without credentials, so that its connection stays open. */
const MAX_DISCARDED = 1_048_576;

/**
 * The connection of a client that speaks HTTP; it serves one request at a time.
 *
 *     client ── GET /stats ──────────▶ own pages
 *     client ── GET http://… ────────▶ forwarder      client ── CONNECT ──▶ tunnel
 */
export class HttpConnection extends ClientConnection implements ForwardClient {
  readonly tunnelMethod = 'CONNECT';
  ownOrigins: Map<string, OriginConnection> | undefined = undefined;
  #reader: RequestReader;
  /** The memory of the request's sections. */
  readonly #sections: SectionAccount;
  #input: Input | undefined;
  /** The last correct credentials: a keep-alive connection repeats them with every request. A reload replaces the users. */
  #accepted: { readonly users: Users; readonly authorization: string } | undefined;
  /** The number of requests that were answered. */
  #served = 0;

  constructor(accepted: AcceptedClient) {
    super(accepted);
    const { services } = this.host;
    this.#sections = new SectionAccount(services.sections, () => {
      contain(this, this.#evict.bind(this));
    });
    this.#reader = new RequestReader(services.config.limits.headerBytes, this.#sections);
  }

  /** The head of the current request. */
  get #request(): RequestHead | undefined {
    return 'request' in this.state ? this.state.request : undefined;
  }

  get #exchange(): Exchange | undefined {
    if (this.state.name !== 'serving' || this.state.exchange === 'ended') return undefined;
    return this.state.exchange;
  }

  get canKeepAlive(): boolean {
    return this.#persists && this.#request?.switchesTo === undefined;
  }

  override get requested(): Pick<LoggedRequest, 'method' | 'requestedTarget'> {
    const request = this.#request;
    return { method: request?.method, requestedTarget: request && requestedTargetOf(request) };
  }

  get relaysContent(): boolean {
    return this.#reader.inContent;
  }

  get isRequestComplete(): boolean {
    return !this.#reader.inBody;
  }

  exchangeEnded(): void {
    if (this.state.name === 'serving') this.state = { name: 'serving', request: this.state.request, exchange: 'ended' };
  }

  override onEnd(): void {
    if (this.state.name !== 'closing' && (this.#reader.inBody || this.#reader.inHead)) this.#handleTruncated();
    else super.onEnd();
  }

  responseSent(keepAlive: boolean): void {
    const request = this.#request;
    if (!keepAlive || request === undefined || !this.#persists) this.#close();
    else if (this.#reader.inBody) this.state = { name: 'discarding', request };
    else this.#nextRequest();
  }

  override fail(failure: ProxyFailure): void {
    const request = this.#request;
    const keepAlive =
      this.canKeepAlive && !awaitsContinue(request) && !failure.row.closes && this.#mayDiscardBody(failure);
    const form = { keepAlive, withBody: request?.method !== 'HEAD', page: request && pageFor(request) };
    this.socket.write(failureAnswer(failure, form), 'latin1');
    if (keepAlive) this.responseSent(true);
    else this.linger();
  }

  protected override mayAnswer(): boolean {
    const isAnswered = this.state.name === 'serving' && this.state.exchange === 'ended';
    return super.mayAnswer() && !isAnswered && this.state.name !== 'discarding';
  }

  protected override failOngoing(failure: ProxyFailure): boolean {
    const exchange = this.#exchange;
    if (exchange === undefined) return super.failOngoing(failure);
    exchange.fail(failure);
    return true;
  }

  override acceptTunnel(): ByteSource {
    this.socket.write(ESTABLISHED);
    return super.acceptTunnel();
  }

  override handOver(work: ActiveConnection | undefined): ByteSource {
    this.#release();
    this.#reader = NO_READER;
    return super.handOver(work);
  }

  /**
   * Responds to the current request.
   *
   * @param fields - without Content-Length, Date and Connection
   * @param body - latin1
   * @param closes - whether the connection closes after the response
   */
  respond(status: number, fields: ResponseFields, body: string, closes = false): void {
    const request = this.#request;
    const keepAlive = this.#persists && !awaitsContinue(request) && !closes;
    const form = { keepAlive, withBody: request?.method !== 'HEAD' };
    this.socket.write(ownResponse(status, fields, body, form), 'latin1');
    this.responseSent(keepAlive);
  }

  protected isIdle(): boolean {
    return this.socket.bytesRead === 0 || (this.state.name === 'reading' && this.#reader.isIdle);
  }

  protected writeFailure(failure: ProxyFailure): void {
    this.socket.write(failureAnswer(failure, { keepAlive: false, withBody: true }), 'latin1');
  }

  protected override sweepOpen(now: number): void {
    const { read, idle } = this.host.services.config.timeouts;
    switch (this.state.name) {
      case 'serving':
        if (this.#exchange !== undefined) this.#sweepExchange(now, this.#exchange);
        break;
      case 'discarding':
        if (this.hasWaited(now, 'end of body', read, this.socket.bytesRead)) this.socket.destroy();
        break;
      case 'reading':
        if (this.#served > 0 && this.#reader.isIdle) {
          if (this.hasWaited(now, 'next request', idle, this.#served)) this.socket.destroy();
          // The time for the whole head, from the acceptance of the connection or from the first byte of a later request.
        } else if (this.hasWaited(now, 'request', read, this.#served)) this.refuse(new ProxyFailure('request_timeout'));
        break;
      default:
    }
  }

  #sweepExchange(now: number, exchange: Exchange): void {
    const { read, response } = this.host.services.config.timeouts;
    exchange.connection?.trim();
    if (exchange.awaitsClient) {
      if (this.hasWaited(now, 'request body', read, this.socket.bytesRead)) {
        exchange.fail(new ProxyFailure('request_body_timeout'));
      }
    } else if (this.hasWaited(now, exchange.awaitsOrigin ? 'response' : undefined, response, exchange.progress)) {
      exchange.fail(new ProxyFailure('response_timeout'));
    }
  }

  protected override abortUnread(): void {
    this.#exchange?.fail(new ProxyFailure('response_cut', { detail: 'the client has not read for timeouts.write' }));
    super.abortUnread();
  }

  /** Whether client and proxy keep the connection open after the current request. */
  get #persists(): boolean {
    const request = this.#request;
    return request?.keepAlive === true && request.method !== 'CONNECT' && !this.host.isDraining;
  }

  /** Whether the rest of a refused request is read and dropped: without credentials only a body as small as a form's. */
  #mayDiscardBody({ row }: ProxyFailure): boolean {
    const request = this.#request;
    if (row.status !== 407 || request === undefined || this.isRequestComplete) return true;
    return request.framing === 'length' && request.length <= MAX_DISCARDED;
  }

  protected consume(chunk: Buffer, isOwned: boolean): void {
    this.#parse({ chunk, position: 0 }, isOwned);
  }

  #parse(input: Input, isOwned: boolean): void {
    this.#input = input;
    const served = this.#served;
    while (input.position < input.chunk.length && this.isReading()) {
      // One chunk may have 1,600 requests for own pages: after each answer, other connections get a turn.
      const isTurnOver = this.#served > served;
      if (isTurnOver || this.#mustHold()) {
        this.hold(input.chunk.subarray(input.position), isOwned);
        if (isTurnOver) this.#waitForTurn();
        break;
      }
      this.#parseStep(input);
      if (this.#isChecking()) return;
    }
    this.#input = undefined;
  }

  #waitForTurn(): void {
    this.stop();
    this.host.services.turns.add(() => {
      contain(this, this.consumeHeld.bind(this));
    });
  }

  /** Whether received bytes are not a part of the current request. */
  #mustHold(): boolean {
    return this.state.name === 'opening' || (this.state.name === 'serving' && !this.#reader.inBody);
  }

  #isChecking(): boolean {
    return this.state.name === 'checking';
  }

  #parseStep(input: Input): void {
    const reader = this.#reader;
    let failure: ProxyFailure | undefined;
    try {
      const stop = reader.push(input.chunk, input.position, input.chunk.length);
      input.position = stop === MORE ? input.chunk.length : stop;
    } catch (error) {
      input.position = input.chunk.length;
      failure = ProxyFailure.from(error);
    }
    if (reader.head !== undefined) {
      this.state = { name: 'serving', request: reader.head };
      this.#serve(reader.head, failure && asBodyFailure(failure));
    } else if (failure !== undefined) this.#handleMalformed(failure);
    else if (this.state.name === 'serving') this.#pushBody(input.chunk);
    else if (this.state.name === 'discarding' && reader.body.isComplete) this.#nextRequest();
  }

  /**
   * Handles a request whose head was received. The part of its body that was received with it follows.
   *
   * @param malformed - the error in its body, if one is known already
   */
  #serve(head: RequestHead, malformed: ProxyFailure | undefined): void {
    const { users, pages } = this.host;
    if (!this.isAdmitted) {
      this.refuse(new ProxyFailure('client_not_allowed'));
      return;
    }
    const page = head.method === 'CONNECT' ? undefined : pages.find(head);
    if (page !== undefined) {
      if (malformed !== undefined) this.refuse(malformed);
      else pages.respond(page, head.method, this.respond.bind(this));
    } else if (users === undefined) this.#proxy(head, malformed);
    else {
      this.#authenticate(users, joinedValues(head.lines, 'proxy-authorization'), (refusal) => {
        if (refusal === undefined) this.#proxy(head, malformed);
        else if (malformed !== undefined) this.refuse(malformed);
        else {
          this.recordRefusal(refusal);
          this.fail(refusal);
        }
      });
    }
  }

  /** @param then - called with the reason for a refusal, if there is one: at once, or after a password was checked */
  #authenticate(users: Users, authorization: string, then: (refusal?: ProxyFailure) => void): void {
    if (this.#accepted?.authorization === authorization && this.#accepted.users === users) {
      then();
      return;
    }
    const credentials = readBasic(authorization);
    if (credentials === undefined) {
      then(new ProxyFailure('authentication_required'));
      return;
    }
    const decide = (refusal: ProxyFailure | undefined): void => {
      if (refusal === undefined) this.#accepted = { users, authorization };
      then(refusal);
    };
    this.verify(users, credentials, decide, () => {
      if (this.#input !== undefined) this.#parse(this.#input, false);
    });
  }

  #proxy(head: RequestHead, malformed: ProxyFailure | undefined): void {
    if (this.host.isTooMany(this)) this.refuse(new ProxyFailure('connection_limit'));
    else if (head.method === 'CONNECT') this.openTunnel(() => connectTarget(head));
    else {
      const exchange = this.host.forwarder.open(head, this, malformed);
      if (exchange !== undefined) this.#beginExchange(head, exchange);
    }
  }

  #beginExchange(request: RequestHead, exchange: Exchange): void {
    this.state = { name: 'serving', request, exchange };
    const { pieces, isComplete } = this.#reader.body;
    if (pieces.length > 0 || isComplete) this.#pushBody(this.#input?.chunk ?? NOTHING);
    if (this.isRequestComplete || this.source.drained) exchange.begin();
    else {
      // More of the body was received already. If it is malformed, nothing of the request is sent.
      setImmediate(exchange.begin.bind(exchange));
    }
  }

  #pushBody(chunk: Buffer): void {
    const { body } = this.#reader;
    const continues = this.#exchange?.pushBody(chunk, body) ?? true;
    // The bounds of many small pieces would take more memory than the pieces.
    body.clear();
    if (!continues) this.stop();
  }

  #handleMalformed(failure: ProxyFailure): void {
    if (this.state.name === 'reading') this.refuse(failure);
    else if (this.#exchange !== undefined) this.#exchange.fail(asBodyFailure(failure));
    else this.linger();
  }

  /** Handles a client that has finished sending in the middle of a request. */
  #handleTruncated(): void {
    const failure = new ProxyFailure('bad_request', { detail: 'connection ended inside the request' });
    if (this.state.name === 'reading') this.refuse(failure);
    else if (this.#exchange !== undefined) this.#exchange.fail(failure);
    else this.socket.destroySoon();
  }

  #release(): void {
    this.#reader.release();
    this.#sections.releaseRetained();
  }

  protected override linger(): void {
    this.#release();
    super.linger();
  }

  /** Ends a request whose sections hold more memory than those of others, when there is none left. */
  #evict(): void {
    const failure = new ProxyFailure('request_header_too_large', {
      detail: 'no memory left for a header of that size',
    });
    if (!this.failOngoing(failure) && this.mayAnswer()) this.refuse(failure);
  }

  #nextRequest(): void {
    this.#release();
    this.state = { name: 'reading' };
    this.#served += 1;
    // While bytes are being parsed, the loop continues with them.
    if (this.#input === undefined) this.consumeHeld();
  }

  /** Closes the connection after the last response. */
  #close(): void {
    if (this.#reader.inBody || this.isStopped()) {
      this.linger();
      return;
    }
    this.#release();
    this.state = { name: 'closing', bytesRead: this.socket.bytesRead };
    if (this.socket.writableLength === 0) closeWritten(this.socket);
    else this.socket.destroySoon();
  }

  protected override closed(): void {
    this.#release();
    for (const connection of this.ownOrigins?.values() ?? []) connection.close();
    this.ownOrigins = undefined;
    try {
      this.#exchange?.abort();
    } finally {
      super.closed();
    }
  }
}

/** Returns the failure of a request whose body is malformed: it had a target. */
function asBodyFailure({ facts }: ProxyFailure): ProxyFailure {
  return new ProxyFailure('request_body_malformed', facts);
}
