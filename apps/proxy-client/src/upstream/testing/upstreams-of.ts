import { SectionMemory } from '../../http/section-memory.js';
import { ProxyStats } from '../../stats/proxy-stats.js';
import type { GroupConfig, NamedUpstream, ProxyClientConfig, Timeouts } from '../../config/proxy-client-config.js';
import { loadConfig } from '../../config/load-config.js';
import { BufferPool } from '../../relay/buffer-pool.js';
import { OwnAddresses, type BoundAddress } from '../../routing/rules/own-addresses.js';
import type { Rule } from '../../routing/rules/rule.js';
import { Upstreams } from '../upstreams.js';

export interface UpstreamsHere {
  readonly upstreams: readonly NamedUpstream[];
  readonly rules?: readonly Rule[];
  readonly timeouts?: Partial<Timeouts>;
  readonly own?: readonly BoundAddress[];
  readonly previous?: Upstreams;
}

/** The upstreams of a configuration, and their log lines. */
export interface MadeUpstreams {
  readonly upstreams: Upstreams;
  readonly stats: ProxyStats;
  readonly log: Readonly<Record<string, unknown>>[];
}

/** Creates upstreams with the default configuration except for what is given. */
export function upstreamsOf({ upstreams, rules = [], timeouts, own = [], previous }: UpstreamsHere): MadeUpstreams {
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
    sections: new SectionMemory(65_536),
    logger: { debug: note, info: note, warn: note, error: note },
    own: () => new OwnAddresses(own, [], () => []),
    reportDefect: (err: unknown) => {
      note({ err }, 'defect');
    },
  };
  return { upstreams: new Upstreams(config, shared, previous), stats, log };
}

/** Returns the configuration of a SOCKS5 server on this machine. */
export function server(name: string, port: number): NamedUpstream {
  return { name, kind: 'socks5', host: '127.0.0.1', port, handshake: 'stepwise', warm: 0 };
}

/** Returns the configuration of a group without health checks, unless `rest` has them. */
export function group(of: readonly string[], rest: Partial<GroupConfig> = {}): NamedUpstream {
  return { name: 'group', kind: 'group', of, pick: 'failover', ...rest };
}
