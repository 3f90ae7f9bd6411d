import type { ProxyStats } from '../stats/proxy-stats.js';
import { contain, startTimer } from '#socks5-protocol';
import type { HttpUpstreamConfig, TicketRequest, Timeouts } from '../config/proxy-client-config.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority, type Target } from '../http/authority.js';
import { FormatError } from '../http/field-lines.js';
import { type ResponseHead, ResponseReader } from '../http/response-reader.js';
import { SectionAccount } from '../http/section-memory.js';
import { MORE } from '../http/section.js';
import type { ByteSource, SocketReader } from '../relay/byte-source.js';
import type { Tickets } from '../kerberos/tickets.js';
import type { ConnectionSocket } from '../relay/connection-socket.js';
import type { RouteClient } from '../routing/rules/rule.js';
import {
  CheckError,
  type CheckOptions,
  type CheckStepName,
  TARGET_TIMEOUT_MS,
  SERVER_TIMEOUT_MS,
} from './health-checks.js';
import { basicField, failureOfAnswer, LOGIN } from './proxy-answers.js';
import { carrierKey, isTlsError, type LinkedServer, meterUpstream, type PathError, ServerPath } from './server-path.js';
import type { Attempt, ConnectOutcome, ConnectQuery, Forwarding, Upstream } from './upstream.js';
import type { UpstreamHealth } from './upstream-health.js';

/** The limit of the head of an answer to CONNECT. */
const HEADER_BYTES = 65_536;
const NOTHING = Buffer.alloc(0);

type HttpServer = LinkedServer & { readonly config: HttpUpstreamConfig; readonly tickets: Tickets };

export interface HttpUpstreamOptions extends HttpServer {
  readonly health: UpstreamHealth;
  readonly stats: ProxyStats;
}

let instances = 0;

/**
 * An HTTP proxy. Tunnels are requested by CONNECT (RFC 9110, section 9.3.6). Plain http requests are forwarded in
 * absolute-form on connections that all origins share, unless `plain: connect` is configured.
 */
export class HttpUpstream implements Upstream {
  readonly name: string;
  readonly health: UpstreamHealth;
  readonly forwarding: Forwarding | undefined;
  readonly #options: HttpUpstreamOptions;
  /** The server's part of the pool key: another instance has other settings. */
  readonly #key: string;
  /** The tokens of connections whose first request was not sent yet. */
  readonly #unused = new WeakMap<ConnectionSocket, string>();
  /** Whether it has opened a tunnel: if it then closes a connection without an answer, the target is the cause. */
  #hasSucceeded = false;

  constructor(options: HttpUpstreamOptions) {
    const { config, health } = options;
    this.name = health.name;
    this.health = health;
    this.forwarding =
      config.plain === 'forward'
        ? {
            fieldsFor: (connection) => this.#fieldsFor(connection),
            isPerConnection: config.negotiate !== undefined,
            refusalOf: this.#refusalOf.bind(this),
          }
        : undefined;
    this.#options = options;
    instances += 1;
    this.#key = `http ${instances}`;
  }

  /** The previous hop. */
  get carrier(): Upstream | undefined {
    return this.#options.carrier;
  }

  get isDown(): boolean {
    return this.health.state === 'down' || this.#options.carrier?.isDown === true;
  }

  keyFor(query: ConnectQuery, origin: string): string {
    const key = `${this.#key}${carrierKey(this.#options, query.client)}`;
    return this.#forwards(query) ? key : `${key} ${origin}`;
  }

  begin(query: ConnectQuery, outcome: ConnectOutcome): Attempt {
    const { health, stats, carrier } = this.#options;
    const { target, client, isHop } = query;
    const connected = (source: ByteSource): void => {
      if (isHop !== true) meterUpstream(stats, source);
      health.count(true);
      outcome.connected(source, this);
    };
    const failed = (failure: ProxyFailure, _step: CheckStepName, upstream?: Upstream): void => {
      health.count(false);
      if (upstream !== undefined) {
        outcome.failed(failure, upstream);
        return;
      }
      health.requestFailed(failure, formatAuthority(target));
      outcome.failed(carrier !== undefined || isHop === true ? failure.atHop(this.name) : failure, this);
    };
    return new HttpLink(this.#options, {
      client,
      target: this.#forwards(query) ? undefined : target,
      hasSucceeded: this.#hasSucceeded,
      opened: () => outcome.authenticated?.(),
      connected: (source, fields) => {
        const { reader } = source;
        if (this.#options.config.negotiate !== undefined) this.#unused.set(source.socket, fields);
        this.#succeeded();
        connected(source);
        return source.reader !== reader;
      },
      failed,
    });
  }

