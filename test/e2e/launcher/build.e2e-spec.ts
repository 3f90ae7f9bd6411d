import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Stands for the compiler: notes that it was called, and ends with the code that stands in a file. */
const COMPILER = `
const { appendFileSync, readFileSync } = require('node:fs');
appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
process.exit(Number(readFileSync('code', 'utf8')));
`;

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'build-'));
  for (const folder of ['src', 'apps/one/src', 'libs', 'node_modules/typescript/bin']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  cpSync('src/build.mjs', join(root, 'src/build.mjs'));
  write('node_modules/typescript/bin/tsc', COMPILER);
  write('apps/one/src/main.ts', '');
  write('code', '0');
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

function write(file: string, text: string): void {
  writeFileSync(join(root, file), text);
}

/** Everything so far is older than what comes now, on file systems with coarse times too. */
function age(...files: readonly string[]): void {
  const time = new Date(Date.now() - 60_000);
  for (const file of files) utimesSync(join(root, file), time, time);
}

/** Runs the build and tells how it ended and how often the compiler was called by it. */
function build(...args: readonly string[]): { readonly status: number | null; readonly compiled: number } {
  rmSync(join(root, 'calls'), { force: true });
  const { status } = spawnSync(process.execPath, ['src/build.mjs', ...args], { cwd: root, encoding: 'utf8' });
  const calls = existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') : [];
  for (const call of calls) expect(call).toBe('-p tsconfig.build.json');
  return { status, compiled: calls.length };
}

describe('src/build.mjs', () => {
  const old = ['src', 'src/build.mjs', 'apps', 'apps/one', 'apps/one/src', 'apps/one/src/main.ts', 'libs'];

  it('compiles always, and with --if-stale only what has changed', () => {
    age(...old);
    expect(build('--if-stale')).toEqual({ status: 0, compiled: 1 });
    expect(build('--if-stale')).toEqual({ status: 0, compiled: 0 });
    expect(build()).toEqual({ status: 0, compiled: 1 });
  });

  it.each([
    [
      'a file was changed',
      () => {
        write('apps/one/src/main.ts', 'changed');
      },
    ],
    [
      'a file has come',
      () => {
        write('apps/one/src/new.ts', '');
      },
    ],
    [
      'a file has gone',
      () => {
        rmSync(join(root, 'apps/one/src/new.ts'));
      },
    ],
    [
      'a setting was changed',
      () => {
        write('package.json', '{}');
      },
    ],
  ])('compiles when %s', (_what, change) => {
    age('dist/.built', ...old);
    change();
    expect(build('--if-stale')).toEqual({ status: 0, compiled: 1 });
  });

  it('compiles again after it could not', () => {
    age('dist/.built', ...old);
    write('apps/one/src/main.ts', 'broken');
    write('code', '2');
    expect(build('--if-stale')).toEqual({ status: 2, compiled: 1 });
    write('code', '0');
    expect(build('--if-stale')).toEqual({ status: 0, compiled: 1 });
  });
});
