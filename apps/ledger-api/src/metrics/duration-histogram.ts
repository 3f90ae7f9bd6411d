import type { Metric, Registry } from 'prom-client';

export type Labels = Readonly<Record<string, string>>;

/** Counts durations in seconds for one set of labels. */
class Series {
  readonly labels: Labels;
  readonly #bounds: readonly number[];
  /** How many fell into each bucket, the one without bound last. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (seconds > (this.#bounds[bucket] ?? Infinity)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += seconds;
  }

  /** Prometheus counts in each bucket all that are below its bound. */
  values(name: string): object[] {
    let count = 0;
    const buckets = [...this.#bounds, '+Inf'].map((le, bucket) => {
      count += this.#counts[bucket] ?? 0;
      return { metricName: `${name}_bucket`, labels: { ...this.labels, le }, value: count };
    });
    const { labels } = this;
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

export interface DurationHistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds in seconds, ascending. */
  readonly bounds: readonly number[];
}

/**
 * A histogram on a prom-client registry whose series are bound to their labels for good. prom-client's own looks labels
 * up by a text that it makes of them at each observation, also after `labels(…)`, which costs more than the rest of a
 * request's bookkeeping.
 */
export class DurationHistogram {
  readonly #options: DurationHistogramOptions;
  readonly #series: Series[] = [];

  constructor(options: DurationHistogramOptions, registry: Registry) {
    this.#options = options;
    const { name, help } = options;
    const metric = {
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      get: async () => Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: this.#values() }),
    };
    // What a registry uses of a metric; the type asks for one of prom-client's classes.
    registry.registerMetric(metric as unknown as Metric);
  }

  /** Starts the series of these labels; once for each set. */
  series(labels: Labels): (seconds: number) => void {
    const series = new Series(labels, this.#options.bounds);
    this.#series.push(series);
    return (seconds) => {
      series.observe(seconds);
    };
  }

  #values(): object[] {
    return this.#series.flatMap((series) => series.values(this.#options.name));
  }
}
