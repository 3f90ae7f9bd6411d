import type { HistorySample, Stats } from './api.ts';

/** The number of seconds shown at most, for which the proxy has samples. */
export const SPAN = 3600;
/** The longest interval between two samples, in seconds, across which a rate is meaningful. */
const MAX_INTERVAL = 5;

/** A sample of the traffic: its time in seconds since the epoch, and values, null or missing where unknown. */
export interface Sample {
  readonly time: number;
  readonly received?: number | null;
  readonly sent?: number | null;
  readonly open?: number;
  readonly answered?: number | null;
  readonly failed?: number | null;
}

type Counters = Pick<
  Stats,
  'start_time' | 'bytes_received' | 'bytes_sent' | 'active_connections' | 'successful_requests' | 'failed_requests'
>;

/** The samples of the last hour: those of the proxy, then rates that are derived from its counters while the page is open. */
export class TrafficHistory {
  #last: { readonly time: number; readonly counters: Counters } | undefined;
  #samples: readonly Sample[] = [];

  /** Adds the proxy's samples, which replace those of the same time. @returns all */
  fill(samples: readonly HistorySample[]): readonly Sample[] {
    const [first, last] = [samples[0], samples.at(-1)];
    if (first === undefined || last === undefined) return this.#samples;
    const start = secondsOf(first) - first.ms / 1000;
    const older = this.#samples.filter(({ time }) => time < start);
    const newer = this.#samples.filter(({ time }) => time > secondsOf(last));
    const gap = older.length > 0 ? [{ time: start }] : [];
    this.#samples = [...older, ...gap, ...samples.map(sampleOf), ...newer];
    return this.#samples;
  }

  /** Adds a sample, and returns all. @param time - seconds since the epoch, ascending */
  add(time: number, counters: Counters): readonly Sample[] {
    const last = this.#last;
    this.#last = { time, counters };
    const isKnown =
      last !== undefined && time - last.time <= MAX_INTERVAL && last.counters.start_time === counters.start_time;
    const rate = (name: 'bytes_received' | 'bytes_sent' | 'successful_requests' | 'failed_requests') =>
      isKnown ? Math.max(0, counters[name] - last.counters[name]) / Math.max(0.1, time - last.time) : null;
    const sample = {
      time,
      received: rate('bytes_received'),
      sent: rate('bytes_sent'),
      open: counters.active_connections,
      answered: rate('successful_requests'),
      failed: rate('failed_requests'),
    };
    const gap = last !== undefined && !isKnown ? [{ time: (last.time + time) / 2 }] : [];
    this.#samples = [...this.#samples, ...gap, sample].filter(({ time: at }) => at >= time - SPAN - 1);
    return this.#samples;
  }
}

function secondsOf({ at }: HistorySample): number {
  return Date.parse(at) / 1000;
}

function sampleOf(sample: HistorySample): Sample {
  const rate = (amount: number): number | null => (sample.ms > 0 ? (amount * 1000) / sample.ms : null);
  return {
    time: secondsOf(sample),
    received: rate(sample.bytes_received),
    sent: rate(sample.bytes_sent),
    open: sample.active_connections,
    answered: rate(sample.successful_requests),
    failed: rate(sample.failed_requests),
  };
}
