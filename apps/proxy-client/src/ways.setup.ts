import type { Socket } from 'node:net';
import type { ProxyStats } from '#metrics';
import type { ProxyClientConfig } from './config/proxy-client-config.js';
import type { FailureReporter, ProxyLog } from './failure/failure-reporter.js';
import { Forwarder } from './forward/forwarder.js';
import { BufferPool } from './relay/buffer-pool.js';
import type { ClientSource } from './relay/byte-source.js';
import { IdleMemory } from './relay/idle-memory.js';
import { adoptSocket } from './relay/pooled-source.js';
import { Relays } from './relay/relays.js';
import { Tunnels } from './tunnel/tunnels.js';
import { allowEveryone, type Authorize } from './upstream/authorize.js';
import { createUpstreams } from './upstream/create-upstreams.js';

/** What the ways out of the listener share. */
export interface WaysOptions {
  readonly config: ProxyClientConfig;
  readonly stats: ProxyStats;
  readonly reporter: FailureReporter;
  readonly logger: ProxyLog;
  readonly authorize?: Authorize | undefined;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Forwarding and tunnels through one upstream. */
export interface Ways {
  readonly forwarder: Forwarder;
  readonly tunnels: Tunnels;
  readonly relays: Relays;
  /** Makes a source of a client's connection, with buffers from the pool that all share. */
  readonly adopt: (socket: Socket) => ClientSource;
  /** Tells where the proxy itself listens: the embedded upstream never connects there. */
  listeningOn(place: Place): void;
  /** Ends pooled connections and the upstream; requests and tunnels have ended. */
  close(): Promise<void>;
}

/** Wires the upstream, tunnels and forwarding. */
export function createWays({ config, stats, reporter, logger, authorize = allowEveryone }: WaysOptions): Ways {
  const own: Place[] = [];
  const pool = new BufferPool();
  const upstreams = createUpstreams(config, { stats, pool, ownListeners: () => own });
  const memory = new IdleMemory({
    activity: () => {
      const { totalConnections, activeConnections, successfulRequests, failedRequests } = stats.snapshot();
      const happened = 2 * totalConnections - activeConnections + successfulRequests + failedRequests;
      return { happened, open: activeConnections };
    },
    release: () => {
      pool.clear();
    },
  });
  memory.start();
  const relays = new Relays({ write: config.timeouts.write, idle: config.timeouts.tunnelIdle });
  const shared = {
    authorize,
    select: upstreams.select,
    relays,
    reporter,
    stats,
    debug: config.logLevel === 'debug' ? logger.debug.bind(logger) : undefined,
  };
  const forwarder = new Forwarder({ ...shared, config });
  return {
    forwarder,
    tunnels: new Tunnels(shared),
    relays,
    adopt: (socket) => adoptSocket(pool, socket),
    listeningOn: (place) => {
      own.push(place);
    },
    close: async () => {
      memory.stop();
      forwarder.close();
      await upstreams.close();
    },
  };
}
