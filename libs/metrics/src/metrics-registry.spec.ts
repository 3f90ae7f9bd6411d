import { Histogram } from 'prom-client';
import { createMetricsRegistry } from './metrics-registry.js';

describe('createMetricsRegistry', () => {
  it('contains the metrics of the process and accepts further ones', async () => {
    const registry = await createMetricsRegistry();
    new Histogram({ name: 'tried_seconds', help: 'A test.', registers: [registry] }).observe(1);
    const text = await registry.metrics();
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).toMatch(/^tried_seconds_count 1$/m);
  });

  it('exports the lost lines of a log', async () => {
    const registry = await createMetricsRegistry({ lost: 7 });
    await registry.metrics();
    expect(await registry.metrics()).toMatch(/^log_lines_lost_total 7$/m);
  });
});
