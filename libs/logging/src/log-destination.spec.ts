import { jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileOutput, LogDestination, streamOutput, type LogOutput } from './log-destination.js';

/** An output whose writes the test completes. */
function scripted() {
  const writes: string[] = [];
  let finish: ((isLost: boolean) => void) | undefined;
  const output: LogOutput = {
    write: (bytes, done) => {
      writes.push(Buffer.from(bytes).toString());
      finish = (isLost) => {
        done(isLost ? new Error('ENOSPC') : null, bytes.length);
      };
    },
    writeNow: (text) => writes.push(`now ${text}`),
  };
  return {
    output,
    writes,
    end: (lost = 0) => {
      finish?.(lost > 0);
    },
  };
}

function setUp(options: { readonly limit?: number } = {}) {
  const script = scripted();
  const destination = new LogDestination(script.output, options);
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
      const { destination, writes, end } = setUp();
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
    const { output, writes, end } = scripted();
    const destination = new LogDestination(output);
    destination.write('a\n');
    end(1);
    destination.write('b\n');
    end();
    expect([writes, destination.lost]).toEqual([['a\n', 'b\n'], 1]);
  });

  it('calls onLoss at once with the number of lines of a lost batch', () => {
    const script = scripted();
    const lost: number[] = [];
    const destination = new LogDestination(script.output, { limit: 4, onLoss: (lines) => lost.push(lines) });
    destination.write('a\n');
    destination.write('b\nc\nd\n', 3);
    script.end(1);
    expect([lost, destination.lost]).toEqual([[3, 1], 4]);
  });

  it('reports losses also when its buffer is full', () => {
    const { destination, writes, end } = setUp({ limit: 8 });
    for (const line of ['a\n', 'bbbbbb\n', 'c\n']) destination.write(line);
    end();
    end();
    expect([writes, destination.lost]).toEqual([['a\n', 'bbbbbb\nlost 1\n'], 1]);
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

const directory = mkdtempSync(join(tmpdir(), 'log-destination-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Creates a named pipe with two non-blocking ends. */
function pipe() {
  const file = join(mkdtempSync(join(directory, 'pipe-')), 'pipe');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return { file, reader, writer: openSync(file, constants.O_WRONLY | constants.O_NONBLOCK) };
}

/** Reads the pipe as soon as it has data. */
async function readSome(reader: number): Promise<string> {
  const buffer = Buffer.alloc(100_000);
  for (;;) {
    try {
      const length = readSync(reader, buffer);
      if (length > 0) return buffer.toString('utf8', 0, length);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('LogDestination with a file', () => {
  it('writes lines', async () => {
    const file = join(directory, 'log');
    const fd = openSync(file, 'a');
    const destination = new LogDestination(fileOutput(fd));
    destination.write('a\nä\n', 2);
    await destination.flush();
    destination.writeNow('c\n');
    closeSync(fd);
    expect([readFileSync(file, 'utf8'), destination.lost]).toEqual(['a\nä\nc\n', 0]);
    destination.writeNow('on a descriptor that is closed\n');
  });

  it('counts the lines that a full device refused', async () => {
    const fd = openSync('/dev/full', 'w');
    const destination = new LogDestination(fileOutput(fd));
    destination.write('a\nb\n', 2);
    await destination.flush();
    expect(destination.lost).toBe(2);
    closeSync(fd);
  });

  it('retries without blocking while the pipe is full, and continues where it stopped', async () => {
    const { reader, writer } = pipe();
    const destination = new LogDestination(fileOutput(writer));
    const text = `${'x'.repeat(99)}\n`.repeat(3000);
    destination.write(text, 3000);
    let read = '';
    while (read.length < text.length) read += await readSome(reader);
    await destination.flush();
    expect([destination.lost, read === text]).toEqual([0, true]);
    closeSync(reader);
    destination.write('a\n');
    await destination.flush();
    expect(destination.lost).toBe(1);
    closeSync(writer);
  });

  it('starts a new line after a torn one', async () => {
    const { file, reader, writer } = pipe();
    const destination = new LogDestination(fileOutput(writer));
    destination.write(`${'x'.repeat(200_000)}\n`);
    const first = await readSome(reader);
    closeSync(reader);
    await destination.flush();
    expect(destination.lost).toBe(1);
    const another = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    // Read during the write: the pipe may have been filled again before its reader was closed.
    destination.write('b\n');
    let text = first;
    while (!text.endsWith('b\n')) text += await readSome(another);
    await destination.flush();
    expect(destination.lost).toBe(1);
    expect(text).toMatch(/^x+\nb\n$/);
    closeSync(another);
    closeSync(writer);
  });
});

describe('LogDestination with a stream', () => {
  it('writes lines', async () => {
    const stream = new PassThrough();
    const destination = new LogDestination(streamOutput(stream));
    destination.write('a\n');
    await destination.flush();
    destination.writeNow('b\n');
    expect(String(stream.read())).toBe('a\nb\n');
  });

  it('counts the lost lines and survives the error', async () => {
    const stream = new Writable({
      autoDestroy: false,
      write: (_chunk, _encoding, done) => {
        done(new Error('EPIPE'));
      },
    });
    const destination = new LogDestination(streamOutput(stream));
    destination.write('a\nb\n', 2);
    await destination.flush();
    expect(destination.lost).toBe(2);
  });
});
