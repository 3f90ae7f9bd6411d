import type { Registry } from 'prom-client';
import type { LossyLog, ProxyStats, ProxyStatsSnapshot } from '#metrics';

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** The counters of the proxy: name, help text, labels, and how their samples are read from the statistics. */
const COUNTERS: readonly (readonly [string, string, string[], (stats: ProxyStatsSnapshot) => readonly Sample[]])[] = [
  [
    'proxy_client_connections_total',
    'Client connections that carried a proxied request.',
    [],
    ({ totalConnections }) => [[{}, totalConnections]],
  ],
  [
    'proxy_client_sent_bytes_total',
    'Bytes sent to upstreams after their handshakes.',
    [],
    ({ bytesSent }) => [[{}, bytesSent]],
  ],
  [
    'proxy_client_received_bytes_total',
    'Bytes received from upstreams after their handshakes.',
    [],
    ({ bytesReceived }) => [[{}, bytesReceived]],
  ],
  [
    'proxy_client_requests_total',
    'Proxied requests that have ended, by outcome.',
    ['outcome'],
    ({ successfulRequests, failedRequests, rejectedRequests }) => [
      [{ outcome: 'success' }, successfulRequests],
      [{ outcome: 'failure' }, failedRequests],
      [{ outcome: 'rejected' }, rejectedRequests],
    ],
  ],
  [
    'proxy_client_socks5_errors_total',
    'Failures of the SOCKS5 upstream, by category.',
    ['category'],
    ({ socks5Errors }) => Object.entries(socks5Errors).map(([category, count]) => [{ category }, count]),
  ],
  [
    'proxy_client_user_requests_total',
    'Proxied requests that have ended, by user and outcome.',
    ['user', 'outcome'],
    ({ users }) =>
      users.flatMap(({ name: user, successfulRequests, failedRequests }) => [
        [{ user, outcome: 'success' }, successfulRequests],
        [{ user, outcome: 'failure' }, failedRequests],
      ]),
  ],
  [
    'proxy_client_user_bytes_total',
    'Bytes that the clients of a user sent to the proxy and received from it.',
    ['user', 'direction'],
    ({ users }) =>
      users.flatMap(({ name: user, bytesSent, bytesReceived }) => [
        [{ user, direction: 'sent' }, bytesSent],
        [{ user, direction: 'received' }, bytesReceived],
      ]),
  ],
];

/** Registers the proxy's counters with a registry, which reads them at each scrape. */
export async function registerProxyStats(registry: Registry, stats: ProxyStats, requestLog: LossyLog): Promise<void> {
  const { Counter, Gauge } = await import('prom-client');
  const registers = [registry];
  for (const [name, help, labelNames, read] of COUNTERS) {
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [labels, value] of read(stats.snapshot())) this.inc(labels, value);
      },
    });
  }
  new Counter({
    name: 'proxy_client_request_log_lines_lost_total',
    help: 'Lines of the request log that could not be written.',
    registers,
    collect() {
      this.reset();
      this.inc(requestLog.lost);
    },
  });
  new Gauge({
    name: 'proxy_client_connections_active',
    help: 'Client connections that are open and carried a proxied request.',
    registers,
    collect() {
      this.set(stats.snapshot().activeConnections);
    },
  });
}
