import { randomBytes } from 'node:crypto';
import { METHODS, type IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import {
  ExpectationFailedError,
  InvalidRequestError,
  MethodNotAllowedError,
  NotFoundError,
  SecretInUrlError,
  VersionNotSupportedError,
} from './api.errors.js';
import { clientAddress } from './client-address.js';
import type { CrossOrigin } from './cross-origin.js';
import type { HostRules } from './host-rules.js';
import { hasSecret, loggedUrl } from './secrets.js';

/** What requests are judged by, whatever their route. */
export interface RequestRules {
  readonly hosts: HostRules;
  readonly pages: CrossOrigin;
  /** Whether there are keys and tokens, which must not stand in a URL. */
  readonly hasKeys: boolean;
}

/** What happens around every request, whatever its route: its id, checks of its head, an access line at debug. */
export function useRequestHooks(instance: FastifyInstance, rules: RequestRules, logger: Logger): void {
  const { hosts, pages, hasKeys } = rules;
  instance.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply);
    const isAnswered = pages.setHeaders(request, reply);
    const fault = faultOfHead(request) ?? hosts.faultOf(request) ?? (hasKeys ? faultOfUrl(request) : undefined);
    if (fault === undefined && isAnswered) void reply.code(204).send();
    else done(fault ?? faultOfPath(request));
  });
  if (!logger.isLevelEnabled('debug')) return;
  instance.addHook('onResponse', (request, reply, done) => {
    logger.debug(accessLine(request, reply), 'request');
    done();
  });
}

/**
 * Sets the headers of every answer, also of what the router refuses before any hook. Of helmet's those that mean something
 * for JSON: browsers take it for nothing else, and give it to no page of another site. Pages get all.
 */
export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('cross-origin-resource-policy', 'same-origin');
}

/** What is wrong with a request whatever its route is. */
function faultOfHead(request: FastifyRequest): Error | undefined {
  const { headers, httpVersion } = request.raw;
  if (httpVersion !== '1.1') {
    // Node also takes 0.9 and 2.0 in a request line.
    if (httpVersion !== '1.0') return new VersionNotSupportedError(httpVersion);
  } else if (headers.host === undefined) {
    // RFC 9112, 3.2; left to Node, its answer would not have our error shape.
    return new InvalidRequestError('The header Host is missing.');
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    return new ExpectationFailedError(headers.expect);
  }
  return undefined;
}

/**
 * An unknown path is refused before its body is read. The router takes an empty segment for a parameter, which no path of
 * this API has.
 */
function faultOfPath(request: FastifyRequest): Error | undefined {
  const params = request.params as Readonly<Record<string, string>>;
  for (const name in params) if (params[name] === '') return nothingAt(request);
  return request.is404 ? nothingAt(request) : undefined;
}

function faultOfUrl({ raw: { url = '' } }: FastifyRequest): Error | undefined {
  return hasSecret(url) ? new SecretInUrlError() : undefined;
}

function accessLine(request: FastifyRequest, reply: FastifyReply): object {
  return {
    requestId: request.id,
    method: request.method,
    url: loggedUrl(request.url),
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime * 1000) / 1000,
    client: clientAddress(request),
  };
}

/** The error for a path that is no route: the path as it was sent, without the query, cut to what suits a message. */
export function nothingAt({ method, url }: FastifyRequest): NotFoundError {
  return new NotFoundError(`There is nothing at ${method} ${url.split('?', 1).join('').slice(0, 256)}.`);
}

/**
 * Watches the routes that are registered from now on; the function it returns then gives every known path a 405 with
 * Allow for the methods it does not have. Call it when all routes stand, before the instance is ready.
 */
export function methodsByPath(instance: FastifyInstance): () => void {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !instance.supportedMethods.includes(method)) {
      instance.addHttpMethod(method, { hasBody: true });
    }
  }
  const allowedByPath = new Map<string, Set<string>>();
  instance.addHook('onRoute', ({ url, method }) => {
    const allowed = allowedByPath.get(url) ?? new Set();
    allowedByPath.set(url, allowed);
    for (const one of [method].flat()) allowed.add(one);
  });
  return () => {
    for (const [url, allowed] of [...allowedByPath]) refuseOtherMethods(instance, url, [...allowed].sort());
  };
}

function refuseOtherMethods(instance: FastifyInstance, url: string, allowed: readonly string[]): void {
  const method = instance.supportedMethods.filter((one) => !allowed.includes(one));
  if (method.length === 0) return;
  instance.route({
    method,
    url,
    // That it is not possible is no secret.
    config: { isOpen: true },
    // In onRequest, so that the body is not looked at: the method is wrong whatever it holds.
    onRequest: (request, _reply, done) => {
      done(new MethodNotAllowedError(request.method, allowed));
    },
    handler: () => undefined,
  });
}

/** Visible ASCII: what fits into a header and a log line without escaping. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/**
 * Makes the function that names requests: the caller's X-Request-Id if it is acceptable, else a counter behind a random
 * prefix for each process (a UUID costs more than the rest of the request's bookkeeping).
 */
export function requestIds(prefix = randomBytes(5).toString('hex')): (request: IncomingMessage) => string {
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    if (typeof given === 'string' && ACCEPTABLE.test(given) && !hasSecret(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
