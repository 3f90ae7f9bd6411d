import type { ProxyStats } from '#metrics';
import { askedBy } from '../activity/request-line.js';
import type { RequestLog } from '../activity/request-log.js';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { FailureReporter, ProxyLog } from '../failure/failure-reporter.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { RequestHead } from '../http/request-head.js';
import type { ResponseHead } from '../http/response-head.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { Relays } from '../relay/relay.js';
import type { Route, Router } from '../routing/router.js';
import type { CancelToken, Upstream } from '../upstream/upstream.js';
import type { ForwardClient } from './client.js';
import { type DialOutcome, Exchange, type ExchangeHost } from './exchange.js';
import { OriginConnection } from './origin-connection.js';
import { OriginPool } from './origin-pool.js';
import { Origins, type Origin, type OriginRoute } from './origins.js';
import { prepareRequest, type PreparedRequest } from './prepared-request.js';

export interface ForwarderOptions {
  readonly config: Pick<ProxyClientConfig, 'limits' | 'pool' | 'via'>;
  readonly router: Router;
  readonly relays: Relays;
  readonly reporter: FailureReporter;
  readonly requestLog: RequestLog;
  readonly stats: ProxyStats;
  /** Logs a line per request; undefined unless the level is debug. */
  readonly debug?: ProxyLog['debug'] | undefined;
}

/** The status of requests that this proxy handles itself, and of a change of protocols. */
const OK = 200;
const SWITCHED = 101;
/** The methods of this proxy, for OPTIONS. */
const METHODS = 'GET, HEAD, POST, PUT, DELETE, PATCH, CONNECT, OPTIONS, TRACE';
/** Fields that TRACE omits because they may contain secrets (RFC 9110, section 9.3.8). */
const SECRET = /^cookie|authorization|token|api-?key/i;

/**
 * Forwards plain HTTP requests: each is validated, rewritten and sent through the upstream; each response is relayed as it
 * arrives.
 *
 *     client ── GET http://… ──▶ validation ──▶ router ──▶ pool or upstream (SOCKS5) ──▶ origin
 *     client ◀── response, or the failure ── response reader ◀── origin
 */
