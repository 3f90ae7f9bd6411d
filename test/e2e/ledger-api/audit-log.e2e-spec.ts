import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { freePort } from '../../support/free-port.js';

const PAGE = readFileSync('docs/audit-log.md', 'utf8');
const EXAMPLES = 'docs/examples/18.audit-log';

let home: string;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'audit-log-'));
  // What an installation of the package provides.
  const bin = join(home, 'bin');
  const installed = join(home, 'node_modules/ledger-api');
  for (const folder of [bin, installed]) mkdirSync(folder, { recursive: true });
  for (const name of ['ledger-api', 'ledger-tool']) {
    const main = resolve(`dist/apps/ledger-api/bundle/lib/${name}.js`);
    writeFileSync(join(bin, name), `#!/bin/sh\nexec node ${main} "$@"\n`, { mode: 0o755 });
  }
  const exports = { './embedded': './library/index.js' };
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'ledger-api', type: 'module', exports }));
  symlinkSync(resolve('dist/apps/ledger-api/library'), join(installed, 'library'));
  cpSync(join(EXAMPLES, 'append.mjs'), join(home, 'append.mjs'));
  env = {
    PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    LEDGER_API_PORT: String(await freePort()),
    LEDGER_API_HTTPS_PORT: '0',
  };
});
afterAll(() => {
  rmSync(home, { recursive: true });
});

describe('docs/audit-log.md', () => {
  it('shows the example as it is', () => {
    expect(PAGE).toContain(readFileSync(join(EXAMPLES, 'append.mjs'), 'utf8'));
    for (const [, path = ''] of PAGE.matchAll(/\]\((?!http)([^)#]+)/g)) {
      expect(() => readFileSync(join('docs', path))).not.toThrow();
    }
  });

  it('has commands that work as printed, in one folder that is empty at first', () => {
    const blocks = [...PAGE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
    expect(blocks).toHaveLength(5);
    const script = blocks.map((block) => `${block}echo "=== $?"\n`).join('');
    const port = env['LEDGER_API_PORT'] ?? '';
    const { stdout, stderr } = spawnSync('bash', ['-c', script.replaceAll(':3000', `:${port}`)], {
      cwd: home,
      env,
      encoding: 'utf8',
    });
    const parts = stdout.split(/=== .*\n/);
    expect([...stdout.matchAll(/=== (.*)/g)].map(([, code]) => code).slice(0, 4)).toEqual(['0', '0', '0', '0']);
    expect(parts[0]).toBe('1 lines: 1 appended, 0 refused.\n');
    expect(parts[1]).not.toContain('DAMAGED');
    expect(parts[2]).toContain("document: { ok: true, user: 'ana' }");
    for (const part of [parts[3], parts[4]])
      expect(part).toMatch(/PROVEN, if you trust the roots: transaction [0-9a-f]{64}/);
    expect(parts[4]).toContain('bob');
    expect(stderr).not.toMatch(/error/i);
  });
});
