import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { FileSink, StreamSink, type LogSink } from './log-sink.js';

const directory = mkdtempSync(join(tmpdir(), 'log-sink-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Returns the number of lines that the sink lost. */
const written = async (sink: LogSink, text: string) =>
  new Promise<number>((resolve) => {
    sink.write(text, resolve);
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

describe('FileSink', () => {
  it('writes lines', async () => {
    const file = join(directory, 'log');
    const fd = openSync(file, 'a');
    const sink = new FileSink(fd);
    expect(await written(sink, 'a\nä\n')).toBe(0);
    sink.writeNow('c\n');
    closeSync(fd);
    expect(readFileSync(file, 'utf8')).toBe('a\nä\nc\n');
    sink.writeNow('on a descriptor that is closed\n');
  });

  it('returns the number of lines that a full device refused', async () => {
    const fd = openSync('/dev/full', 'w');
    expect(await written(new FileSink(fd), 'a\nb\n')).toBe(2);
    closeSync(fd);
  });

  it('retries without blocking while the pipe is full, and continues where it stopped', async () => {
    const { reader, writer } = pipe();
    const text = `${'x'.repeat(99)}\n`.repeat(3000);
    const result = written(new FileSink(writer), text);
    let read = '';
    while (read.length < text.length) read += await readSome(reader);
    expect([await result, read === text]).toEqual([0, true]);
    closeSync(reader);
    expect(await written(new FileSink(writer), 'a\n')).toBe(1);
    closeSync(writer);
  });

  it('starts a new line after a torn one', async () => {
    const { file, reader, writer } = pipe();
    const sink = new FileSink(writer);
    const result = written(sink, `${'x'.repeat(200_000)}\n`);
    const first = await readSome(reader);
    closeSync(reader);
    expect(await result).toBe(1);
    const another = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    // Read during the write: the pipe may have been filled again before its reader was closed.
    const next = written(sink, 'b\n');
    let text = first;
    while (!text.endsWith('b\n')) text += await readSome(another);
    expect(await next).toBe(0);
    expect(text).toMatch(/^x+\nb\n$/);
    closeSync(another);
    closeSync(writer);
  });
});

describe('StreamSink', () => {
  it('writes lines', async () => {
    const stream = new PassThrough();
    const sink = new StreamSink(stream);
    expect(await written(sink, 'a\n')).toBe(0);
    sink.writeNow('b\n');
    expect(String(stream.read())).toBe('a\nb\n');
  });

  it('returns the number of lost lines and survives the error', async () => {
    const stream = new Writable({
      autoDestroy: false,
      write: (_chunk, _encoding, done) => {
        done(new Error('EPIPE'));
      },
    });
    expect(await written(new StreamSink(stream), 'a\nb\n')).toBe(2);
    expect(stream.listenerCount('error')).toBe(1);
    new StreamSink(stream);
    expect(stream.listenerCount('error')).toBe(1);
  });
});
