import type { ProxyStats } from '#metrics';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { BufferPool } from '../relay/buffer-pool.js';
import { EmbeddedUpstream } from './embedded-upstream.js';
import { Socks5Upstream } from './socks5-upstream.js';
import type { SelectUpstream, Upstream } from './upstream.js';

export interface UpstreamsOptions {
  readonly stats: ProxyStats;
  readonly pool: BufferPool;
  /** Where this proxy listens itself. */
  readonly ownListeners: () => readonly { readonly host: string; readonly port: number }[];
}

export interface Upstreams {
  readonly select: SelectUpstream;
  /** Ends what the upstreams keep open for themselves. */
  close(): Promise<void>;
}

/** Makes the configured upstreams. */
export function createUpstreams(config: ProxyClientConfig, options: UpstreamsOptions): Upstreams {
  const { timeouts } = config;
  const upstreams = config.upstreams.map((upstream): Upstream => {
    switch (upstream.kind) {
      case 'socks5':
        return new Socks5Upstream({ ...options, timeouts, config: upstream });
      case 'embedded':
        return new EmbeddedUpstream({ ...options, timeouts });
    }
  });
  const [first] = upstreams;
  if (first === undefined) {
    throw new TypeError('The configuration names no upstream.');
  }
  return {
    select: () => first,
    async close() {
      await Promise.all(upstreams.map((upstream) => upstream.close()));
    },
  };
}
