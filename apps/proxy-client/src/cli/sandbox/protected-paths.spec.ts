import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoriesToPin, isBelow, protectedFiles, UnprotectedFileError } from './protected-paths.js';

describe('protectedFiles', () => {
  let root: string;
  let writable: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'protected-')));
    writable = join(root, 'project');
    for (const folder of ['project/conf/deep', 'elsewhere']) mkdirSync(join(root, folder), { recursive: true });
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  function file(path: string): string {
    const whole = join(root, path);
    writeFileSync(whole, '');
    return whole;
  }

  it('returns the files that exist, once', () => {
    const files = [file('project/proxy.yaml'), file('elsewhere/key.pem')];
    expect(protectedFiles([...files, ...files, join(writable, 'missing.yaml')], [writable])).toEqual(files);
  });

  it('refuses a symbolic link that the command could replace, as a file, as a directory and behind another link', () => {
    const real = file('elsewhere/proxy.yaml');
    symlinkSync(real, join(writable, 'link.yaml'));
    symlinkSync(join(root, 'elsewhere'), join(writable, 'folder'));
    symlinkSync(join(writable, 'link.yaml'), join(root, 'elsewhere/indirect.yaml'));
    for (const path of [
      join(writable, 'link.yaml'),
      join(writable, 'folder/proxy.yaml'),
      join(root, 'elsewhere/indirect.yaml'),
    ]) {
      expect(() => protectedFiles([path], [writable])).toThrow(UnprotectedFileError);
    }
  });

  it('follows a link outside that leads to a file inside', () => {
    symlinkSync(file('project/proxy.yaml'), join(root, 'elsewhere/link.yaml'));
    expect(protectedFiles([join(root, 'elsewhere/link.yaml')], [writable])).toEqual([join(writable, 'proxy.yaml')]);
  });

  it('refuses a hard link, which has another name outside of the protection', () => {
    linkSync(file('elsewhere/proxy.yaml'), join(writable, 'hard.yaml'));
    expect(() => protectedFiles([join(writable, 'hard.yaml')], [writable])).toThrow(/is a hard link/);
  });
});

describe('directoriesToPin', () => {
  it('returns what lies between a directory and what is protected in it, parents first', () => {
    const paths = ['/project/a/b/file', '/project/a/c/file', '/project/file', '/other/file'];
    expect(directoriesToPin(paths, ['/project', '/project/a/c'])).toEqual(['/project/a', '/project/a/b']);
  });
});

describe('isBelow', () => {
  it.each([
    ['/a', '/a', true],
    ['/a/b', '/a', true],
    ['/ab', '/a', false],
    ['/a', '/a/b', false],
    ['/a', '/', true],
  ])('finds for %s and %s: %j', (path, directory, isInside) => {
    expect(isBelow(path, directory)).toBe(isInside);
  });
});
