import type { Registry } from 'prom-client';

/** A log that drops lines instead of blocking. */
export interface LossyLog {
  /** Lines lost since the start. */
  readonly lost: number;
}

/**
 * Gauges of prom-client with the suffix of counters, which `promtool check metrics` refuses. They are the sums of
 * nodejs_active_resources, nodejs_active_handles and nodejs_active_requests over their types.
 */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];

/**
 * Creates a Prometheus registry with the process's own metrics (memory, CPU, event loop, garbage collection).
 * Loads prom-client on the first call, so that a program without metrics does not pay for it.
 */
export async function createMetricsRegistry(log?: LossyLog): Promise<Registry> {
  const { Counter, Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
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
