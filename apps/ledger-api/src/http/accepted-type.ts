import type { FastifyRequest } from 'fastify';

const DEFAULT_TYPE = 'application/json';

/**
 * Whether a request names that type in `Accept` (RFC 9110, 12.5.1) and does not rank JSON higher: JSON is what everybody gets
 * who says nothing else, or anything.
 */
export function isPreferred({ headers }: FastifyRequest, type: string): boolean {
  const ranks = new Map(rangesOf(headers.accept ?? ''));
  const rank = ranks.get(type) ?? 0;
  return rank > 0 && rank >= (ranks.get(DEFAULT_TYPE) ?? 0);
}

function rangesOf(accept: string): (readonly [string, number])[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((it) => it.startsWith('q='))?.slice('q='.length) ?? '1';
    return [type, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality) ? Number(quality) : 0];
  });
}
