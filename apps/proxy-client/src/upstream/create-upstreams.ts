import type { ProxyStats } from '#metrics';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { BufferPool } from '../relay/buffer-pool.js';
import { EmbeddedUpstream } from './embedded-upstream.js';
import { Socks5Upstream } from './socks5-upstream.js';
import type { Upstream } from './upstream.js';

export interface UpstreamsOptions {
  readonly stats: ProxyStats;
  readonly pool: BufferPool;
  /** Where this proxy listens itself. */
  readonly ownListeners: () => readonly { readonly host: string; readonly port: number }[];
}

export interface Upstreams {
  /** In the order of the configuration. */
  readonly byName: ReadonlyMap<string, Upstream>;
  /** Ends what the upstreams keep open for themselves. */
  close(): Promise<void>;
}

/** Makes the configured upstreams. */
export function createUpstreams(config: ProxyClientConfig, options: UpstreamsOptions): Upstreams {
  const { timeouts } = config;
  const byName = new Map<string, Upstream>();
  for (const upstream of config.upstreams) {
    switch (upstream.kind) {
      case 'socks5':
        byName.set(upstream.name, new Socks5Upstream({ ...options, timeouts, config: upstream }));
        break;
      case 'embedded':
        byName.set(upstream.name, new EmbeddedUpstream({ ...options, timeouts }));
        break;
      case 'group':
        throw new TypeError('Groups of upstreams are not made yet.');
    }
  }
  return {
    byName,
    async close() {
      await Promise.all([...byName.values()].map((upstream) => upstream.close()));
    },
  };
}
