import type { Counter, Gauge, Registry } from 'prom-client';
import { durationText, type LossyLog, successRate, type ProxyStatsSnapshot } from '#metrics';
import type { Health, Stats, UpstreamList } from '../api/responses.js';

/** Returns the response of /stats. */
export function presentStats(snapshot: ProxyStatsSnapshot): Stats {
  return {
    start_time: snapshot.startTime.toISOString(),
    uptime: durationText(snapshot.uptime),
    total_connections: snapshot.totalConnections,
    active_connections: snapshot.activeConnections,
    successful_requests: snapshot.successfulRequests,
    failed_requests: snapshot.failedRequests,
    bytes_sent: snapshot.bytesSent,
    bytes_received: snapshot.bytesReceived,
    socks5_errors: snapshot.socks5Errors,
  };
}

/** Returns the response of /health. */
export function presentHealth(snapshot: ProxyStatsSnapshot): Health {
  return {
    status: 'healthy',
    uptime: durationText(snapshot.uptime),
    active_connections: snapshot.activeConnections,
    success_rate: successRate(snapshot.successfulRequests, snapshot.failedRequests),
  };
}

/** What the metrics are read from at each scrape. */
export interface MetricSources {
  stats(): ProxyStatsSnapshot;
  upstreams(): UpstreamList;
  readonly requestLog: LossyLog;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

interface Metric {
  readonly type: 'Counter' | 'Gauge';
  readonly name: string;
  readonly help: string;
  readonly labelNames?: string[];
  readonly read: (sources: MetricSources) => readonly Sample[];
}

/** The metrics of the proxy. Labels are names of the configuration, so the number of series is bounded. */
const METRICS: readonly Metric[] = [
  {
    type: 'Counter',
    name: 'proxy_client_connections_total',
    help: 'Client connections that carried a proxied request.',
    read: (from) => [[{}, from.stats().totalConnections]],
  },
  {
    type: 'Counter',
    name: 'proxy_client_sent_bytes_total',
    help: 'Bytes sent to upstreams after their handshakes.',
    read: (from) => [[{}, from.stats().bytesSent]],
  },
  {
    type: 'Counter',
    name: 'proxy_client_received_bytes_total',
    help: 'Bytes received from upstreams after their handshakes.',
    read: (from) => [[{}, from.stats().bytesReceived]],
  },
  {
    type: 'Counter',
    name: 'proxy_client_requests_total',
    help: 'Proxied requests that have ended, by outcome.',
    labelNames: ['outcome'],
    read: (from) => {
      const { successfulRequests, failedRequests, rejectedRequests } = from.stats();
      const counts = { success: successfulRequests, failure: failedRequests, rejected: rejectedRequests };
      return Object.entries(counts).map(([outcome, count]) => [{ outcome }, count]);
    },
  },
  {
    type: 'Counter',
    name: 'proxy_client_socks5_errors_total',
    help: 'Failures of the SOCKS5 upstream, by category.',
    labelNames: ['category'],
    read: (from) => Object.entries(from.stats().socks5Errors).map(([category, count]) => [{ category }, count]),
  },
  {
    type: 'Counter',
    name: 'proxy_client_user_requests_total',
    help: 'Proxied requests that have ended, by user and outcome.',
    labelNames: ['user', 'outcome'],
    read: (from) =>
      from.stats().users.flatMap(({ name: user, successfulRequests, failedRequests }) => [
        [{ user, outcome: 'success' }, successfulRequests],
        [{ user, outcome: 'failure' }, failedRequests],
      ]),
  },
  {
    type: 'Counter',
    name: 'proxy_client_user_bytes_total',
    help: 'Bytes that the clients of a user sent to the proxy and received from it.',
    labelNames: ['user', 'direction'],
    read: (from) =>
      from.stats().users.flatMap(({ name: user, bytesSent, bytesReceived }) => [
        [{ user, direction: 'sent' }, bytesSent],
        [{ user, direction: 'received' }, bytesReceived],
      ]),
  },
  {
    type: 'Counter',
    name: 'proxy_client_request_log_lines_lost_total',
    help: 'Lines of the request log that could not be written.',
    read: (from) => [[{}, from.requestLog.lost]],
  },
  {
    type: 'Gauge',
    name: 'proxy_client_connections_active',
    help: 'Client connections that are open and carried a proxied request.',
    read: (from) => [[{}, from.stats().activeConnections]],
  },
  {
    type: 'Gauge',
    name: 'proxy_client_upstream_up',
    help: 'Whether an upstream accepted the proxy at the last attempt; absent before the first.',
    labelNames: ['upstream'],
    read: (from) =>
      from
        .upstreams()
        .upstreams.flatMap(({ name: upstream, state }) =>
          state === 'unknown' ? [] : [[{ upstream }, Number(state === 'up')]],
        ),
  },
  {
    type: 'Gauge',
    name: 'proxy_client_upstream_latency_seconds',
    help: 'Time of TCP, greeting and authentication, measured by the checks of groups, smoothed.',
    labelNames: ['upstream'],
    read: (from) =>
      from
        .upstreams()
        .upstreams.flatMap(({ name: upstream, latency_ms: latency }) =>
          latency === null ? [] : [[{ upstream }, latency / 1000]],
        ),
  },
  {
    type: 'Counter',
    name: 'proxy_client_upstream_connections_total',
    help: 'Connections to targets through an upstream, by outcome.',
    labelNames: ['upstream', 'outcome'],
    read: (from) =>
      from.upstreams().upstreams.flatMap(({ name: upstream, connections_opened, connections_failed }) => [
        [{ upstream, outcome: 'opened' }, connections_opened],
        [{ upstream, outcome: 'failed' }, connections_failed],
      ]),
  },
  {
    type: 'Counter',
    name: 'proxy_client_failovers_total',
    help: 'How often a request was passed on to another member of its group.',
    labelNames: ['group'],
    read: (from) => from.upstreams().groups.map(({ name: group, failovers }) => [{ group }, failovers]),
  },
];

/** Registers the metrics of the proxy with a registry. */
export async function registerProxyMetrics(registry: Registry, sources: MetricSources): Promise<void> {
  const prometheus = await import('prom-client');
  for (const { type, read, ...metric } of METRICS) {
    new prometheus[type]({
      ...metric,
      registers: [registry],
      collect(this: Counter | Gauge) {
        this.reset();
        for (const [labels, value] of read(sources)) this.inc(labels, value);
      },
    });
  }
}
