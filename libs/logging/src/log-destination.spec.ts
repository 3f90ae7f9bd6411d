import { jest } from '@jest/globals';
import { LogDestination } from './log-destination.js';
import type { LogSink } from './log-sink.js';

/** A sink whose writes the test completes. */
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
  destination.reportLosses((lines) => {
    destination.write(`lost ${lines}\n`);
  });
  return { ...script, destination };
}

describe('LogDestination', () => {
  it('writes one batch at a time and collects later lines into the next one', () => {
    const { destination, writes, end } = setUp();
    for (const line of ['a\n', 'b\n', 'c\n']) destination.write(line);
    expect(writes).toEqual(['a\n']);
    end();
    end();
    destination.write('d\n');
    expect(writes).toEqual(['a\n', 'b\nc\n', 'd\n']);
    expect(destination.lost).toBe(0);
  });

  it('buffers up to its limit while a reader is stalled, then reports the dropped lines', () => {
    const { destination, writes, end } = setUp({ limit: 8 });
    for (const line of ['a\n', 'bbb\n', 'ccc\n', 'ddd\n', 'e\n']) destination.write(line);
    expect(destination.lost).toBe(2);
    end();
    end();
    expect(writes).toEqual(['a\n', 'bbb\nccc\nlost 2\n']);
    destination.write('f\n');
    expect(writes.at(-1)).toBe('f\n');
  });

  it('reports a failure as soon as a line is written again', () => {
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

  it('repeats a report that was lost itself, and does not count it as a lost line', () => {
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

  it('retries the report while nothing else is logged', () => {
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

  it('reports no losses without a reporter', () => {
    const { sink, writes, end } = scripted();
    const destination = new LogDestination(sink);
    destination.write('a\n');
    end(1);
    destination.write('b\n');
    end();
    expect([writes, destination.lost]).toEqual([['a\n', 'b\n'], 1]);
  });

  it('calls onLoss at once with the number of lines of a lost batch', () => {
    const script = scripted();
    const lost: number[] = [];
    const destination = new LogDestination(script.sink, { limit: 4, onLoss: (lines) => lost.push(lines) });
    destination.write('a\n');
    destination.write('b\nc\nd\n', 3);
    script.end(1);
    expect([lost, destination.lost]).toEqual([[3, 1], 4]);
  });

  it('continues when the loss is reported elsewhere', () => {
    jest.useFakeTimers();
    try {
      const { sink, writes, end } = scripted();
      const destination = new LogDestination(sink, { retry: 1000 });
      const told: number[] = [];
      destination.reportLosses((lines) => told.push(lines));
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

  it('resolves flush when everything is written or the timeout has passed', async () => {
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

  it('writes the buffer synchronously when the program exits', () => {
    const { destination, writes } = setUp();
    destination.write('a\n');
    destination.flushSync();
    destination.write('b\n');
    destination.flushSync();
    expect(writes).toEqual(['a\n', 'now b\n']);
  });
});
