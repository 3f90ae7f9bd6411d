import type { Target } from '../../http/authority.js';
import type { ByteSource } from '../../relay/byte-source.js';
import type { CancelToken, Upstream } from '../upstream.js';

/** Connects through an upstream; the connection is not started. */
export async function connectThrough(upstream: Upstream, target: Target, cancel?: CancelToken): Promise<ByteSource> {
  return new Promise((connected, failed) => {
    upstream.begin(target, { connected, failed }, cancel);
  });
}
