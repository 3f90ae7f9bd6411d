import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.js';
import { clientAddress, networkOf } from '../http/client-address.js';
import type { RequestLimits } from './request-limits.js';

/** What shares are called in the header fields. */
const POLICY = '"requests"';

/**
 * Has each request counted, and says in its answer what is left, as the IETF's draft has it (draft-ietf-httpapi-ratelimit-
 * headers, sections 3 and 4). Before its body is read, and behind the login: whoever is refused there has a limit of its own.
 */
export function useRequestLimits(instance: FastifyInstance, limits: RequestLimits): void {
  const policy = `${POLICY};q=${limits.perSecond};w=1`;
  const count = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // What everybody may call, such as health, is asked for by machines, and costs nothing.
    if (request.routeOptions.config.isOpen === true) return;
    const share = await limits.take(keyOf(request));
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `${POLICY};r=${share.remaining};t=${wholeSeconds(share.resetsIn)}`);
    if (share.isOver) throw tooManyRequests(limits.perSecond, wholeSeconds(share.resetsIn));
  };
  instance.addHook('onRequest', count);
  instance.addHook('onClose', () => {
    limits.close();
  });
}

/** The caller, or the network of the address where nobody says who calls; the one cannot be taken for the other. */
function keyOf(request: FastifyRequest): string {
  const caller = request.caller;
  return caller === undefined ? `address ${networkOf(clientAddress(request))}` : `caller ${caller.name}`;
}

function wholeSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

function tooManyRequests(perSecond: number, retryAfter: number): ApiError {
  const message = `More than ${perSecond} requests in one second. Nothing was done. Send this one again later.`;
  return new ApiError('API.TOO_MANY_REQUESTS', message, { headers: { 'retry-after': String(retryAfter) } });
}
