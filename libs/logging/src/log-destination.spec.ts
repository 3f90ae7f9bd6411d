import { jest } from '@jest/globals';
import { LogDestination } from './log-destination.js';
import type { LogSink } from './log-sink.js';

/** A sink that is told by the test how each write ended. */
function scripted() {
  const writes: string[] = [];
  let finish: ((lost: number) => void) | undefined;
  const sink: LogSink = {
    write: (text, done) => {
      writes.push(text);
      finish = done;
    },
    writeNow: (text) => writes.push(`now ${text}`),
  };
  return {
    sink,
    writes,
    end: (lost = 0) => {
      finish?.(lost);
    },
  };
}

function setUp(options: { readonly limit?: number; readonly retry?: number } = {}) {
  const script = scripted();
  const destination = new LogDestination(script.sink, options);
  destination.tellLosses((lines) => {
    destination.write(`lost ${lines}\n`);
  });
  return { ...script, destination };
}

describe('LogDestination', () => {
  it('writes one thing at a time; what comes meanwhile goes out together', () => {
    const { destination, writes, end } = setUp();
    for (const line of ['a\n', 'b\n', 'c\n']) destination.write(line);
    expect(writes).toEqual(['a\n']);
    end();
    end();
    destination.write('d\n');
    expect(writes).toEqual(['a\n', 'b\nc\n', 'd\n']);
    expect(destination.lost).toBe(0);
  });

  it('holds as much as it may while a reader stands still, and tells what was lost behind it', () => {
    const { destination, writes, end } = setUp({ limit: 8 });
    for (const line of ['a\n', 'bbb\n', 'ccc\n', 'ddd\n', 'e\n']) destination.write(line);
    expect(destination.lost).toBe(2);
    end();
    end();
    expect(writes).toEqual(['a\n', 'bbb\nccc\nlost 2\n']);
    destination.write('f\n');
    expect(writes.at(-1)).toBe('f\n');
  });

  it('tells a failure as soon as a line was written again', () => {
    const { destination, writes, end } = setUp();
    destination.write('a\n');
    end(1);
    expect(destination.lost).toBe(1);
    destination.write('b\n');
    end();
    expect(writes).toEqual(['a\n', 'b\n', 'lost 1\n']);
    end();
    destination.write('c\n');
    end();
    expect(writes).toHaveLength(4);
  });

  it('tells again what was told in vain, and does not count the telling', () => {
    const { destination, writes, end } = setUp();
    destination.write('a\n');
    end(1);
    destination.write('b\n');
    end();
    end(1);
    expect(destination.lost).toBe(1);
    destination.write('c\n');
    destination.write('d\n');
    end();
    expect(writes.slice(2)).toEqual(['lost 1\n', 'c\n', 'd\nlost 1\n']);
    end(2);
    expect(destination.lost).toBe(2);
  });

  it('tries by itself when nothing is logged any more', () => {
    jest.useFakeTimers();
    try {
      const { destination, writes, end } = setUp({ retry: 1000 });
      destination.write('a\n');
      end(1);
      jest.advanceTimersByTime(1000);
      end(1);
      jest.advanceTimersByTime(999);
      expect(writes).toEqual(['a\n', 'lost 1\n']);
      jest.advanceTimersByTime(1);
      end();
      jest.advanceTimersByTime(5000);
      expect(writes).toEqual(['a\n', 'lost 1\n', 'lost 1\n']);
      destination.write('b\n');
      end(1);
      destination.write('c\n');
      jest.advanceTimersByTime(1000);
      expect(writes.at(-1)).toBe('c\n');
    } finally {
      jest.useRealTimers();
    }
  });

  it('says nothing of losses where nobody asked for it', () => {
    const { sink, writes, end } = scripted();
    const destination = new LogDestination(sink);
    destination.write('a\n');
    end(1);
    destination.write('b\n');
    end();
    expect([writes, destination.lost]).toEqual([['a\n', 'b\n'], 1]);
  });

  it('has several lines lost together, and says so at once to whoever wants to know', () => {
    const script = scripted();
    const lost: number[] = [];
    const destination = new LogDestination(script.sink, { limit: 4, onLoss: (lines) => lost.push(lines) });
    destination.write('a\n');
    destination.write('b\nc\nd\n', 3);
    script.end(1);
    expect([lost, destination.lost]).toEqual([[3, 1], 4]);
  });

  it('goes on when a loss is told elsewhere', () => {
    jest.useFakeTimers();
    try {
      const { sink, writes, end } = scripted();
      const destination = new LogDestination(sink, { retry: 1000 });
      const told: number[] = [];
      destination.tellLosses((lines) => told.push(lines));
      destination.write('a\n');
      end(1);
      jest.advanceTimersByTime(1000);
      expect(told).toEqual([1]);
      destination.write('b\n');
      end();
      expect([writes, told]).toEqual([['a\n', 'b\n'], [1]]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is flushed when all has gone, or when that takes too long', async () => {
    const { destination, end } = setUp();
    await destination.flush();
    destination.write('a\n');
    destination.write('b\n');
    const flushed = destination.flush(60_000);
    end();
    end();
    await flushed;
    destination.write('c\n');
    await destination.flush(1);
  });

  it('writes what waits at once when the program ends', () => {
    const { destination, writes } = setUp();
    destination.write('a\n');
    destination.flushSync();
    destination.write('b\n');
    destination.flushSync();
    expect(writes).toEqual(['a\n', 'now b\n']);
  });
});
