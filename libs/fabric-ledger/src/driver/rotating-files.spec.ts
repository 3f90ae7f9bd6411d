import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { LedgerLogger } from '#ledger-gateway';
import { RotatingFiles } from './rotating-files.js';

describe('files that may be replaced', () => {
  let directory: string;
  let now: number;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'rotating-'));
    now = Date.now();
    logged = [];
    jest.spyOn(Date, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(directory, { recursive: true });
  });
  /** Messages of the log, with the reason of a warning. */
  let logged: string[];
  const logger: LedgerLogger = {
    info: (_, message) => logged.push(message),
    warn: (facts, message) => logged.push(`${message}: ${(facts as { err: Error }).err.message}`),
    error: (_, message) => logged.push(message),
  };
  const what = 'identity';
  const path = (name: string): string => join(directory, name);

  it('return the new value when they are checked again, and report it', async () => {
    writeFileSync(path('a'), 'one');
    const files = await RotatingFiles.open({
      paths: [path('a')],
      parse: ([texts]) => texts?.join(''),
      what,
      logger,
    });
    writeFileSync(path('a'), 'another');
    expect(await files.current()).toBe('one');
    now += 1000;
    expect(await files.current()).toBe('another');
    now += 1000;
    expect(await files.current()).toBe('another');
    expect(logged).toEqual(['the identity was replaced on disk; the new one is used from now on']);
  });

  it('keep the earlier value while the new one cannot be used, and log the reason once', async () => {
    writeFileSync(path('a'), 'good');
    const files = await RotatingFiles.open({
      paths: [path('a')],
      parse: ([[text = ''] = []]) => {
        if (!text.startsWith('good')) throw new Error(`cannot use ${text}`);
        return text;
      },
      what,
      logger,
    });
    writeFileSync(path('a'), 'half');
    for (let looks = 0; looks < 3; looks++) {
      now += 1000;
      expect(await files.current()).toBe('good');
    }
    expect(logged).toEqual([expect.stringMatching(/ by one that is unusable; .*: cannot use half$/)]);
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
    const files = await RotatingFiles.open({
      paths: [path('keystore')],
      parse: ([texts = []]) => [...texts].sort(),
      what,
    });
    expect(await files.current()).toEqual(['old']);
    writeFileSync(path('keystore/new'), 'new');
    now += 1000;
    expect(await files.current()).toEqual(['new', 'old']);
  });

  it('name the one that cannot be read', async () => {
    const opened = RotatingFiles.open({ paths: [path('none')], parse: () => undefined, what });
    await expect(opened).rejects.toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
    await expect(opened).rejects.toThrow(path('none'));
  });

  it('refuse a named pipe, which could be read once only', async () => {
    execFileSync('mkfifo', [path('pipe')]);
    const opened = RotatingFiles.open({ paths: [path('pipe')], parse: () => undefined, what });
    await expect(opened).rejects.toThrow('cannot be read: not a regular file.');
  });
});
