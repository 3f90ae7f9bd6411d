import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { BodyLines, failLines, type BodyLine, type LineLimits } from './body-lines.js';

const SLOWNESS = { idle: 60_000, lineTime: 60_000, rateTime: 60_000, rateBytes: 0 };
const LIMITS: LineLimits = { line: 20, batchLines: 3, batchBytes: 30, ...SLOWNESS };

const shown = (batch: readonly BodyLine[]): string =>
  batch.map(({ number, bytes }) => `${number}:${bytes?.toString() ?? 'too long'}`).join(' ');

/** Reads a body that arrives in pieces, and returns its complete batches. */
async function batchesOf(body: string, sizes: readonly number[] = [body.length], limits = LIMITS): Promise<string[]> {
  const stream = new PassThrough();
  const lines = new BodyLines(stream, limits);
  const bytes = Buffer.from(body);
  const batches: string[] = [];
  let at = 0;
  let piece = 0;
  for (;;) {
    for (let batch = lines.take(false); batch !== undefined; batch = lines.take(false)) batches.push(shown(batch));
    if (lines.isFinished) return batches;
    if (at < bytes.length) {
      const size = Math.max(1, sizes[piece++ % sizes.length] ?? 1);
      stream.write(bytes.subarray(at, at + size));
      at += size;
    } else if (!stream.writableEnded) {
      stream.end();
    }
    await turn();
  }
}

/** Writes to a body, and waits until it is read. */
async function write(stream: PassThrough, lines: BodyLines, text: string): Promise<void> {
  const changed = lines.changed();
  stream.write(text);
  await changed;
}

describe('BodyLines', () => {
  it('makes batches of lines, the last of which needs no line feed', async () => {
    expect(await batchesOf('a\nb\nc\nd\n\nf')).toEqual(['1:a 2:b 3:c', '4:d 5: 6:f']);
    expect(await batchesOf('a\nb\n')).toEqual(['1:a 2:b']);
    expect(await batchesOf('')).toEqual([]);
  });

  it('ends a batch before the line that would exceed its bytes', async () => {
    const long = 'x'.repeat(16);
    expect(await batchesOf(`${long}\n${long}\nb\nc\n`)).toEqual([`1:${long}`, `2:${long} 3:b 4:c`]);
  });

  it('reports a line that is too long, and reads on', async () => {
    expect(await batchesOf(`${'x'.repeat(21)}\nb`)).toEqual(['1:too long 2:b']);
    expect(await batchesOf(`${'x'.repeat(20)}\nb`)).toEqual([`1:${'x'.repeat(20)} 2:b`]);
  });

  it('makes the same batches however the body arrives', async () => {
    const line = fc.string({ maxLength: 24 }).map((text) => text.replaceAll('\n', ''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        async (all, sizes) => {
          const body = all.map((text) => `${text}\n`).join('');
          expect(await batchesOf(body, sizes)).toEqual(await batchesOf(body));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('returns the lines that wait if an incomplete batch is allowed', async () => {
    const stream = new PassThrough();
    const lines = new BodyLines(stream, LIMITS);
    await write(stream, lines, 'a\nb\nc');
    expect(lines.take(false)).toBeUndefined();
    expect(shown(lines.take(true) ?? [])).toBe('1:a 2:b');
    expect(lines.take(true)).toBeUndefined();
  });

  it('reads no further than a batch until it is taken', async () => {
    const stream = new PassThrough();
    const lines = new BodyLines(stream, LIMITS);
    await write(stream, lines, 'a\nb\nc\n');
    expect(stream.isPaused()).toBe(true);
    lines.take(false);
    expect(stream.isPaused()).toBe(false);
  });

  it('fails when the body does, and when nothing arrives in time', async () => {
    const cut = new PassThrough();
    const lines = new BodyLines(cut, LIMITS);
    await write(cut, lines, 'a\nb\nc\n');
    const failing = lines.changed();
    cut.destroy(new Error('aborted'));
    await failing;
    expect(lines.failure).toMatchObject({ message: 'aborted' });
    expect(lines.take(true)).toBeUndefined();

    const slow = new BodyLines(new PassThrough(), { ...LIMITS, idle: 1 });
    await slow.changedInTime();
    expect(slow.failure).toMatchObject({ message: 'Lines are late.' });
  });

  it('defect: waited for ever if the time was over at the first look', async () => {
    const late = new BodyLines(new PassThrough(), { ...LIMITS, idle: 0 });
    await late.changedInTime();
    expect(late.failure).toMatchObject({ message: 'Lines are late.' });
  });

  describe('with a clock of the test', () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    });
    afterEach(() => {
      jest.useRealTimers();
    });
    const timeout = { message: 'Lines are late.' };

    it('defect: a line that drips never ends; it has a time from its first byte', async () => {
      const stream = new PassThrough();
      const lines = new BodyLines(stream, { ...LIMITS, idle: 200, lineTime: 1000 });
      const changed = lines.changedInTime();
      jest.advanceTimersByTime(190);
      for (let piece = 0; piece < 10; piece += 1) {
        stream.write('x');
        await turn();
        expect(lines.failure).toBeUndefined();
        jest.advanceTimersByTime(100);
      }
      await changed;
      expect(lines.failure).toMatchObject(timeout);
    });

    it.each([
      ['fails', 10, true],
      ['continues', 25, false],
    ])('%s when %i bytes arrive in each tenth of the time for 200', async (_what, bytes, isLate) => {
      const stream = new PassThrough();
      const lines = new BodyLines(stream, { ...LIMITS, rateTime: 1000, rateBytes: 200 });
      const isLateNow = (): boolean => lines.failure !== undefined;
      for (let period = 0; period < 30 && !isLateNow(); period += 1) {
        const changed = lines.changedInTime();
        jest.advanceTimersByTime(100);
        // The time in which a batch is processed does not count.
        if (!isLateNow()) stream.write(`${'x'.repeat(bytes - 1)}\n`);
        await changed;
        jest.advanceTimersByTime(500);
        lines.take(true);
      }
      if (isLate) expect(lines.failure).toMatchObject(timeout);
      else expect(lines.failure).toBeUndefined();
    });
  });

  it('does not fail while bytes arrive, although they complete no line yet', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      const stream = new PassThrough();
      const lines = new BodyLines(stream, { ...LIMITS, idle: 200 });
      const changed = lines.changedInTime();
      for (let piece = 0; piece < 5; piece += 1) {
        jest.advanceTimersByTime(150);
        stream.write('x');
        await turn();
      }
      expect(lines.failure).toBeUndefined();
      jest.advanceTimersByTime(200);
      await changed;
      expect(lines.failure).toMatchObject({ message: 'Lines are late.' });
    } finally {
      jest.useRealTimers();
    }
  });

  it('is ended by its server when the rest is malformed, unless it was closed', () => {
    const stream = new PassThrough();
    const malformed = new Error('malformed');
    expect(failLines(stream, malformed)).toBe(false);
    const lines = new BodyLines(stream, LIMITS);
    expect(failLines(stream, malformed)).toBe(true);
    expect(lines.failure).toBe(malformed);
    lines.close();
    expect(failLines(stream, malformed)).toBe(false);
  });

  it('drops the rest of a body after it was closed', async () => {
    const stream = new PassThrough();
    const lines = new BodyLines(stream, LIMITS);
    lines.close();
    stream.end('a\nb\nc\n'.repeat(10_000));
    await new Promise((resolve) => stream.once('end', resolve));
    expect(lines.take(true)).toBeUndefined();
  });
});
