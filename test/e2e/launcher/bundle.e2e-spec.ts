import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LedgerApi } from '../../support/ledger-api.js';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';

type Environment = Readonly<Record<string, string>>;

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'bundle-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

async function stderrOfLedger(env: Environment): Promise<string> {
  const api = await LedgerApi.start(env);
  await api.stop();
  return api.program.stderr;
}

async function stderrOfProxy(env: Environment): Promise<string> {
  await using proxy = await ProxyProgram.start({}, env);
  await proxy.program.end('SIGTERM');
  return proxy.program.stderr;
}

describe.each([
  ['ledger-api', stderrOfLedger],
  ['proxy-client', stderrOfProxy],
])('the bundle of %s', (name, stderrOf) => {
  /** Where the program was when it said that it is ready: the stack of that call, by Node with the options. */
  async function stackAtReady(options: string): Promise<string> {
    const preload = `data:text/javascript,process.send=((send)=>function(...all){console.error(new Error('ready').stack);return send.apply(this,all)})(process.send)`;
    return stderrOf({ NODE_OPTIONS: `--import "${preload}" ${options}` });
  }

  it('is what main starts in a workspace that was built', async () => {
    expect(await stackAtReady('')).toMatch(new RegExp(` at announce \\(\\S*/dist/apps/${name}/bundle/lib/start-`));
  });

  it('has stack traces of the source', async () => {
    const source = readFileSync(`apps/${name}/src/start.ts`, 'utf8').split('\n');
    const line = source.findIndex((text) => text.includes('process.send?.(')) + 1;
    expect(await stackAtReady('--enable-source-maps')).toContain(`/apps/${name}/src/start.ts:${line}:`);
  });
});

describe.each(['ledger-api', 'proxy-client'])('main of %s', (name) => {
  const main = `dist/apps/${name}/src/main.js`;
  const modules = `dist/apps/${name}/src/${name}.js`;
  const bundle = `dist/apps/${name}/bundle/lib/${name}.js`;
  const changes = ['dist/.tsbuildinfo', 'package-lock.json'];
  const newest = 'dist/libs/newest-build/src/index.js';
  const seconds = Date.now() / 1000 - 60;

  beforeAll(() => {
    for (const path of [modules, bundle, ...changes]) write(path, `console.log('${path}');`);
    const imports = { '#newest-build': `./${newest}` };
    write('package.json', JSON.stringify({ type: 'module', imports }));
    for (const path of [main, newest]) cpSync(path, join(directory, path));
  });

  function write(path: string, text: string): void {
    mkdirSync(join(directory, dirname(path)), { recursive: true });
    writeFileSync(join(directory, path), text);
    age(path, 1);
  }

  /** Says of a file that it was written that many seconds after a moment of the past. */
  function age(path: string, after: number): void {
    utimesSync(join(directory, path), seconds + after, seconds + after);
  }

  function started(): string {
    return spawnSync(process.execPath, [join(directory, main)], { encoding: 'utf8' }).stdout.trim();
  }

  it('starts the bundle that is as new as what was compiled and installed', () => {
    expect(started()).toBe(bundle);
  });

  it.each(changes)('starts the modules when something was written behind it: %s', (change) => {
    age(change, 2);
    expect(started()).toBe(modules);
    age(change, 1);
  });

  it('starts the modules when there is no bundle', () => {
    rmSync(join(directory, bundle));
    expect(started()).toBe(modules);
  });
});

describe('the compiler', () => {
  it('notes each time that it has written a module, and only then', () => {
    const { compilerOptions } = JSON.parse(readFileSync('tsconfig.build.json', 'utf8')) as {
      compilerOptions: Readonly<Record<string, unknown>>;
    };
    expect(compilerOptions).toMatchObject({ incremental: true, tsBuildInfoFile: 'dist/.tsbuildinfo' });
    const options = { ...compilerOptions, rootDir: '.', types: [] };
    const at = (path: string): string => join(directory, 'compiled', path);
    mkdirSync(at('.'));
    writeFileSync(at('tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['one.ts', 'two.ts'] }));
    for (const module of ['one.ts', 'two.ts']) writeFileSync(at(module), 'export {};');
    const times = (): number[] => {
      const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', at('.')]);
      expect(status).toBe(0);
      const paths = ['dist/.tsbuildinfo', 'dist/one.js', 'dist/two.js'].map(at);
      const found = paths.map((path) => statSync(path).mtimeMs);
      for (const path of paths) utimesSync(path, seconds, seconds);
      return found.map((time) => Math.round(time - seconds * 1000));
    };
    const seconds = Math.round(Date.now() / 1000) - 60;
    times();
    expect(times()).toEqual([0, 0, 0]);
    writeFileSync(at('two.ts'), 'export const two = 2;');
    const [note, one, two] = times();
    expect(one).toBe(0);
    expect(Math.min(note!, two!)).toBeGreaterThan(0);
  });
});
