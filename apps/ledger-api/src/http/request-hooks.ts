import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ExpectationFailedError, InvalidRequestError, VersionNotSupportedError } from './api.errors.js';
import type { HostRules } from './host-rules.js';
import { nothingAt } from './nothing-at.js';

/** What happens around every request, whatever its route: its id, checks of its head, an access line at debug. */
export function useRequestHooks(instance: FastifyInstance, hosts: HostRules, logger: Logger): void {
  instance.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done(faultOfHead(request) ?? hosts.faultOf(request) ?? faultOfPath(request));
  });
  if (!logger.isLevelEnabled('debug')) return;
  instance.addHook('onResponse', (request, reply, done) => {
    logger.debug(accessLine(request, reply), 'request');
    done();
  });
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
