import type { Counter, Gauge, Registry } from 'prom-client';
import type { LossyLog } from '#metrics';
import type { ProxyStatsSnapshot } from '../stats/proxy-stats.js';
import type { ListStatus } from './api/routes.responses.js';
import type { UpstreamList } from './api/upstreams.responses.js';
import type { Gate } from '../routing/gate/gate.js';

/** What the metrics are read from at each scrape. */
export interface MetricSources {
  stats(): ProxyStatsSnapshot;
  upstreams(): UpstreamList;
  lists(): readonly ListStatus[];
  readonly gate: Gate;
  readonly requestLog: LossyLog;
}

interface Scrape extends Pick<UpstreamList, 'upstreams' | 'groups'> {
  readonly stats: ProxyStatsSnapshot;
  readonly lost: number;
  readonly lists: readonly ListStatus[];
  readonly gate: Gate;
}

interface Metric {
  /** Counters end in _total; the others are gauges. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: string[];
  /** Returns the samples, each with the values of the labels first. */
  readonly read: (scrape: Scrape) => readonly (readonly [...labels: string[], value: number])[];
}

/** The metrics of the proxy. Labels are names of the configuration, so the number of series is bounded. */
const METRICS: readonly Metric[] = [
  {
    name: 'proxy_client_connections_total',
    help: 'Client connections that carried a proxied request.',
    read: ({ stats }) => [[stats.totalConnections]],
  },
  {
    name: 'proxy_client_sent_bytes_total',
    help: 'Bytes sent to upstreams after their handshakes.',
    read: ({ stats }) => [[stats.bytesSent]],
  },
  {
    name: 'proxy_client_received_bytes_total',
    help: 'Bytes received from upstreams after their handshakes.',
    read: ({ stats }) => [[stats.bytesReceived]],
  },
  {
    name: 'proxy_client_requests_total',
    help: 'Proxied requests that have ended, by outcome.',
    labelNames: ['outcome'],
    read: ({ stats }) => [
      ['success', stats.successfulRequests],
      ['failure', stats.failedRequests],
      ['rejected', stats.rejectedRequests],
    ],
  },
  {
    name: 'proxy_client_socks5_errors_total',
    help: 'Failures of the SOCKS5 upstream, by category.',
    labelNames: ['category'],
    read: ({ stats }) => Object.entries(stats.socks5Errors),
  },
  {
    name: 'proxy_client_user_requests_total',
    help: 'Proxied requests that have ended, by user and outcome.',
    labelNames: ['user', 'outcome'],
    read: ({ stats }) =>
      stats.users.flatMap(({ name, successfulRequests, failedRequests }) => [
        [name, 'success', successfulRequests],
        [name, 'failure', failedRequests],
      ]),
  },
  {
    name: 'proxy_client_user_bytes_total',
    help: 'Bytes that the clients of a user sent to the proxy and received from it.',
    labelNames: ['user', 'direction'],
    read: ({ stats }) =>
      stats.users.flatMap(({ name, bytesSent, bytesReceived }) => [
        [name, 'sent', bytesSent],
        [name, 'received', bytesReceived],
      ]),
  },
  {
    name: 'proxy_client_request_log_lines_lost_total',
    help: 'Lines of the request log that could not be written.',
    read: ({ lost }) => [[lost]],
  },
  {
    name: 'proxy_client_default_rejections_total',
    help: 'Requests that were refused because no rule matches (default: reject); they also count as rejected.',
    read: ({ gate }) => [[gate.denials.byDefault]],
  },
  {
    name: 'proxy_client_grants_active',
    help: 'Grants in force.',
    read: ({ gate }) => [[gate.grants.list().length]],
  },
  {
    name: 'proxy_client_asks_waiting',
    help: 'Requests that wait for the answer of a person.',
    read: ({ gate }) => [[gate.asks.waiting]],
  },
  {
    name: 'proxy_client_asks_total',
    help: 'Questions whether a target is allowed.',
    read: ({ gate }) => [[gate.asks.counts.asked]],
  },
  {
    name: 'proxy_client_asks_answered_total',
    help: 'Questions that were answered, by answer.',
    labelNames: ['answer'],
    read: ({ gate }) => [
      ['yes', gate.asks.counts.yes],
      ['no', gate.asks.counts.no],
    ],
  },
  {
    name: 'proxy_client_asks_expired_total',
    help: 'Questions that no one answered in time.',
    read: ({ gate }) => [[gate.asks.counts.expired]],
  },
  {
    name: 'proxy_client_connections_active',
    help: 'Client connections that are open and carried a proxied request.',
    read: ({ stats }) => [[stats.activeConnections]],
  },
  {
    name: 'proxy_client_upstream_up',
    help: 'Whether an upstream accepted the proxy at the last attempt; absent before the first.',
    labelNames: ['upstream'],
    read: ({ upstreams }) =>
      upstreams.flatMap(({ name, state }) => (state === 'unknown' ? [] : [[name, Number(state === 'up')]])),
  },
  {
    name: 'proxy_client_upstream_latency_seconds',
    help: 'Time of TCP, greeting and authentication, measured by the checks of groups, smoothed.',
    labelNames: ['upstream'],
    read: ({ upstreams }) =>
      upstreams.flatMap(({ name, latency_ms: latency }) => (latency === null ? [] : [[name, latency / 1000]])),
  },
  {
    name: 'proxy_client_upstream_connections_total',
    help: 'Connections to targets through an upstream, by outcome.',
    labelNames: ['upstream', 'outcome'],
    read: ({ upstreams }) =>
      upstreams.flatMap(({ name, connections_opened, connections_failed }) => [
        [name, 'opened', connections_opened],
        [name, 'failed', connections_failed],
      ]),
  },
  {
    name: 'proxy_client_failovers_total',
    help: 'How often a request was passed on to another member of its group.',
    labelNames: ['group'],
    read: ({ groups }) => groups.map(({ name, failovers }) => [name, failovers]),
  },
  {
    name: 'proxy_client_group_member_selected',
    help: 'The member of a group that was selected by hand; absent while the selection is automatic.',
    labelNames: ['group', 'member'],
    read: ({ groups }) => groups.flatMap(({ name, selected }) => (selected === null ? [] : [[name, selected, 1]])),
  },
  {
    name: 'proxy_client_list_age_seconds',
    help: 'The time since a list was last read, or confirmed by its server.',
    labelNames: ['rule', 'list'],
    read: ({ lists }) =>
      lists.flatMap(({ rule, name, checked_at: at }) =>
        at === null ? [] : [[String(rule), name, (Date.now() - Date.parse(at)) / 1000]],
      ),
  },
  {
    name: 'proxy_client_list_entries',
    help: 'Names and addresses in a list.',
    labelNames: ['rule', 'list'],
    read: ({ lists }) => lists.map(({ rule, name, entries }) => [String(rule), name, entries]),
  },
  {
    name: 'proxy_client_list_failures_total',
    help: 'Failed attempts to load a list.',
    labelNames: ['rule', 'list'],
    read: ({ lists }) => lists.map(({ rule, name, failures }) => [String(rule), name, failures]),
  },
];

/** Registers the metrics of the proxy with a registry. */
export async function registerProxyMetrics(registry: Registry, sources: MetricSources): Promise<void> {
  const prometheus = await import('prom-client');
  for (const { read, ...metric } of METRICS) {
    new prometheus[metric.name.endsWith('_total') ? 'Counter' : 'Gauge']({
      ...metric,
      registers: [registry],
      collect(this: Counter | Gauge) {
        this.reset();
        const { upstreams, groups } = sources.upstreams();
        const { gate, requestLog } = sources;
        const scrape = {
          stats: sources.stats(),
          upstreams,
          groups,
          lost: requestLog.lost,
          gate,
          lists: sources.lists(),
        };
        for (const sample of read(scrape)) {
          this.labels(...sample.slice(0, -1).map(String)).inc(Number(sample.at(-1)));
        }
      },
    });
  }
}
