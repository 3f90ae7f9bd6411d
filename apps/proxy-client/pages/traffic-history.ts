import type { Stats } from './api.ts';

/** The number of seconds shown. */
export const SPAN = 300;
/** The longest interval between two samples, in seconds, across which a rate is meaningful. */
const MAX_INTERVAL = 5;

type Curve = 'received' | 'sent' | 'open' | 'answered' | 'failed';

/** Samples of the traffic, one per second: times in seconds since the epoch, and values, null where unknown. */
export type Samples = { readonly times: readonly number[] } & Readonly<Record<Curve, readonly (number | null)[]>>;

type Counters = Pick<
  Stats,
  'start_time' | 'bytes_received' | 'bytes_sent' | 'active_connections' | 'successful_requests' | 'failed_requests'
>;

/** Derives rates from counters that only increase. */
export class TrafficHistory {
  #last: { readonly time: number; readonly counters: Counters } | undefined;
  #points: readonly ({ readonly time: number } & Partial<Record<Curve, number | null>>)[] = [];

  /** Adds a sample. @param time - seconds since the epoch, ascending */
  add(time: number, counters: Counters): Samples {
    const last = this.#last;
    this.#last = { time, counters };
    const isKnown =
      last !== undefined && time - last.time <= MAX_INTERVAL && last.counters.start_time === counters.start_time;
    const rate = (name: 'bytes_received' | 'bytes_sent' | 'successful_requests' | 'failed_requests') =>
      isKnown ? Math.max(0, counters[name] - last.counters[name]) / Math.max(0.1, time - last.time) : null;
    const point = {
      time,
      received: rate('bytes_received'),
      sent: rate('bytes_sent'),
      open: counters.active_connections,
      answered: rate('successful_requests'),
      failed: rate('failed_requests'),
    };
    const gap = last !== undefined && !isKnown ? [{ time: (last.time + time) / 2 }] : [];
    this.#points = [...this.#points, ...gap, point].filter(({ time: at }) => at >= time - SPAN - 1);
    return this.samples;
  }

  get samples(): Samples {
    const times = this.#points.map(({ time }) => time);
    const values = (curve: Curve) => this.#points.map((point) => point[curve] ?? null);
    return {
      times,
      received: values('received'),
      sent: values('sent'),
      open: values('open'),
      answered: values('answered'),
      failed: values('failed'),
    };
  }
}
