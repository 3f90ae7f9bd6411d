import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/api.errors.js';
import type { RequestLimits, Share } from './request-limits.js';

/** A caller has asked for more in a second than it may. */
export class TooManyRequestsError extends ApiError {
  readonly code = 'API.TOO_MANY_REQUESTS';
  readonly status = 429;
  override readonly headers: Readonly<Record<string, string>>;

  constructor(perSecond: number, { resetsIn }: Share) {
    super(`More than ${perSecond} requests came in a second. Nothing was done; send it again in a moment.`);
    this.headers = { 'retry-after': String(wholeSeconds(resetsIn)) };
  }
}

/** What shares are called in the header fields. */
const POLICY = '"requests"';

/**
 * Has each request counted, and says in its answer what is left, as the IETF's draft has it (draft-ietf-httpapi-ratelimit-
 * headers, sections 3 and 4). Before its body is read, and behind the login: whoever is refused there has a limit of its own.
 * @param keyOf - who asks; undefined for what is not counted
 */
export function useRequestLimits(
  instance: FastifyInstance,
  limits: RequestLimits,
  keyOf: (request: FastifyRequest) => string | undefined,
): void {
  const policy = `${POLICY};q=${limits.perSecond};w=1`;
  const count = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const key = keyOf(request);
    if (key === undefined) return;
    const share = await limits.take(key);
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `${POLICY};r=${share.remaining};t=${wholeSeconds(share.resetsIn)}`);
    if (share.isOver) throw new TooManyRequestsError(limits.perSecond, share);
  };
  instance.addHook('onRequest', count);
  instance.addHook('onClose', () => {
    limits.close();
  });
}

function wholeSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