export class Forwarder implements ExchangeHost {
  readonly #options: ForwarderOptions;
  readonly #pool: OriginPool;
  #origins: Origins;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#pool = new OriginPool(options.config.pool);
    this.#origins = new Origins(options.config.via);
  }

  /**
   * Accepts a request.
   *
   * @param malformed - the error in its body, if one is known already: then nothing of the request is sent
   * @returns the exchange, which the caller begins; undefined if a response was sent
   */
  open(head: RequestHead, client: ForwardClient, malformed?: ProxyFailure): Exchange | undefined {
    try {
      const request = prepareRequest(head, this.#origins);
      const route = request && this.#options.router.route({ target: request.target, client });
      if (malformed !== undefined) throw malformed;
      if (request !== undefined && route !== undefined) return this.#exchange(request, client, route);
      respondToLastHop(head, client);
      this.#options.requestLog.ended({ client, method: head.method, asked: askedBy(head) }, { status: OK });
    } catch (error) {
      this.#refuse(head, client, ProxyFailure.from(error));
    }
    return undefined;
  }

  /** Called periodically with the time in milliseconds: closes idle connections. */
  sweep(now: number): void {
    this.#pool.sweep(now);
  }

  /** Clears what is known of origins, after `via` has changed. */
  forgetOrigins(): void {
    this.#origins = new Origins(this.#options.config.via);
  }

  /** Closes the idle connections, when all requests have ended. */
  close(): void {
    this.#pool.close();
  }

  /** @internal */
  takeIdle({ request, route: { key }, client }: Exchange): OriginConnection | undefined {
    const own = client.ownOrigins?.get(key);
    if (own !== undefined) {
      client.ownOrigins?.delete(key);
      if (own.isUsable) return own;
    }
    const isRepeatable = request.isIdempotent && request.framing === 'none';
    return this.#pool.take(key, isRepeatable);
  }

  /** @internal */
  dial({ request, route, client }: Exchange, outcome: DialOutcome, cancel: CancelToken): void {
    const { headerBytes } = this.#options.config.limits;
    const query = { target: request.target, client };
    const connected = (link: ByteSource, through: Upstream): void => {
      // A group may have used another member than the one that was expected.
      const upstreamKey = through.keyFor(query);
      const key = upstreamKey === route.upstreamKey ? route.key : poolKey(upstreamKey, request.origin);
      const connection = new OriginConnection(link, key, headerBytes, this.#closed);
      connection.through = through.name;
      outcome.connected(connection);
    };
    route.upstream.begin(query, { connected, failed: outcome.failed.bind(outcome) }, cancel);
  }

  /** @internal */
  reuse(exchange: Exchange, connection: OriginConnection, head: ResponseHead): void {
    connection.isPinned ||= exchange.pins;
    if (!connection.isPinned) {
      this.#pool.put(connection, head.keepAlive);
      return;
    }
    // NTLM and Negotiate authenticate a connection (RFC 4559, section 6): only this client may use it.
    const { client } = exchange;
    if (client.socket.destroyed) {
      connection.destroy();
      return;
    }
    client.ownOrigins ??= new Map();
    client.ownOrigins.get(connection.key)?.destroy();
    client.ownOrigins.set(connection.key, connection);
  }

  /** @internal */
  succeeded(exchange: Exchange): void {
    const { stats, requestLog, debug } = this.#options;
    const { request, status = 0, client } = exchange;
    // After a change of protocols the line is logged when the relay ends.
    if (status !== SWITCHED) requestLog.ended(exchange, { status });
    stats.requestSucceeded(client.user);
    debug?.({ method: request.method, target: request.origin.place, status }, 'request relayed');
  }

  /** @internal */
  failed(exchange: Exchange, failure: ProxyFailure): void {
    const { request, client } = exchange;
    this.#options.requestLog.ended(exchange, { failure });
    this.#options.reporter.report(failure, {
      method: request.method,
      target: request.origin.place,
      client: client.remoteAddress,
      user: client.user,
    });
  }

  /** @internal */
  aborted(exchange: Exchange): void {
    this.#options.requestLog.ended(exchange, 'left');
  }

  /** @internal */
  join(exchange: Exchange, connection: OriginConnection, toClient: Buffer): void {
    const { client } = exchange;
    const { relays, requestLog } = this.#options;
    client.socket.write(toClient);
    relays.join(client.handOver(exchange), connection.release(), (relay) => {
      requestLog.ended(exchange, { status: SWITCHED, relay });
    });
  }

  #exchange(request: PreparedRequest, client: ForwardClient, route: Route): Exchange {
    client.countProxied();
    return new Exchange(this, request, client, originRoute(request, client, route));
  }

  #refuse(head: RequestHead, client: ForwardClient, failure: ProxyFailure): void {
    if (failure.row.counted || failure.row.isRefusal === true) client.countProxied();
    const { remoteAddress, user } = client;
    this.#options.reporter.report(failure, { method: head.method, client: remoteAddress, user });
    this.#options.requestLog.ended({ client, method: head.method, asked: askedBy(head) }, { failure });
    client.fail(failure);
  }

  readonly #closed = (connection: OriginConnection): void => {
    this.#pool.remove(connection);
  };
}

/** Returns the route to an origin, with the same key object each time: a Map caches the hash of its characters. */
function originRoute(
  { origin, target }: PreparedRequest,
  client: ForwardClient,
  { upstream, rule }: Route,
): OriginRoute {
  const latest = origin.route;
  const upstreamKey = upstream.keyFor({ target, client });
  const isSameKey = latest?.upstreamKey === upstreamKey;
  if (isSameKey && latest.upstream === upstream && latest.rule === rule) return latest;
  const key = isSameKey ? latest.key : poolKey(upstreamKey, origin);
  origin.route = { upstream, upstreamKey, rule, key };
  return origin.route;
}

function poolKey(upstreamKey: string, { place }: Origin): string {
  return `${upstreamKey} ${place}`;
}

/** Responds to OPTIONS and TRACE whose Max-Forwards is 0 (RFC 9110, section 7.6.2). */
function respondToLastHop(head: RequestHead, client: ForwardClient): void {
  if (head.method === 'TRACE') {
    const body = receivedMessage(head);
    client.respond(OK, `Content-Type: message/http\r\nContent-Length: ${body.length}\r\n`, body);
  } else client.respond(OK, `Allow: ${METHODS}\r\nContent-Length: 0\r\n`, '');
}

function receivedMessage({ method, target, minor, lines }: RequestHead): string {
  let text = `${method} ${target} HTTP/1.${minor}\r\n`;
  for (let line = 0; line < lines.length; line += 1) {
    const name = lines.name(line);
    if (!SECRET.test(name)) text += `${name}: ${lines.value(line)}\r\n`;
  }
  return `${text}\r\n`;
}
