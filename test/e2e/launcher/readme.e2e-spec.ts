import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.js';

const MARK = '=== end of block';

/** The commands of the README, in order. */
function blocksOf(readme: string): string[] {
  return [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** A clone of the last commit, with the packages that are installed here: their installation is what CI begins with. */
function clone(): string {
  const parent = mkdtempSync(join(tmpdir(), 'readme-'));
  const folder = join(parent, 'clone');
  execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${process.cwd()}`, folder]);
  const modules = join(process.cwd(), 'node_modules');
  const { status } = spawnSync('cp', ['-al', modules, join(folder, 'node_modules')], { stdio: 'ignore' });
  if (status !== 0) execFileSync('cp', ['-a', modules, folder]);
  return parent;
}

describe('the commands of the README', () => {
  let parent: string;
  let outputs: string[] = [];
  let errors = '';
  beforeAll(async () => {
    parent = clone();
    const folder = join(parent, 'clone');
    // Other programs may use the usual ports of this machine.
    const [api, proxy, admin] = [await freePort(), await freePort(), await freePort()];
    const environment = `LEDGER_API_PORT=${api} PROXY_LISTEN_PORT=${proxy} PROXY_ADMIN_PORT=${admin}`;
    const blocks = blocksOf(readFileSync(join(folder, 'README.md'), 'utf8')).map((block) =>
      block
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${api}`)
        .replaceAll(/(127\.0\.0\.1:|port: )8080/g, `$1${proxy}`)
        .replaceAll(/^npm start/gm, `${environment} npm start`),
    );
    // Job control as in a terminal. `wait` returns the exit code of the job that was ended.
    const trap = `trap '[ "$BASH_COMMAND" = wait ] || echo "failed: $BASH_COMMAND" >&2' ERR`;
    const script = ['set -m', trap, ...blocks.map((block) => `${block}echo '${MARK}'`)].join('\n');
    writeFileSync(join(parent, 'blocks.sh'), script);
    const { stdout, stderr } = spawnSync('bash', [join(parent, 'blocks.sh')], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: parent, npm_config_update_notifier: 'false', npm_config_offline: 'true' },
    });
    outputs = stdout.split(`${MARK}\n`);
    errors = stderr;
  });
  afterAll(() => {
    rmSync(parent, { recursive: true, force: true });
  });

  it('all succeed, pasted in order into one terminal on a fresh clone', () => {
    expect(errors.split('\n').filter((line) => line.startsWith('failed: '))).toEqual([]);
    expect(outputs.at(-1)).toBe('');
  });

  it.each([
    ['start both programs', '"status"'],
    ['create an asset, change its owner and read its history', '"owner":"Ben"'],
    ['prove a transaction', 'PROVEN'],
    ['verify the ledger', 'Nothing is wrong.'],
    ['send a request through the proxy', '"status"'],
    ['start the proxy alone, with a configuration', '"status"'],
    ['explain which way a request takes', 'reject'],
    ['install the packages', 'proxy-client'],
  ])('%s', (title, text) => {
    const order = ['start both', 'create', 'prove', 'verify', 'send', 'start the proxy', 'explain', 'install'];
    expect(outputs[order.findIndex((start) => title.startsWith(start))]).toContain(text);
  });
});
