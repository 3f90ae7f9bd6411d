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
  for (const name of ['append.mjs', 'signed-export.mjs']) cpSync(join(EXAMPLES, name), join(home, name));
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
    expect(blocks).toHaveLength(8);
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
    // An auditor reads, is refused to write, and verifies.
    expect(parts[5]).toContain('"document":{"ok":true,"user":"ana"}');
    expect(parts[5]).toContain('"success":false');
    expect(parts[5]).toMatch(/requires the role \\"writer\\"/);
    expect(parts[5]).toMatch(/PROVEN, if you trust the roots/);
    expect(parts[7]).toMatch(/The first \d+ blocks are those that \S+ signed/);
    expect([...(parts[7] ?? '').matchAll(/PROVEN, if you trust the roots/g)]).toHaveLength(3);
    expect(stderr).not.toMatch(/error/i);
  });
});
