import { recordFailure, type ProxyServices } from '../activity/proxy-services.js';
import { askedBy } from '../activity/request-line.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { RequestHead } from '../http/request-head.js';
import { Exchange, type ForwardClient } from './exchange.js';
import { OriginPool } from './origin-pool.js';
import { Origins, prepareRequest } from './prepared-request.js';

/** The status of requests that this proxy handles itself. */
const OK = 200;
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
export class Forwarder {
  readonly #services: ProxyServices;
  readonly #pool: OriginPool;
  readonly #origins = new Origins();

  constructor(services: ProxyServices) {
    this.#services = services;
    this.#pool = new OriginPool(services.config.pool);
  }

  /**
   * Accepts a request.
   *
   * @param malformed - the error in its body, if one is known already: then nothing of the request is sent
   * @returns the exchange, which the caller begins; undefined if a response was sent
   */
  open(head: RequestHead, client: ForwardClient, malformed?: ProxyFailure): Exchange | undefined {
    const { router, requestLog, config } = this.#services;
    let place: string | undefined;
    try {
      const request = prepareRequest(head, this.#origins, config.via);
      place = request?.origin.place;
      const route = request && router.route({ target: request.origin.target, client });
      if (malformed !== undefined) throw malformed;
      if (request !== undefined && route !== undefined) {
        client.countProxied();
        return new Exchange(this.#services, this.#pool, client, request, route);
      }
      respondToLastHop(head, client);
      requestLog.ended({ client, method: head.method, asked: askedBy(head) }, { status: OK });
    } catch (error) {
      const failure = ProxyFailure.from(error);
      if (failure.row.counted || failure.row.isRefusal === true) client.countProxied();
      recordFailure(this.#services, { client, method: head.method, asked: askedBy(head) }, failure, place);
      client.fail(failure);
    }
    return undefined;
  }

  /** Called periodically with the time in milliseconds: closes idle connections. */
  sweep(now: number): void {
    this.#pool.sweep(now);
  }

  /** Closes the idle connections, when all requests have ended. */
  close(): void {
    this.#pool.close();
  }
}

/** Responds to OPTIONS and TRACE whose Max-Forwards is 0 (RFC 9110, section 7.6.2). */
function respondToLastHop(head: RequestHead, client: ForwardClient): void {
  if (head.method === 'TRACE') {
    client.respond(OK, { 'Content-Type': 'message/http' }, receivedMessage(head));
  } else client.respond(OK, { Allow: METHODS }, '');
}

function receivedMessage({ method, target, minor, lines }: RequestHead): string {
  let text = `${method} ${target} HTTP/1.${minor}\r\n`;
  for (const { name, value } of lines) if (!SECRET.test(name)) text += `${name}: ${value}\r\n`;
  return `${text}\r\n`;
}
