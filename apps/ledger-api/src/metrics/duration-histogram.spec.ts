import { Histogram, Registry } from 'prom-client';
import { DurationHistogram } from './duration-histogram.js';

const OPTIONS = { name: 'd_seconds', help: 'Durations.', bounds: [0.01, 0.1, 1] };
const OBSERVED = [0, 0.009, 0.01, 0.0100001, 0.5, 1, 1.5, 100];

describe('DurationHistogram', () => {
  it("shows what prom-client's own histogram shows", async () => {
    const [registry, reference] = [new Registry(), new Registry()];
    const ours = new DurationHistogram(OPTIONS, registry);
    const theirs = new Histogram({
      name: OPTIONS.name,
      help: OPTIONS.help,
      buckets: [...OPTIONS.bounds],
      labelNames: ['route', 'status'],
      registers: [reference],
    });
    for (const status of ['200', '404']) {
      const labels = { route: '/a"\\b', status };
      const observe = ours.series(labels);
      for (const seconds of OBSERVED) {
        observe(seconds);
        theirs.observe(labels, seconds);
      }
    }
    const lines = async (from: Registry) =>
      (await from.metrics()).split('\n').map((line) => line.replace(/\{le="([^"]+)",(.*)\}/, '{$2,le="$1"}'));
    expect((await lines(registry)).sort()).toEqual((await lines(reference)).sort());
  });

  it('shows nothing but its head before there is a series', async () => {
    const registry = new Registry();
    new DurationHistogram(OPTIONS, registry);
    expect(await registry.metrics()).toBe('# HELP d_seconds Durations.\n# TYPE d_seconds histogram\n');
  });
});