  /**
   * Checks the server on a separate connection, which is not counted: whether it can be reached and, with a target, whether it
   * accepts the credentials and connects there. The result is recorded in the server's health.
   *
   * @returns the milliseconds until the server was reached
   * @throws {@link CheckError}
   */
  async check({ target, reached, connected, timeouts, signal }: CheckOptions): Promise<number> {
    const { health } = this.#options;
    const startedAt = performance.now();
    let milliseconds = 0;
    const { promise, resolve, reject } = Promise.withResolvers<ByteSource>();
    const link = new HttpLink(this.#options, {
      client: {},
      target,
      hasSucceeded: this.#hasSucceeded,
      timeouts: timeouts ?? { connect: SERVER_TIMEOUT_MS, handshake: TARGET_TIMEOUT_MS },
      reached: () => reached?.(),
      opened: () => {
        milliseconds = performance.now() - startedAt;
        connected?.();
      },
      connected: (source) => {
        resolve(source);
        return false;
      },
      failed: (failure, step, upstream) => {
        if (upstream === undefined) health.checkFailed(failure.category);
        reject(new CheckError(failure, step, upstream ?? this));
      },
    });
    const abort = (): void => {
      link.abort();
      reject(new CheckError(undefined, 'connect', this));
    };
    signal?.addEventListener('abort', abort);
    try {
      const source = await promise;
      source.socket.destroy();
      if (target !== undefined) this.#succeeded();
      health.checkPassed(milliseconds);
      return milliseconds;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Its connections are in the pool of origins, or belong to requests. */
  close(): void {
    // Nothing is open.
  }

  #forwards({ mayForward }: ConnectQuery): boolean {
    return mayForward === true && this.forwarding !== undefined;
  }

  /** A token is for the first request of a connection, which it authenticates. */
  #fieldsFor(connection: ConnectionSocket): string {
    const { config } = this.#options;
    if (config.negotiate === undefined) return basicField(config);
    const fields = this.#unused.get(connection) ?? '';
    this.#unused.delete(connection);
    return fields;
  }

  /** Does not change the state of the server: the origin may have sent this answer, and the server only forwarded it. */
  #refusalOf(head: ResponseHead): ProxyFailure | undefined {
    if (head.status !== LOGIN) return undefined;
    return failureOfAnswer(head, this.#options.config).atHop(this.name);
  }

  #succeeded(): void {
    this.#hasSucceeded = true;
    this.health.markUp();
    this.health.replied();
  }
}

interface LinkOptions {
  readonly client: RouteClient;
  /** Absent: the connection leads to the proxy itself. */
  readonly target: Target | undefined;
  readonly hasSucceeded: boolean;
  /** Override the configured timeouts, in milliseconds. */
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** The connection to the server's port is open. */
  reached?(): void;
  /** The proxy was reached, on TLS if it is configured; from now on the time is the target's. */
  opened(): void;
  /**
   * @param fields - the credentials, if the connection leads to the proxy itself
   * @returns whether another reader has already taken over the source; otherwise reading stops
   */
  connected(source: ByteSource, fields: string): boolean;
  /** @param upstream - the previous hop, if that failed */
  failed(failure: ProxyFailure, step: CheckStepName, upstream?: Upstream): void;
}

/** One connection to an HTTP proxy: first the way to it, then CONNECT. */
class HttpLink extends ServerPath implements SocketReader {
  readonly #config: HttpUpstreamConfig;
  readonly #tickets: Tickets;
  readonly #options: LinkOptions;
  readonly #timeout: number;
  readonly #reader = new ResponseReader(HEADER_BYTES);
  readonly #sections: SectionAccount;
  #source: ByteSource | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFinished = false;

