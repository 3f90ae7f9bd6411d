import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileLock } from './file-lock.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'file-lock-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Returns whether another process can lock the file. */
function isFree(path: string): boolean {
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    const file = new DatabaseSync(${JSON.stringify(path)});
    file.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  `;
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  if (status !== 0) expect(stderr).toContain('database is locked');
  return status === 0;
}

it('is held by one owner in a process, whose lock a second attempt does not release', () => {
  const path = join(directory, 'lock.db');
  const lock = FileLock.acquire(path)!;
  const link = join(directory, 'link.db');
  symlinkSync(path, link);
  expect([FileLock.acquire(path), FileLock.acquire(link)]).toEqual([undefined, undefined]);
  expect(isFree(path)).toBe(false);
  lock.release();
  expect(isFree(path)).toBe(true);
  FileLock.acquire(path)!.release();
});
