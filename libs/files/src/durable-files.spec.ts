import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDirectory, replaceFileDurably, writeFileDurably } from './durable-files.js';

describe('durable files', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'files-'));
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });
  const modeOf = (path: string) => statSync(path).mode & 0o777;

  it('are replaced atomically, accessible by the owner only, and leave no other file', () => {
    const file = join(home, 'file');
    writeFileSync(file, 'a longer content before', { mode: 0o644 });
    writeFileDurably(file, 'after');
    expect(readFileSync(file, 'utf8')).toBe('after');
    expect(modeOf(file)).toBe(0o600);
    writeFileDurably(file, Buffer.alloc(3_000_000, 1), 0o644);
    expect(statSync(file).size).toBe(3_000_000);
    expect(modeOf(file)).toBe(0o644);
    expect(readdirSync(home)).toEqual(['file']);
  });

  it('keep their content when the new one cannot be written', () => {
    writeFileDurably(join(home, 'file'), 'before');
    expect(() => {
      writeFileDurably(join(home, 'file', 'below'), 'after');
    }).toThrow('ENOTDIR');
    expect(readFileSync(join(home, 'file'), 'utf8')).toBe('before');
  });

  it('leave no staged file when they cannot be replaced', async () => {
    const taken = join(home, 'taken');
    makeDirectory(taken);
    expect(() => {
      writeFileDurably(taken, 'content');
    }).toThrow(expect.objectContaining({ code: 'EISDIR', path: taken }) as Error);
    await expect(replaceFileDurably(taken, 'content')).rejects.toMatchObject({ code: 'EISDIR', path: taken });
    expect(readdirSync(home)).toEqual(['taken']);
  });

  (existsSync('/proc/1') ? it : it.skip)(
    'say so where a file system takes no directory, and do not try for ever',
    () => {
      expect(() => {
        makeDirectory('/proc/1/here');
      }).toThrow('ENOENT');
    },
  );

  it('are created with all missing parent directories', () => {
    const inner = join(home, 'a', 'b', 'c');
    makeDirectory(inner);
    makeDirectory(inner);
    expect(['a', 'a/b', 'a/b/c'].map((path) => modeOf(join(home, path)))).toEqual([0o700, 0o700, 0o700]);
  });
});
