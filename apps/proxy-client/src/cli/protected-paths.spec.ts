import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBelow, protectedPaths, UnprotectedFileError } from './protected-paths.js';

describe('protectedPaths', () => {
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

  it('protects a file of the directory, and the directory below it that contains a deeper one', () => {
    const files = [file('project/proxy.yaml'), file('project/conf/deep/key.pem'), file('project/conf/cert.pem')];
    expect(protectedPaths(files, [writable])).toEqual([join(writable, 'proxy.yaml'), join(writable, 'conf')]);
  });

  it('protects nothing outside of the writable directories, and no file that does not exist', () => {
    const outside = file('elsewhere/proxy.yaml');
    // A directory of another name is not below the first one.
    mkdirSync(join(root, 'project-2'));
    const similar = file('project-2/proxy.yaml');
    expect(protectedPaths([outside, similar, join(writable, 'missing.yaml')], [writable])).toEqual([]);
  });

  it('protects a file in each of two directories that contain one another', () => {
    const deep = file('project/conf/deep/key.pem');
    expect(protectedPaths([deep], [writable, join(writable, 'conf')])).toEqual([
      join(writable, 'conf'),
      join(writable, 'conf', 'deep'),
    ]);
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
      expect(() => protectedPaths([path], [writable])).toThrow(UnprotectedFileError);
    }
  });

  it('follows a link outside that leads to a file inside', () => {
    symlinkSync(file('project/proxy.yaml'), join(root, 'elsewhere/link.yaml'));
    expect(protectedPaths([join(root, 'elsewhere/link.yaml')], [writable])).toEqual([join(writable, 'proxy.yaml')]);
  });

  it('refuses a hard link, which has another name outside of the protection', () => {
    linkSync(file('elsewhere/proxy.yaml'), join(writable, 'hard.yaml'));
    expect(() => protectedPaths([join(writable, 'hard.yaml')], [writable])).toThrow(/is a hard link/);
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
