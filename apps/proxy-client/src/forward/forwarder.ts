import { recordFailure, type ProxyServices } from '../activity/proxy-services.js';
import { requestedTargetOf } from '../activity/request-line.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { RequestHead } from '../http/request-head.js';
import type { Upstream } from '../upstream/upstream.js';
import { Exchange } from './exchange.js';
import type { ForwardClient } from './forward-client.js';
import { OriginPool } from './origin-pool.js';
import { Origins, prepareRequest } from './prepared-request.js';

const OK = 200;
const METHOD_NOT_ALLOWED = 405;
/** The methods of this proxy, for OPTIONS. */
const METHODS = 'GET, HEAD, POST, PUT, DELETE, PATCH, CONNECT, OPTIONS';

/**
 * Forwards plain HTTP requests: each is validated, rewritten and sent through the upstream; each response is relayed as it
 * arrives.
 *
 *     client ── GET http://… ──▶ validation ──▶ router ──▶ pool or upstream (SOCKS5) ──▶ origin
 *     client ◀── response, or the failure ── response reader ◀── origin
 */
export class Forwarder {
  readonly #services: ProxyServices;
  readonly #pool: OriginPool;
  readonly #origins = new Origins();

  /** @param isUsed - whether the current configuration uses an upstream */
  constructor(services: ProxyServices, isUsed: (upstream: Upstream) => boolean) {
    this.#services = services;
    this.#pool = new OriginPool(services.config.pool, isUsed);
  }

  /**
   * Accepts a request.
   *
   * @param malformed - the error in its body, if one is known already: then nothing of the request is sent
   * @returns the exchange, which the caller begins; undefined if a response was sent
   */
  open(head: RequestHead, client: ForwardClient, malformed?: ProxyFailure): Exchange | undefined {
    const { router, requestLog, config } = this.#services;
    let authority: string | undefined;
    try {
      const request = prepareRequest(head, this.#origins, config.via);
      authority = request?.origin.authority;
      const route = request && router.route({ target: request.origin.target, client });
      if (malformed !== undefined) throw malformed;
      if (request !== undefined && route !== undefined) {
        client.countProxied();
        return new Exchange(this.#services, this.#pool, client, request, route);
      }
      // Max-Forwards has ended the request here. Like most servers, this proxy does not reflect requests.
      const status = head.method === 'TRACE' ? METHOD_NOT_ALLOWED : OK;
      client.respond(status, { Allow: METHODS }, '');
      requestLog.ended({ client, method: head.method, requestedTarget: requestedTargetOf(head) }, { status });
    } catch (error) {
      const failure = ProxyFailure.from(error);
      if (failure.row.counted || failure.row.isRefusal === true) client.countProxied();
      recordFailure(
        this.#services,
        { client, method: head.method, requestedTarget: requestedTargetOf(head) },
        failure,
        authority,
      );
      client.fail(failure);
    }
    return undefined;
  }

  /** Called periodically with the time in milliseconds: closes idle connections. */
  sweep(now: number): void {
    this.#pool.sweep(now);
  }

  /** Closes the idle connections whose upstream is no longer in use. */
  closeUnused(): void {
    this.#pool.closeUnused();
  }

  /** Closes the idle connections, when all requests have ended. */
  close(): void {
    this.#pool.close();
  }
}
