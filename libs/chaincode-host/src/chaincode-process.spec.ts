import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { removeLeftProcesses, socketPrefix } from './chaincode-process.js';

describe('removeLeftProcesses', () => {
  it('kills a process that a server has left, and no other one that has its number now', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'left-processes-'));
    const start = (argument: string) =>
      spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e6)', argument], { detached: true });
    const record = (pid: number | undefined) => {
      const directory = mkdtempSync(join(tmpdir(), socketPrefix(dataDir)));
      writeFileSync(join(directory, 'pid'), String(pid));
      return directory;
    };
    const other = start('of another program');
    const directories = [record(other.pid), record(undefined)];
    const left = start(directories[1] ?? '');
    writeFileSync(join(directories[1] ?? '', 'pid'), String(left.pid));
    await Promise.all([once(left, 'spawn'), once(other, 'spawn')]);
    removeLeftProcesses(dataDir);
    expect(await once(left, 'exit')).toEqual([null, 'SIGKILL']);
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
    expect(directories.some((directory) => existsSync(directory))).toBe(false);
    other.kill();
    await once(other, 'exit');
  });

  it('removes the directory of a process that has no group any more', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'left-processes-'));
    const directory = mkdtempSync(join(tmpdir(), socketPrefix(dataDir)));
    const member = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e6)', directory]);
    writeFileSync(join(directory, 'pid'), String(member.pid));
    try {
      removeLeftProcesses(dataDir);
      expect(existsSync(directory)).toBe(false);
    } finally {
      member.kill();
    }
  });

  (process.getuid?.() === 0 ? it : it.skip)('leaves the directories of other users', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'left-processes-'));
    const directory = mkdtempSync(join(tmpdir(), socketPrefix(dataDir)));
    chownSync(directory, 1, 1);
    removeLeftProcesses(dataDir);
    expect(existsSync(directory)).toBe(true);
    rmSync(directory, { recursive: true });
  });
});
