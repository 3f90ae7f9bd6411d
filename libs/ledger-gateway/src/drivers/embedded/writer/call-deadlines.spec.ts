import { jest } from '@jest/globals';
import { CallDeadlines } from './call-deadlines.js';

describe('CallDeadlines', () => {
  let asked: number[][];
  let givenUp: number[];
  let deadlines: CallDeadlines;
  beforeEach(() => {
    jest.useFakeTimers({ now: 1_000_000 });
    asked = [];
    givenUp = [];
    deadlines = new CallDeadlines({
      withdraw: (tickets) => asked.push([...tickets]),
      giveUp: (ticket) => {
        givenUp.push(ticket);
        deadlines.forget(ticket);
      },
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const inMs = (ms: number) => ({ deadline: Date.now() + ms });

  it('asks for a write back at its deadline, and gives it up a second later', () => {
    deadlines.watch(1, inMs(100));
    jest.advanceTimersByTime(99);
    expect(asked).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(asked).toEqual([[1]]);
    jest.advanceTimersByTime(999);
    expect(givenUp).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(givenUp).toEqual([1]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('serves all with one timer, the earliest deadline first', () => {
    deadlines.watch(1, inMs(300));
    deadlines.watch(2, inMs(100));
    deadlines.watch(3, inMs(100));
    deadlines.watch(4, inMs(200));
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(300);
    expect(asked).toEqual([[2, 3], [4], [1]]);
  });

  it('leaves those alone that have ended', () => {
    deadlines.watch(1, inMs(100));
    deadlines.watch(2, inMs(100));
    deadlines.forget(1);
    deadlines.forget(1);
    jest.advanceTimersByTime(100);
    expect(asked).toEqual([[2]]);
    deadlines.forget(2);
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(5000);
    expect(givenUp).toEqual([]);
  });

  it('asks for a write back as soon as its caller gives up', () => {
    const stop = new AbortController();
    deadlines.watch(1, { signal: stop.signal });
    deadlines.watch(2, { signal: stop.signal, deadline: Date.now() + 50 });
    deadlines.forget(1);
    stop.abort();
    expect(asked).toEqual([[2]]);
    jest.advanceTimersByTime(1000);
    // Not asked for a second time at its deadline.
    expect(asked).toEqual([[2]]);
    expect(givenUp).toEqual([2]);
  });

  it('takes deadlines that no timer reaches', () => {
    deadlines.watch(1, { deadline: Infinity });
    deadlines.watch(2, { deadline: Date.now() + 2 ** 40 });
    jest.advanceTimersByTime(1000);
    expect(asked).toEqual([]);
    deadlines.forget(1);
    deadlines.forget(2);
  });
});
