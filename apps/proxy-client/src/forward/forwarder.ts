import type { ProxyStats } from '#metrics';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import { askedBy } from '../activity/request-line.js';
import type { RequestLog } from '../activity/request-log.js';
import type { FailureReporter, ProxyLog } from '../failure/failure-reporter.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { RequestHead } from '../http/request-head.js';
import type { ResponseHead } from '../http/response-head.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { Relays } from '../relay/relays.js';
import type { Route, Router } from '../routing/router.js';
import type { CancelToken, Upstream } from '../upstream/upstream.js';
import { answerHere } from './answer-here.js';
import type { ForwardClient } from './client.js';
import { type DialOutcome, Exchange, type ExchangeHost } from './exchange.js';
import { OriginConnection } from './origin-connection.js';
import { OriginPool } from './origin-pool.js';
import { prepareRequest, type PreparedRequest } from './prepared-request.js';
import { Origins, type Origin, type Passage } from './origins.js';

export interface ForwarderOptions {
  readonly config: Pick<ProxyClientConfig, 'limits' | 'pool' | 'via'>;
  readonly router: Router;
  readonly relays: Relays;
  readonly reporter: FailureReporter;
  readonly requestLog: RequestLog;
  readonly stats: ProxyStats;
  /** For a line on each request; absent when the level is above debug. */
  readonly debug?: ProxyLog['debug'] | undefined;
}

/**
 * Plain HTTP: each request is checked, rewritten and sent on through the upstream, each answer relayed as it comes.
 *
 *     client ── GET http://… ──▶ checks ──▶ router ──▶ pool or upstream (SOCKS5) ──▶ origin
 *     client ◀── answer; or the failure ── response reader ◀── origin
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
   * Takes a request.
   *
   * @param malformed - what is known to be wrong with its body already: then nothing of it goes anywhere
   * @returns the exchange that begins with it, not begun; undefined if it has been answered here
   */
  open(head: RequestHead, client: ForwardClient, malformed?: ProxyFailure): Exchange | undefined {
    try {
      const request = prepareRequest(head, this.#origins);
      const route = request && this.#options.router.route({ target: request.target, client });
      if (malformed !== undefined) throw malformed;
      if (request !== undefined && route !== undefined) return this.#exchange(request, client, route);
      answerHere(head, client);
      this.#options.requestLog.ended({ client, method: head.method, asked: askedBy(head) }, { status: ANSWERED_HERE });
    } catch (error) {
      this.#refuse(head, client, ProxyFailure.from(error));
    }
    return undefined;
  }

  /** To be called now and then, with the time in milliseconds: ends what was idle for too long. */
  sweep(now: number): void {
    this.#pool.sweep(now);
  }

  /** Whether Via is written has changed: what is known of origins is learned anew. */
  forgetOrigins(): void {
    this.#origins = new Origins(this.#options.config.via);
  }

  /** Ends the idle connections; requests have ended. */
  close(): void {
    this.#pool.close();
  }

  /** @internal */
  take({ request, passage: { key }, client }: Exchange): OriginConnection | undefined {
    const own = client.ownOrigins?.get(key);
    if (own !== undefined) {
      client.ownOrigins?.delete(key);
      if (own.usable) return own;
    }
    const repeatable = request.idempotent && request.framing === 'none';
    return this.#pool.take(key, repeatable);
  }

  /** @internal */
  dial({ request, passage, client }: Exchange, outcome: DialOutcome, cancel: CancelToken): void {
    const { headerBytes } = this.#options.config.limits;
    const query = { target: request.target, client };
    const connected = (link: ByteSource, through: Upstream): void => {
      // A group may have used another member than the one that the request was meant for.
      const upstreamKey = through.keyFor(query);
      const key = upstreamKey === passage.upstreamKey ? passage.key : poolKey(upstreamKey, request.origin);
      const connection = new OriginConnection(link, key, headerBytes, this.#closed);
      connection.through = through.name;
      outcome.connected(connection);
    };
    passage.upstream.begin(query, { connected, failed: outcome.failed.bind(outcome) }, cancel);
  }

  /** @internal */
  put(exchange: Exchange, connection: OriginConnection, head: ResponseHead): void {
    connection.pinned ||= exchange.pins;
    if (!connection.pinned) {
      this.#pool.put(connection, head.keepAlive);
      return;
    }
    // NTLM and Negotiate authenticate a connection (RFC 4559, section 6): it serves this client only.
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
    // What was switched to ends later.
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
  left(exchange: Exchange): void {
    this.#options.requestLog.ended(exchange, 'left');
  }

  /** @internal */
  join(exchange: Exchange, connection: OriginConnection, toClient: Buffer): void {
    const { client } = exchange;
    const { relays, requestLog } = this.#options;
    client.socket.write(toClient);
    relays.join(client.leave(exchange), connection.release(), (relay) => {
      requestLog.ended(exchange, { status: SWITCHED, relay });
    });
  }

  #exchange(request: PreparedRequest, client: ForwardClient, route: Route): Exchange {
    client.proxied();
    return new Exchange(this, request, client, passageTo(request, client, route));
  }

  #refuse(head: RequestHead, client: ForwardClient, failure: ProxyFailure): void {
    if (failure.row.counted || failure.row.isRefusal === true) client.proxied();
    const { remoteAddress, user } = client;
    this.#options.reporter.report(failure, { method: head.method, client: remoteAddress, user });
    this.#options.requestLog.ended({ client, method: head.method, asked: askedBy(head) }, { failure });
    client.fail(failure);
  }

  readonly #closed = (connection: OriginConnection): void => {
    this.#pool.remove(connection);
  };
}

/** The answers to what ends at this proxy, and to a change of protocols. */
const ANSWERED_HERE = 200;
const SWITCHED = 101;

/** The same key each time, so that looking it up costs no hash of its characters. */
function passageTo({ origin, target }: PreparedRequest, client: ForwardClient, { upstream, rule }: Route): Passage {
  const known = origin.passage;
  const upstreamKey = upstream.keyFor({ target, client });
  const isSameKey = known?.upstreamKey === upstreamKey;
  if (isSameKey && known.upstream === upstream && known.rule === rule) return known;
  const key = isSameKey ? known.key : poolKey(upstreamKey, origin);
  origin.passage = { upstream, upstreamKey, rule, key };
  return origin.passage;
}

function poolKey(upstreamKey: string, { place }: Origin): string {
  return `${upstreamKey} ${place}`;
}
