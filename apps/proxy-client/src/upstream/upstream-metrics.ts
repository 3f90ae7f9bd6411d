import type { Registry } from 'prom-client';
import type { UpstreamsSnapshot } from './upstreams.js';

/**
 * Shows how the servers and groups of the configuration do on a registry; they are looked at when it is scraped. Labels are names
 * of the configuration, so there are no more series than it has lines.
 */
export async function registerUpstreams(registry: Registry, read: () => UpstreamsSnapshot): Promise<void> {
  const { Counter, Gauge } = await import('prom-client');
  const registers = [registry];
  new Gauge({
    name: 'proxy_client_upstream_up',
    help: 'Whether an upstream let us in when it was last asked; absent until it was.',
    labelNames: ['upstream'],
    registers,
    collect() {
      this.reset();
      for (const { name, state } of read().servers) {
        if (state !== 'unknown') this.set({ upstream: name }, Number(state === 'up'));
      }
    },
  });
  new Gauge({
    name: 'proxy_client_upstream_latency_seconds',
    help: 'Time of TCP, greeting and authentication, as the checks of groups measure it, smoothed.',
    labelNames: ['upstream'],
    registers,
    collect() {
      this.reset();
      for (const { name, latency } of read().servers) {
        if (latency !== undefined) this.set({ upstream: name }, latency / 1000);
      }
    },
  });
  new Counter({
    name: 'proxy_client_upstream_connections_total',
    help: 'Connections to targets that were asked of an upstream, by outcome.',
    labelNames: ['upstream', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { name, opened, failed } of read().servers) {
        this.inc({ upstream: name, outcome: 'opened' }, opened);
        this.inc({ upstream: name, outcome: 'failed' }, failed);
      }
    },
  });
  new Counter({
    name: 'proxy_client_failovers_total',
    help: 'How often a request went on to another member of its group.',
    labelNames: ['group'],
    registers,
    collect() {
      this.reset();
      for (const { name, failovers } of read().groups) this.inc({ group: name }, failovers);
    },
  });
}