  /** Starts to connect. */
  constructor(server: HttpServer, options: LinkOptions) {
    const { connect = server.timeouts.connect, handshake = server.timeouts.handshake } = options.timeouts ?? {};
    super(server, options.client, connect);
    this.#config = server.config;
    this.#tickets = server.tickets;
    this.#options = options;
    this.#timeout = handshake;
    this.#sections = new SectionAccount(server.sections, () => {
      const detail = 'no memory left for a header of that size';
      this.#fail(new ProxyFailure('protocol_error', { fault: 'server', detail }));
    });
  }

  override abort(): void {
    if (this.#isFinished) return;
    this.#finish();
    super.abort();
    this.#source?.socket.destroy();
  }

  override expire(): void {
    if (this.#source === undefined) super.expire();
    else this.#fail(new ProxyFailure('timeout'));
  }

  read(chunk: Buffer): boolean {
    if (this.#isFinished) return false;
    try {
      const stop = this.#reader.push(chunk, 0, chunk.length);
      const head = this.#reader.heads.find(({ status }) => status >= 200);
      return head === undefined || this.#answered(head, stop === MORE ? NOTHING : chunk.subarray(stop));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#fail(new ProxyFailure('protocol_error', { fault: 'server', detail: error.message }, error));
      return false;
    }
  }

  onEnd(): void {
    this.#closed(undefined);
  }

  onClose(): void {
    this.#closed(this.#source?.socket.errored ?? undefined);
  }

  override onDefect(error: unknown): void {
    if (this.#source === undefined && !this.#isFinished) {
      super.onDefect(error);
      return;
    }
    this.#finish();
    this.#source?.socket.destroy();
    this.#options.failed(new ProxyFailure('internal', {}, error), 'connect');
  }

  protected override reached(): void {
    this.#options.reached?.();
  }

  protected override notReached(error: PathError): void {
    this.#finish();
    contain(this, () => {
      this.#options.failed(error.toFailure(), error.step, error.carried?.upstream);
    });
  }

  protected override opened(source: ByteSource): void {
    this.#source = source;
    this.#options.opened();
    if (this.#config.negotiate === undefined) this.#send(source, basicField(this.#config));
    else this.#obtainToken(source, this.#config.negotiate);
  }

  /** Each connection needs a token of its own: proxies refuse one that they have seen. */
  #obtainToken(source: ByteSource, request: TicketRequest): void {
    this.#timer = startTimer(this, this.#timeout, this.expire.bind(this));
    this.#tickets.token(request).then(
      (token) => {
        contain(this, () => {
          clearTimeout(this.#timer);
          if (!this.#isFinished) this.#send(source, `Proxy-Authorization: Negotiate ${token}\r\n`);
        });
      },
      (error: unknown) => {
        if (error instanceof ProxyFailure) this.#fail(error);
        else this.onDefect(error);
      },
    );
  }

  #send(source: ByteSource, credentials: string): void {
    const { target } = this.#options;
    if (target === undefined) {
      this.#finish();
      this.#options.connected(source, credentials);
      return;
    }
    this.#timer = startTimer(this, this.#timeout, this.expire.bind(this));
    const authority = formatAuthority(target);
    source.socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`, 'latin1');
    this.#reader.begin({ method: 'CONNECT' }, this.#sections);
    source.start(this);
  }

  #answered(head: ResponseHead, rest: Buffer): boolean {
    const source = this.#source;
    if (source === undefined) return false;
    if (head.status >= 300) {
      this.#fail(failureOfAnswer(head, this.#config));
      return false;
    }
    this.#finish();
    if (rest.length > 0) source.putBack(rest);
    return this.#options.connected(source, '');
  }

  #closed(cause: NodeJS.ErrnoException | undefined): void {
    // With TLS 1.3 a server refuses a client's certificate after the handshake.
    if (isTlsError(cause?.code)) this.#fail(new ProxyFailure('upstream_tls_failed', { fault: 'server' }, { cause }));
    else if (this.#options.hasSucceeded) this.#fail(new ProxyFailure('closed_at_request', { fault: 'target' }, cause));
    else this.#fail(new ProxyFailure('upstream_closed', {}, cause));
  }

  #fail(failure: ProxyFailure): void {
    if (this.#isFinished) return;
    this.#finish();
    this.#source?.socket.destroy();
    this.#options.failed(failure, stepOf(failure));
  }

  #finish(): void {
    this.#isFinished = true;
    this.#reader.release();
    this.#sections.releaseRetained();
    clearTimeout(this.#timer);
  }
}

/**
 * Returns the step of a check that has failed. One request does all of them: without an answer about the target, the server
 * has refused the credentials or does not speak HTTP as a proxy. When it does not answer in time, it may wait for the target.
 */
function stepOf({ category, facts }: ProxyFailure): CheckStepName {
  if (category === 'upstream_ticket' && facts.detail?.startsWith('ticket:') === true) return 'ticket';
  return facts.fault === 'target' || category === 'timeout' ? 'connect' : 'authentication';
}
