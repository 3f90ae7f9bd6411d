import type { FastifyRequest } from 'fastify';

const DEFAULT_TYPE = 'application/json';

/**
 * Checks whether a request lists a type in `Accept` (RFC 9110, section 12.5.1) and does not prefer JSON, which is the
 * default.
 */
export function isPreferred({ headers }: FastifyRequest, type: string): boolean {
  const ranks = new Map(rangesOf(headers.accept ?? ''));
  const rank = ranks.get(type) ?? 0;
  return rank > 0 && rank >= (ranks.get(DEFAULT_TYPE) ?? 0);
}

function rangesOf(accept: string): (readonly [string, number])[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? '1';
    return [type, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality) ? Number(quality) : 0];
  });
}
