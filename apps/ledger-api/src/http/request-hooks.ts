import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { BlockedOrigins } from './blocked-origins.js';
import { clientAddress } from './client-address.js';
import { ApiError, invalidRequest, MALFORMED_URL } from './errors.js';
import type { HostRules } from './host-rules.js';
import { methodNotAllowed } from './other-methods.js';
import { hasSecret, loggedUrl } from './secrets.js';
import { traceFields } from './trace-context.js';

/** Rules for every request, whatever its route. */
export interface RequestRules {
  readonly hosts: HostRules;
  /** Whether there are keys and tokens, which must not appear in a URL. */
  readonly hasKeys: boolean;
}

/** Adds the hooks of every request: its id, the validation of its head, and an access log line at debug. */
export function useRequestHooks(instance: FastifyInstance, { hosts, hasKeys }: RequestRules, logger: Logger): void {
  const blocked = new BlockedOrigins(logger);
  instance.addHook('onRequest', (request, reply, done) => {
    const origin = hosts.blockedOrigin(request);
    if (origin !== undefined) blocked.report(origin);
    clientAddress(request);
    setHeaders(request, reply);
    const isPreflight = hosts.setCorsHeaders(request, reply);
    const error = headError(request) ?? hosts.errorOf(request) ?? (hasKeys ? secretError(request) : undefined);
    // Nothing after such a head can be trusted to be the next request.
    if (error !== undefined) reply.header('connection', 'close');
    if (error === undefined && isPreflight) void reply.code(204).send();
    else done(error ?? targetError(request));
  });
  instance.addHook('onSend', (request, reply, _payload, done) => {
    // The answer to an upload is sent while its lines arrive.
    if (request.routeOptions.config.readsLines === true && reply.statusCode < 400) done();
    else closeUnlessRead(request, reply, done);
  });
  if (!logger.isLevelEnabled('debug')) return;
  instance.addHook('onResponse', (request, reply, done) => {
    const line = {
      requestId: request.id,
      method: request.method,
      url: loggedUrl(request.url),
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 1000) / 1000,
      client: clientAddress(request),
      ...traceFields(request),
    };
    logger.debug(line, 'request');
    done();
  });
}

/**
 * Sets the headers of every answer, including those of requests that the router refuses. Of helmet's headers these two
 * matter for JSON: browsers do not interpret it as another type, and do not expose it to other sites. Pages get all.
 */
export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('cross-origin-resource-policy', 'same-origin');
}

/**
 * Adds `Connection: close` to the answer to a request whose body has not arrived completely, because the rest of it is not
 * read. The server closes the connection after the answer.
 */
export function closeUnlessRead({ raw }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { headers } = raw;
  if (raw.complete || (headers['content-length'] ?? headers['transfer-encoding']) === undefined) {
    done();
    return;
  }
  // A body that arrived with the head is read after this turn.
  setImmediate(() => {
    if (!raw.complete) reply.header('connection', 'close');
    done();
  });
}

/** Returns the error in the head of a request, whatever its route. */
function headError({ raw: { headers, httpVersion } }: FastifyRequest): Error | undefined {
  // Node also accepts 0.9 and 2.0 in a request line.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return new ApiError('API.VERSION_NOT_SUPPORTED', `HTTP/${httpVersion} is not supported. Use HTTP/1.1.`);
  }
  // RFC 9112, section 3.2. Node's own answer would not have our error shape.
  if (httpVersion === '1.1' && headers.host === undefined) return invalidRequest('The header Host is missing.');
  const coding = headers['transfer-encoding']?.toLowerCase();
  // RFC 9112, section 6.1. Node's parser accepts others before the last one, and leaves them encoded.
  if (coding !== undefined && coding !== 'chunked') {
    return new ApiError('API.INVALID_REQUEST', 'The only supported Transfer-Encoding is chunked.', { status: 501 });
  }
  if (headers.expect === undefined || headers.expect.toLowerCase() === '100-continue') return undefined;
  return new ApiError('API.EXPECTATION_FAILED');
}

function secretError({ raw: { url = '' } }: FastifyRequest): Error | undefined {
  return hasSecret(url) ? new ApiError('API.SECRET_IN_URL') : undefined;
}

/**
 * Refuses unknown paths before their body is read. The router accepts an empty segment as a parameter, but no path of this
 * API has one, and decodes a malformed query leniently.
 */
function targetError(request: FastifyRequest): Error | undefined {
  const { otherRoute } = request;
  const params = (otherRoute?.params ?? request.params) as Readonly<Record<string, string>>;
  for (const name in params) if (params[name] === '') return nothingAt(request);
  if (request.is404 && otherRoute === undefined) return nothingAt(request);
  if (!isDecodable(request.raw.url ?? '')) return invalidRequest(MALFORMED_URL);
  return otherRoute && methodNotAllowed(request.method, otherRoute);
}

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    // The result is used, because the bundler removes calls of pure functions whose result is not.
    return decodeURIComponent(url).length > 0;
  } catch {
    return false;
  }
}

/** Creates the error for an unknown path, with the path as it was sent, without its query and truncated. */
export function nothingAt({ method, url }: FastifyRequest): ApiError {
  return new ApiError('API.NOT_FOUND', `There is nothing at ${method} ${url.split('?', 1).join('').slice(0, 256)}.`);
}

/** Visible ASCII: needs no escaping in a header and in a log line. */
const ACCEPTABLE_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * Creates the function that returns the id of a request: the caller's X-Request-Id if it is acceptable, else a counter after
 * a random prefix for each process (a UUID costs more than all other bookkeeping of a request).
 */
export function requestIds(prefix = randomBytes(5).toString('hex')): (request: IncomingMessage) => string {
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    if (typeof given === 'string' && ACCEPTABLE_ID.test(given) && !hasSecret(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
