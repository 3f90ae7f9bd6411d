import type { Target } from '../../http/authority.js';
import type { ByteSource } from '../../relay/byte-source.js';
import type { RouteQuery } from '../../routing/rules/rule.js';
import type { Attempt, Upstream } from '../upstream.js';

/** Connects through an upstream; the connection is not started. */
export async function connectThrough(
  upstream: Upstream,
  target: Target,
  rest: Partial<RouteQuery> = {},
): Promise<ByteSource> {
  return attemptThrough(upstream, target, rest).outcome;
}

/** Starts to connect through an upstream. */
export function attemptThrough(
  upstream: Upstream,
  target: Target,
  rest: Partial<RouteQuery> = {},
): { readonly attempt: Attempt; readonly outcome: Promise<ByteSource> } {
  const { promise: outcome, resolve: connected, reject: failed } = Promise.withResolvers<ByteSource>();
  return { attempt: upstream.begin({ target, client: {}, ...rest }, { connected, failed }), outcome };
}
