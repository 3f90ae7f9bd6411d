import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogFile } from './log-destination.js';

const directory = mkdtempSync(join(tmpdir(), 'log-file-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

function nothingLost(lines: number): void {
  throw new Error(`${lines} lines were lost`);
}

describe('LogFile', () => {
  it('appends to an existing file that only its owner can read', async () => {
    const path = join(directory, 'log');
    for (const line of ['a\n', 'b\n']) {
      const file = await LogFile.open(path, nothingLost);
      file.write(line);
      await file.close();
    }
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['a\nb\n', 0o600]);
  });

  it('continues in a renamed file until it is closed', async () => {
    const [path, old] = [join(directory, 'now'), join(directory, 'old')];
    const file = await LogFile.open(path, nothingLost);
    renameSync(path, old);
    const next = await LogFile.open(path, nothingLost);
    file.write('a\n');
    next.write('b\n');
    file.writeNow('c\n');
    await Promise.all([file.close(), next.close()]);
    expect([readFileSync(old, 'utf8').split('\n').sort(), readFileSync(path, 'utf8')]).toEqual([['', 'a', 'c'], 'b\n']);
  });

  it('reports lost lines at once, including those written after close', async () => {
    let lost = 0;
    const file = await LogFile.open('/dev/full', (lines) => (lost += lines));
    file.write('a\nb\n', 2);
    await file.flush();
    expect([lost, file.lost]).toEqual([2, 2]);
    await file.close();
    file.write('c\n');
    await file.flush();
    file.writeNow('d\n');
    expect(lost).toBe(3);
  });

  it('drops what a stalled pipe has not accepted when it is closed', async () => {
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await expect(LogFile.open(pipe, nothingLost)).rejects.toMatchObject({ code: 'ENXIO' });
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const lost = Promise.withResolvers<number>();
    const file = await LogFile.open(pipe, lost.resolve);
    file.write(`${'x'.repeat(100_000)}\n`);
    await file.close();
    expect(await lost.promise).toBe(1);
    closeSync(reader);
  });
});
