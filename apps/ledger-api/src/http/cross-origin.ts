import type { FastifyReply, FastifyRequest } from 'fastify';
import { varyBy } from '#page-files';

const METHODS = 'GET, HEAD, POST, PUT';
const REQUEST_FIELDS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-API-Key, X-Request-Id';
/** Those that a page may not read unless it is told so; `X-*` cannot be said. */
const ANSWER_FIELDS =
  'ETag, Link, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, WWW-Authenticate, ' +
  'X-Error-Code, X-Request-Id, X-Transaction-Id';
/** Seconds for which a browser may keep the answer to its question. */
const MAX_AGE = '600';

/**
 * Which pages of other origins may call the API (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol): those of the
 * configured origins. Never with credentials: there are no cookies, and keys are the page's to send.
 *
 * Not by Fastify's plugin, which answers OPTIONS of every path and origin, in part with another error shape.
 */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** Whether the page of a request may call the API. */
  allows({ raw: { headers } }: FastifyRequest): boolean {
    return headers.origin !== undefined && this.#origins.has(headers.origin);
  }

  /**
   * Sets what a browser asks for on an answer to a page of an allowed origin, whatever the answer is.
   * @returns true for a question before a request (preflight), whose answer is complete
   */
  setHeaders(request: FastifyRequest, reply: FastifyReply): boolean {
    if (this.#origins.size === 0) return false;
    // Caches keep answers apart by it, also those to no page at all.
    varyBy(reply, 'Origin');
    if (!this.allows(request)) return false;
    const { method, headers } = request.raw;
    reply.header('access-control-allow-origin', headers.origin);
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', ANSWER_FIELDS);
      return false;
    }
    reply.header('access-control-allow-methods', METHODS);
    reply.header('access-control-allow-headers', REQUEST_FIELDS);
    reply.header('access-control-max-age', MAX_AGE);
    return true;
  }
}
