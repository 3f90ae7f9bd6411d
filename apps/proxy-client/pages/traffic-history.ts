import type { Stats } from './api.ts';

/** The number of seconds shown. */
export const SPAN = 300;
/** The longest interval between two samples, in seconds, across which a rate is meaningful. */
const MAX_INTERVAL = 5;

/** Samples of the traffic, one per second; null where a value is unknown. */
export interface Samples {
  /** Seconds since the epoch. */
  readonly times: readonly number[];
  readonly received: readonly (number | null)[];
  readonly sent: readonly (number | null)[];
  readonly open: readonly (number | null)[];
  readonly answered: readonly (number | null)[];
  readonly failed: readonly (number | null)[];
}

type Counters = Pick<
  Stats,
  'start_time' | 'bytes_received' | 'bytes_sent' | 'active_connections' | 'successful_requests' | 'failed_requests'
>;

interface Sample {
  readonly time: number;
  readonly counters: Counters;
}

/** Derives rates from counters that only increase. */
export class TrafficHistory {
  #last: Sample | undefined;
  #points: readonly (readonly (number | null)[])[] = [];

  /** Adds a sample. @param time - seconds since the epoch, ascending */
  add(time: number, counters: Counters): Samples {
    const last = this.#last;
    this.#last = { time, counters };
    const isKnown =
      last !== undefined && time - last.time <= MAX_INTERVAL && last.counters.start_time === counters.start_time;
    const between = (name: 'bytes_received' | 'bytes_sent' | 'successful_requests' | 'failed_requests') =>
      isKnown ? Math.max(0, counters[name] - last.counters[name]) / Math.max(0.1, time - last.time) : null;
    const point = [
      time,
      between('bytes_received'),
      between('bytes_sent'),
      counters.active_connections,
      between('successful_requests'),
      between('failed_requests'),
    ];
    const gap = last !== undefined && !isKnown ? [[(last.time + time) / 2, null, null, null, null, null]] : [];
    this.#points = [...this.#points, ...gap, point].filter(([at]) => (at ?? 0) >= time - SPAN - 1);
    return this.samples;
  }

  get samples(): Samples {
    const column = (index: number) => this.#points.map((point) => point[index] ?? null);
    return {
      times: this.#points.map(([time]) => time ?? 0),
      received: column(1),
      sent: column(2),
      open: column(3),
      answered: column(4),
      failed: column(5),
    };
  }
}

/** Returns the last value. */
export function latest(values: readonly (number | null)[]): number | null {
  return values.at(-1) ?? null;
}
