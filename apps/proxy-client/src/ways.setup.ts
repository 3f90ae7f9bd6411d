import type { Socket } from 'node:net';
import type { ProxyStats } from '#metrics';
import type { ProxyClientConfig } from './config/proxy-client-config.js';
import type { FailureReporter, ProxyLog } from './failure/failure-reporter.js';
import { Forwarder } from './forward/forwarder.js';
import { allowEveryone } from './gate/authorize.js';
import type { ClientConnections } from './listener/client-connections.js';
import type { ConnectHandler, ForwardHandler } from './listener/proxy-handlers.js';
import { adoptSocket } from './relay/adopt-socket.js';
import { BufferPool } from './relay/buffer-pool.js';
import type { ClientSource } from './relay/byte-source.js';
import { IdleMemory } from './relay/idle-memory.js';
import { PooledSource } from './relay/pooled-source.js';
import type { SocketHandle } from './relay/socket-handle.js';
import { Relays } from './tunnel/relays.js';
import { TunnelHandler } from './tunnel/tunnel-handler.js';
import { createUpstreams } from './upstream/create-upstreams.js';

/** What the ways out of the listener share. */
export interface WaysOptions {
  readonly config: ProxyClientConfig;
  readonly stats: ProxyStats;
  readonly connections: ClientConnections;
  readonly reporter: FailureReporter;
  readonly logger: ProxyLog;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Forwarding and tunnels through one upstream. */
export interface Ways {
  readonly forward: ForwardHandler;
  readonly connect: ConnectHandler;
  /** Makes a source of a client's connection, with buffers from the pool that all share. */
  readonly adopt: (socket: Socket) => ClientSource;
  /** The same of a connection that no socket was made for. */
  readonly accept: (handle: SocketHandle) => ClientSource;
  /** Tells where the proxy itself listens: the embedded upstream never connects there. */
  listeningOn(place: Place): void;
  /** Ends pooled connections and the upstream; requests and tunnels have ended. */
  close(): Promise<void>;
}

/** Wires the upstream, tunnels and forwarding. */
export function createWays({ config, stats, connections, reporter, logger }: WaysOptions): Ways {
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
  const relays = new Relays({
    limits: { write: config.timeouts.write, idle: config.timeouts.tunnelIdle },
    sourceOf: (socket) => connections.get(socket)?.source,
  });
  const shared = {
    authorize: allowEveryone,
    select: upstreams.select,
    relays,
    proxied: connections.proxied.bind(connections),
    reporter,
    stats,
    debug: config.logLevel === 'debug' ? logger.debug.bind(logger) : undefined,
  };
  const forward = new Forwarder({ ...shared, config });
  return {
    forward,
    connect: new TunnelHandler(shared),
    adopt: (socket) => adoptSocket(pool, socket),
    accept: (handle) => PooledSource.accept(pool, handle),
    listeningOn: (place) => {
      own.push(place);
    },
    close: async () => {
      memory.stop();
      forward.close();
      await upstreams.close();
    },
  };
}
