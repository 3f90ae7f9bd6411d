import type { Target } from '../../http/authority.js';
import type { ByteSource } from '../../relay/byte-source.js';
import type { RouteQuery } from '../../rules/rule.js';
import type { CancelToken, Upstream } from '../upstream.js';

/** Connects through an upstream; the connection is not started. */
export async function connectThrough(
  upstream: Upstream,
  target: Target,
  cancel?: CancelToken,
  rest: Partial<RouteQuery> = {},
): Promise<ByteSource> {
  return new Promise((connected, failed) => {
    upstream.begin({ target, client: {}, ...rest }, { connected, failed }, cancel);
  });
}
