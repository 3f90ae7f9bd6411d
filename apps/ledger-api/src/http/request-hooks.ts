import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ExpectationFailedError, InvalidRequestError, NotFoundError } from './api.errors.js';

export interface RequestHookOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly logger: Logger;
}

/** What happens around every request, whatever its route: headers, checks of the request line, access line at debug. */
export function useRequestHooks(instance: FastifyInstance, options: RequestHookOptions): void {
  const { headers, logger } = options;

  instance.addHook('onRequest', (request, reply, done) => {
    addStandardHeaders(request, reply, headers);
    done(faultOf(request));
  });
  if (!logger.isLevelEnabled('debug')) return;
  instance.addHook('onResponse', (request, reply, done) => {
    logger.debug(accessLine(request, reply), 'request');
    done();
  });
}

/** Headers that every answer carries. */
export function addStandardHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
): void {
  reply.headers(headers);
  reply.header('x-request-id', request.id);
}

/**
 * RFC 9112, 3.2: a request of HTTP/1.1 without Host is answered 400; Node would do so with an answer that is not ours.
 * An unknown route is refused before its body is read.
 */
function faultOf(request: FastifyRequest): Error | undefined {
  const { expect } = request.raw.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return new ExpectationFailedError(expect);
  if (request.raw.headers.host === undefined && request.raw.httpVersionMinor === 1) {
    return new InvalidRequestError('The header Host is missing.');
  }
  return request.is404 ? new NotFoundError(`There is nothing at ${request.method} ${pathOf(request)}.`) : undefined;
}

/** The path as it was sent, without the query, cut to a length that suits a message. */
function pathOf({ raw }: FastifyRequest): string {
  return (raw.url ?? '').split('?', 1).join('').slice(0, 256);
}

function accessLine(request: FastifyRequest, reply: FastifyReply): object {
  return {
    requestId: request.id,
    method: request.method,
    url: request.url,
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime * 1000) / 1000,
    client: request.ip,
  };
}
