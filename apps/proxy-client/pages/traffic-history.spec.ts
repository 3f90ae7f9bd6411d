import { TrafficHistory, SPAN } from './traffic-history.js';

const counters = (bytes: number, more: object = {}) => ({
  start_time: '2026-01-31T08:30:00.000Z',
  bytes_received: bytes,
  bytes_sent: 2 * bytes,
  active_connections: 3,
  successful_requests: bytes / 10,
  failed_requests: 0,
  ...more,
});

describe('TrafficHistory', () => {
  it('derives rates over the measured interval', () => {
    const history = new TrafficHistory();
    history.add(100, counters(0));
    history.add(101, counters(50));
    const samples = history.add(103, counters(150));
    expect(samples).toEqual([
      { time: 100, received: null, sent: null, open: 3, answered: null, failed: null },
      { time: 101, received: 50, sent: 100, open: 3, answered: 5, failed: 0 },
      { time: 103, received: 50, sent: 100, open: 3, answered: 5, failed: 0 },
    ]);
  });

  it('has gaps after missed samples and after a restart', () => {
    const history = new TrafficHistory();
    history.add(100, counters(0));
    history.add(120, counters(5000));
    const samples = history.add(121, counters(10, { start_time: '2026-01-31T09:00:00.000Z' }));
    expect(samples.map(({ time }) => time)).toEqual([100, 110, 120, 120.5, 121]);
    expect(samples.map(({ received = null }) => received)).toEqual([null, null, null, null, null]);
    expect(samples.map(({ open = null }) => open)).toEqual([3, null, 3, null, 3]);
  });

  it('begins with the samples of the proxy', () => {
    const history = new TrafficHistory();
    const samples = [10, 20, 24].map((time, index) => ({
      ...{ at: new Date(time * 1000).toISOString(), ms: [10_000, 10_000, 4000][index]!, rejected_requests: 0 },
      ...{ bytes_sent: 100, bytes_received: 1000, active_connections: index },
      ...{ successful_requests: 20, failed_requests: 2 },
    }));
    history.add(24.5, counters(0));
    expect(history.fill(samples)).toEqual([
      { time: 10, received: 100, sent: 10, open: 0, answered: 2, failed: 0.2 },
      { time: 20, received: 100, sent: 10, open: 1, answered: 2, failed: 0.2 },
      { time: 24, received: 250, sent: 25, open: 2, answered: 5, failed: 0.5 },
      { time: 24.5, received: null, sent: null, open: 3, answered: null, failed: null },
    ]);
    expect(history.fill([])).toHaveLength(4);
  });

  it('keeps samples of before a restart, with a gap, and replaces those of the same time', () => {
    const history = new TrafficHistory();
    for (const time of [100, 101, 121, 122]) history.add(time, counters(time));
    const sample = {
      ...{ at: new Date(122_000).toISOString(), ms: 10_000, bytes_sent: 0, bytes_received: 0, active_connections: 0 },
      ...{ successful_requests: 0, failed_requests: 0, rejected_requests: 0 },
    };
    expect(history.fill([sample]).map(({ time, open = null }) => [time, open])).toEqual([
      ...[
        [100, 3],
        [101, 3],
        [111, null],
        [112, null],
        [122, 0],
      ],
    ]);
  });

  it('drops samples that are no longer shown', () => {
    const history = new TrafficHistory();
    for (let time = 0; time < 2 * SPAN; time++) history.add(time, counters(time));
    expect(history.add(2 * SPAN, counters(2 * SPAN))).toHaveLength(SPAN + 2);
  });
});
