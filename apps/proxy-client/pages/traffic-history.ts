import type { Stats } from './api.ts';

/** The number of seconds shown. */
export const SPAN = 300;
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

/** Derives rates from counters that only increase. */
export class TrafficHistory {
  #last: { readonly time: number; readonly counters: Counters } | undefined;
  #samples: readonly Sample[] = [];

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
