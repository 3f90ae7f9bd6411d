import { HistoryKeeper, latest, SPAN } from './history.js';

const counters = (bytes: number, more: object = {}) => ({
  start_time: '2026-01-31T08:30:00.000Z',
  bytes_received: bytes,
  bytes_sent: 2 * bytes,
  active_connections: 3,
  successful_requests: bytes / 10,
  failed_requests: 0,
  ...more,
});

describe('HistoryKeeper', () => {
  it('makes rates of what was counted, over the time that it really took', () => {
    const keeper = new HistoryKeeper();
    keeper.add(100, counters(0));
    keeper.add(101, counters(50));
    const history = keeper.add(103, counters(150));
    expect(history).toEqual({
      times: [100, 101, 103],
      received: [null, 50, 50],
      sent: [null, 100, 100],
      open: [3, 3, 3],
      answered: [null, 5, 5],
      failed: [null, 0, 0],
    });
    expect(latest(history.sent)).toBe(100);
  });

  it('breaks off where nobody was told, and where the counters began anew', () => {
    const keeper = new HistoryKeeper();
    keeper.add(100, counters(0));
    keeper.add(120, counters(5000));
    const history = keeper.add(121, counters(10, { start_time: '2026-01-31T09:00:00.000Z' }));
    expect(history.times).toEqual([100, 110, 120, 120.5, 121]);
    expect(history.received).toEqual([null, null, null, null, null]);
    expect(history.open).toEqual([3, null, 3, null, 3]);
  });

  it('forgets what is not shown any more', () => {
    const keeper = new HistoryKeeper();
    for (let time = 0; time <= 2 * SPAN; time++) keeper.add(time, counters(time));
    expect(keeper.history.times).toHaveLength(SPAN + 2);
    expect(latest(new HistoryKeeper().history.received)).toBeNull();
  });
});
