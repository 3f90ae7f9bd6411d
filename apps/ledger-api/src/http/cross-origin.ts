import type { FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, HEAD, POST, PUT';
const REQUEST_FIELDS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-API-Key, X-Request-Id';
/** Response headers that a page may read. `X-*` has to be listed by name. */
const ANSWER_FIELDS =
  'ETag, Link, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, WWW-Authenticate, ' +
  'X-Error-Code, X-Request-Id, X-Transaction-Id';
/** Seconds for which a browser may cache a preflight response. */
const MAX_AGE = '600';

/**
 * Cross-origin resource sharing (https://fetch.spec.whatwg.org/#http-cors-protocol) for the configured origins. Never with
 * credentials: there are no cookies, and a page sends its key itself.
 *
 * Fastify's plugin does not fit: it answers OPTIONS of every path and origin, in part with another error shape.
 */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** Checks whether the page that sent a request may call the API. */
  allows({ raw: { headers } }: FastifyRequest): boolean {
    return headers.origin !== undefined && this.#origins.has(headers.origin);
  }

  /**
   * Sets the CORS headers of an answer to a page of an allowed origin.
   * @returns true for a preflight request, whose answer is complete
   */
  setHeaders(request: FastifyRequest, reply: FastifyReply): boolean {
    if (this.#origins.size === 0) return false;
    // For caches, also in answers to requests without an origin.
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

/** Adds a request field to the Vary header of a response (RFC 9110, section 12.5.5). */
export function varyBy(reply: FastifyReply, field: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? field : `${String(others)}, ${field}`);
}
