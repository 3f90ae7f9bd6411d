import type { Registry } from 'prom-client';
import type { ProxyStats } from './proxy-stats.js';

/** A log that loses lines instead of waiting. */
export interface LossyLog {
  /** Lines lost since the start. */
  readonly lost: number;
}

/**
 * Makes a Prometheus registry that also holds the process's own figures (memory, CPU, event loop, garbage collection).
 * prom-client is loaded by this call and not before: an app that serves no metrics does not pay for it.
 *
 * A histogram or counter is put on it with `new Histogram({ name, help, registers: [registry] })` of prom-client;
 * on a hot path take its labelled child once, ahead (`histogram.labels(…)`). Serve `await registry.metrics()` with the
 * content type `registry.contentType`.
 */
export async function createMetricsRegistry(log?: LossyLog): Promise<Registry> {
  const { Counter, Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  if (log !== undefined) {
    new Counter({
      name: 'log_lines_lost_total',
      help: 'Lines of the log that could not be written.',
      registers: [registry],
      collect() {
        this.reset();
        this.inc(log.lost);
      },
    });
  }
  return registry;
}

/**
 * Shows the proxy's counters on a registry; they are read when it is scraped.
 *
 * @param requestLog - the log of requests
 */
export async function registerProxyStats(registry: Registry, stats: ProxyStats, requestLog: LossyLog): Promise<void> {
  const { Counter, Gauge } = await import('prom-client');
  const registers = [registry];
  const counter = (name: string, help: string, read: () => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  counter('proxy_client_connections_total', 'Client connections that carried a proxied request.', () => {
    return stats.snapshot().totalConnections;
  });
  counter('proxy_client_sent_bytes_total', 'Bytes sent to upstreams after their handshakes.', () => {
    return stats.snapshot().bytesSent;
  });
  counter('proxy_client_received_bytes_total', 'Bytes received from upstreams after their handshakes.', () => {
    return stats.snapshot().bytesReceived;
  });
  counter('proxy_client_request_log_lines_lost_total', 'Lines of the request log that could not be written.', () => {
    return requestLog.lost;
  });
  new Gauge({
    name: 'proxy_client_connections_active',
    help: 'Client connections that are open and carried a proxied request.',
    registers,
    collect() {
      this.set(stats.snapshot().activeConnections);
    },
  });
  new Counter({
    name: 'proxy_client_requests_total',
    help: 'Proxied requests that have ended, by outcome.',
    labelNames: ['outcome'],
    registers,
    collect() {
      const { successfulRequests, failedRequests, rejectedRequests } = stats.snapshot();
      this.reset();
      this.inc({ outcome: 'success' }, successfulRequests);
      this.inc({ outcome: 'failure' }, failedRequests);
      this.inc({ outcome: 'rejected' }, rejectedRequests);
    },
  });
  new Counter({
    name: 'proxy_client_socks5_errors_total',
    help: 'Failures of the SOCKS5 upstream, by category.',
    labelNames: ['category'],
    registers,
    collect() {
      this.reset();
      for (const [category, count] of Object.entries(stats.snapshot().socks5Errors)) this.inc({ category }, count);
    },
  });
  new Counter({
    name: 'proxy_client_user_requests_total',
    help: 'Proxied requests that have ended, by user and outcome.',
    labelNames: ['user', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { name: user, successfulRequests, failedRequests } of stats.snapshot().users) {
        this.inc({ user, outcome: 'success' }, successfulRequests);
        this.inc({ user, outcome: 'failure' }, failedRequests);
      }
    },
  });
  new Counter({
    name: 'proxy_client_user_bytes_total',
    help: 'Bytes that the clients of a user sent to the proxy, and that they got from it.',
    labelNames: ['user', 'direction'],
    registers,
    collect() {
      this.reset();
      for (const { name: user, bytesSent, bytesReceived } of stats.snapshot().users) {
        this.inc({ user, direction: 'sent' }, bytesSent);
        this.inc({ user, direction: 'received' }, bytesReceived);
      }
    },
  });
}
