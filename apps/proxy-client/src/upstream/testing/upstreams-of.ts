import { ProxyStats } from '#metrics';
import type { GroupConfig, NamedUpstream, ProxyClientConfig, Timeouts } from '../../config/proxy-client-config.js';
import { loadConfig } from '../../config/load-config.js';
import { BufferPool } from '../../relay/buffer-pool.js';
import type { Rule } from '../../rules/rule.js';
import type { OwnListeners } from '../address-guard.js';
import { Upstreams } from '../upstreams.js';

export interface UpstreamsHere {
  readonly upstreams: readonly NamedUpstream[];
  readonly rules?: readonly Rule[];
  readonly timeouts?: Partial<Timeouts>;
  readonly ownListeners?: OwnListeners;
  readonly previous?: Upstreams;
}

/** The upstreams of a configuration, and what they have logged. */
export interface MadeUpstreams {
  readonly upstreams: Upstreams;
  readonly stats: ProxyStats;
  readonly log: Readonly<Record<string, unknown>>[];
}

/** Makes upstreams; what is not said is as by default. */
export function upstreamsOf({ upstreams, rules = [], timeouts, ...options }: UpstreamsHere): MadeUpstreams {
  const { config: defaults } = loadConfig({ options: {}, environment: {}, directory: '/nowhere' });
  const config: ProxyClientConfig = { ...defaults, upstreams, rules, timeouts: { ...defaults.timeouts, ...timeouts } };
  const log: Record<string, unknown>[] = [];
  const note = (fields: object, message: string): void => {
    log.push({ ...fields, message });
  };
  const stats = new ProxyStats();
  const shared = {
    stats,
    pool: new BufferPool(),
    logger: { debug: note, info: note, warn: note, error: note },
    ownListeners: options.ownListeners ?? (() => []),
  };
  return { upstreams: new Upstreams(config, shared, options.previous), stats, log };
}

/** A SOCKS5 server on this machine, by its name. */
export function server(name: string, port: number): NamedUpstream {
  return { name, kind: 'socks5', host: '127.0.0.1', port, handshake: 'stepwise', warm: 0 };
}

/** A group that is not checked unless that is said. */
export function group(of: readonly string[], rest: Partial<GroupConfig> = {}): NamedUpstream {
  return { name: 'group', kind: 'group', of, pick: 'failover', ...rest };
}
