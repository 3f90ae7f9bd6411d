import type { Stats } from './api.ts';

/** So many seconds are shown. */
export const SPAN = 300;
/** After so many seconds without a word the curves break off: nobody knows what was in between. */
const GAP = 5;

/** What was, second by second; null where it is not known. */
export interface History {
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

/** Makes rates out of counters that only grow. */
export class HistoryKeeper {
  #last: Sample | undefined;
  #points: readonly (readonly (number | null)[])[] = [];

  /** @param time - seconds since the epoch, later than before */
  add(time: number, counters: Counters): History {
    const last = this.#last;
    this.#last = { time, counters };
    const isKnown = last !== undefined && time - last.time <= GAP && last.counters.start_time === counters.start_time;
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
    return this.history;
  }

  get history(): History {
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

/** The last that is known. */
export function latest(values: readonly (number | null)[]): number | null {
  return values.at(-1) ?? null;
}
