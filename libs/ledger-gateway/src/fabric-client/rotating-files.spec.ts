import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { RotatingFiles } from './rotating-files.js';

describe('files that may be replaced', () => {
  let directory: string;
  let now: number;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'rotating-'));
    now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(directory, { recursive: true });
  });
  const path = (name: string): string => join(directory, name);

  it('return the new value when they are checked again, and report it', async () => {
    writeFileSync(path('a'), 'one');
    const told: (Error | undefined)[] = [];
    const files = await RotatingFiles.open({
      paths: [path('a')],
      parse: ([texts]) => texts?.join(''),
      onChange: (fault) => told.push(fault),
    });
    writeFileSync(path('a'), 'another');
    expect(await files.current()).toBe('one');
    now += 1000;
    expect(await files.current()).toBe('another');
    now += 1000;
    expect(await files.current()).toBe('another');
    expect(told).toEqual([undefined]);
  });

  it('keep the earlier value while the new one cannot be used, and say why once', async () => {
    writeFileSync(path('a'), 'good');
    const told: (Error | undefined)[] = [];
    const files = await RotatingFiles.open({
      paths: [path('a')],
      parse: ([[text = ''] = []]) => {
        if (!text.startsWith('good')) throw new Error(`cannot use ${text}`);
        return text;
      },
      onChange: (fault) => told.push(fault),
    });
    writeFileSync(path('a'), 'half');
    for (let looks = 0; looks < 3; looks++) {
      now += 1000;
      expect(await files.current()).toBe('good');
    }
    expect(told.map((fault) => fault?.message)).toEqual(['cannot use half']);
    rmSync(path('a'));
    now += 1000;
    expect(await files.current()).toBe('good');
    writeFileSync(path('a'), 'good again');
    now += 1000;
    expect(await files.current()).toBe('good again');
  });

  it('are every file of a directory, the newest first, without what lies in it as a directory', async () => {
    mkdirSync(path('keystore/..data'), { recursive: true });
    writeFileSync(path('keystore/old'), 'old');
    const files = await RotatingFiles.open({ paths: [path('keystore')], parse: ([texts = []]) => [...texts].sort() });
    expect(await files.current()).toEqual(['old']);
    writeFileSync(path('keystore/new'), 'new');
    now += 1000;
    expect(await files.current()).toEqual(['new', 'old']);
  });

  it('name the one that cannot be read', async () => {
    const opened = RotatingFiles.open({ paths: [path('none')], parse: () => undefined });
    await expect(opened).rejects.toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
    await expect(opened).rejects.toThrow(path('none'));
  });
});
