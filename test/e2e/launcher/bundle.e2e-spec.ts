import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LedgerApi } from '../../support/ledger-api.js';

const MAIN = 'dist/apps/ledger-api/src/main.js';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'bundle-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

describe('the bundle of ledger-api', () => {
  /** Where the program was when it said that it is ready: the stack of that call, by Node with the options. */
  async function stackAtReady(options: string): Promise<string> {
    const preload = `data:text/javascript,process.send=((send)=>function(...all){console.error(new Error('ready').stack);return send.apply(this,all)})(process.send)`;
    const api = await LedgerApi.start({ NODE_OPTIONS: `--import "${preload}" ${options}` });
    await api.stop();
    return api.program.stderr;
  }

  it('is what main starts in a workspace that was built', async () => {
    expect(await stackAtReady('')).toMatch(/ at announce \(\S*\/dist\/apps\/ledger-api\/bundle\/lib\/start-/);
  });

  it('has stack traces of the source', async () => {
    const source = readFileSync('apps/ledger-api/src/start.ts', 'utf8').split('\n');
    const line = source.findIndex((text) => text.includes('process.send?.(')) + 1;
    expect(await stackAtReady('--enable-source-maps')).toContain(`/apps/ledger-api/src/start.ts:${line}:`);
  });
});

describe('main', () => {
  const modules = ['dist/apps/ledger-api/src/ledger-api.js', 'dist/libs/one.js', 'package-lock.json'];
  const bundle = 'dist/apps/ledger-api/bundle/lib/ledger-api.js';
  const seconds = Date.now() / 1000 - 60;

  beforeAll(() => {
    for (const path of [...modules, bundle]) {
      mkdirSync(join(directory, dirname(path)), { recursive: true });
      writeFileSync(join(directory, path), `console.log('${path}');`);
      age(path, 1);
    }
    writeFileSync(join(directory, 'package.json'), '{"type": "module"}');
    cpSync(MAIN, join(directory, MAIN));
    age(MAIN, 1);
  });

  /** Says of a file that it was written that many seconds after a moment of the past. */
  function age(path: string, after: number): void {
    utimesSync(join(directory, path), seconds + after, seconds + after);
  }

  function started(): string {
    return spawnSync(process.execPath, [join(directory, MAIN)], { encoding: 'utf8' }).stdout.trim();
  }

  it('starts the bundle that is as new as its modules', () => {
    expect(started()).toBe(bundle);
  });

  it.each(modules)('starts the modules when one of them is newer: %s', (module) => {
    age(module, 2);
    expect(started()).toBe('dist/apps/ledger-api/src/ledger-api.js');
    age(module, 1);
  });

  it('starts the modules when there is no bundle', () => {
    rmSync(join(directory, bundle));
    expect(started()).toBe('dist/apps/ledger-api/src/ledger-api.js');
  });
});
