import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileLock } from '#files';
import { addCaller } from './caller-list.js';
import { changeCallers, formatCallers, readCallers, versionOf } from './callers-file.js';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'callers-file-'));
  file = join(directory, 'data', 'callers.json');
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const add = (name: string, path = file) =>
  changeCallers(path, (callers) => addCaller(callers, { name, role: 'reader', withKey: true }));
const namesIn = async (path = file) => (await readCallers(path)).callers?.map(({ name }) => name);

describe('changeCallers', () => {
  it('makes file and directory for their owner only, whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      await add('alice');
    } finally {
      process.umask(umask);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'data')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(directory, 'data')).sort()).toEqual(['callers.json', 'callers.json.lock']);
  });

  it('loses none of many changes at once', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `caller-${index}`);
    await Promise.all(names.map((name) => add(name)));
    expect((await namesIn())?.sort()).toEqual(names.sort());
  });

  it('waits while another process changes it', async () => {
    mkdirSync(join(directory, 'data'));
    const lock = FileLock.acquire(`${file}.lock`)!;
    let isDone = false;
    const added = add('alice').then(() => (isDone = true));
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    lock.release();
    await added;
    expect(await namesIn()).toEqual(['alice']);
  });

  it('leaves the file as it is when the change is refused, or it cannot be read', async () => {
    await add('alice');
    const before = readFileSync(file, 'utf8');
    await expect(add('alice')).rejects.toThrow('alice is already a caller');
    expect(readFileSync(file, 'utf8')).toBe(before);
    truncateSync(file, 40);
    await expect(add('bob')).rejects.toThrow('it is not valid JSON');
    expect(statSync(file).size).toBe(40);
  });

  it('follows a link to where the file is', async () => {
    await add('alice');
    const link = join(directory, 'link.json');
    symlinkSync(file, link);
    await add('bob', link);
    expect(await namesIn()).toEqual(['alice', 'bob']);
    expect(await namesIn(link)).toEqual(['alice', 'bob']);
  });
});

describe('readCallers', () => {
  it('returns undefined if there is none', async () => {
    expect(await readCallers(file)).toEqual({ callers: undefined, version: '' });
    expect(await versionOf(file)).toBe('');
    writeFileSync(join(directory, 'data'), '');
    expect(await readCallers(file)).toEqual({ callers: undefined, version: '' });
  });

  it('detects each change, also one of the same size', async () => {
    await add('alice');
    const versions = [await versionOf(file)];
    expect((await readCallers(file)).version).toBe(versions[0]);
    const text = readFileSync(file, 'utf8');
    for (const name of ['alicf', 'alicg']) {
      rmSync(file);
      writeFileSync(file, text.replace('alice', name), { mode: 0o600 });
      versions.push(await versionOf(file));
    }
    expect(new Set(versions).size).toBe(3);
  });

  it('warns of a file that others can read, and refuses one that others can write', async () => {
    await add('alice');
    chmodSync(file, 0o644);
    expect(await readCallers(file)).toMatchObject({
      callers: [{ name: 'alice' }],
      warning: expect.stringContaining('chmod 600') as unknown,
    });
    for (const mode of [0o620, 0o602, 0o666]) {
      chmodSync(file, mode);
      await expect(readCallers(file)).rejects.toThrow('other users of this machine can write it');
    }
  });

  it('refuses at once what is no file', async () => {
    mkdirSync(file, { recursive: true });
    await expect(readCallers(file)).rejects.toThrow(`The callers in ${file} cannot be used`);
    const pipe = join(directory, 'pipe');
    expect(spawnSync('mkfifo', ['-m', '600', pipe]).status).toBe(0);
    await expect(readCallers(pipe)).rejects.toThrow('it is not a file');
    symlinkSync('/dev/zero', join(directory, 'zero'));
    await expect(readCallers(join(directory, 'zero'))).rejects.toThrow('it is not a file');
  });

  it('reads 10,000 callers, and refuses a file that is far larger', async () => {
    const key = { sha256: '0'.repeat(64), made: '2026-11-22T00:00:00.000Z' };
    const entry = (index: number) => ({
      name: `caller-${index}`,
      role: 'writer' as const,
      added: key.made,
      keys: [{ ...key, id: String(index).padStart(8, '0') }],
    });
    mkdirSync(join(directory, 'data'));
    writeFileSync(file, formatCallers(Array.from({ length: 10_000 }, (_, index) => entry(index))), { mode: 0o600 });
    expect((await readCallers(file)).callers).toHaveLength(10_000);
    await add('one-more');
    expect((await readCallers(file)).callers).toHaveLength(10_001);
    truncateSync(file, 33 * 1024 * 1024);
    await expect(readCallers(file)).rejects.toThrow('larger than');
  });
});
