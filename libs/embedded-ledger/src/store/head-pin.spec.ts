import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HeadPin, readPin } from './head-pin.js';

const hash = (digit: string) => digit.repeat(64);

describe('HeadPin', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'pin-'));
    path = join(directory, 'head.pin');
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  const headOf = (number: number) => ({ number, hash: hash(String(number % 10)) });
  const write = (first: number, ...others: number[]) => {
    const pin = new HeadPin(path, headOf(first));
    for (const number of others) pin.write(headOf(number));
    pin.close();
  };

  it('is missing without a file, and damaged when no line of it is complete', () => {
    expect(readPin(path)).toBe('missing');
    writeFileSync(path, '');
    expect(readPin(path)).toBe('damaged');
  });

  it('returns the newest entry, over several openings', () => {
    write(0);
    expect(readPin(path)).toEqual({ number: 0, hash: hash('0') });
    write(1, 2, 3);
    expect(readPin(path)).toEqual({ number: 3, hash: hash('3') });
    write(9_007_199_254_740_991);
    expect(readPin(path)).toMatchObject({ number: 9_007_199_254_740_991 });
  });

  it('has its full length from the start, so that no later line depends on a new length', () => {
    write(7);
    const { size } = statSync(path);
    write(7, 8, 9);
    expect(statSync(path).size).toBe(size);
  });

  it('falls back on the one before when a crash cut the newest line at any byte', () => {
    write(6, 7);
    const whole = readFileSync(path);
    const line = whole.length / 2;
    for (let cut = 0; cut < line; cut++) {
      writeFileSync(path, Buffer.concat([whole.subarray(0, line), whole.subarray(line, line + cut)]));
      expect(readPin(path)).toEqual({ number: 6, hash: hash('6') });
    }
  });

  it('believes no altered byte', () => {
    write(6, 7);
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at++) {
      const altered = Buffer.from(whole);
      altered[at] = (altered[at] ?? 0) ^ 0x01;
      writeFileSync(path, altered);
      expect(readPin(path)).toMatchObject({ number: at < whole.length / 2 ? 7 : 6 });
    }
  });
});
