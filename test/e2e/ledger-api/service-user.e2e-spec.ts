import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, chmodSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { call } from '../../support/ledger-api.js';
import { Program } from '../../support/program.js';

/** As of the user that a package creates. */
const USER = 10_001;
const AS_USER = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
const TOOL = join(process.cwd(), 'dist/apps/ledger-api/bundle/lib/ledger-tool.js');
const UNIT = readFileSync('docs/examples/15.ledger-as-a-service/ledger-api.service', 'utf8');

/** Another user must be able to read the programs. */
function worksAsUser(): boolean {
  if (process.getuid?.() !== 0) return false;
  return spawnSync(AS_USER[0]!, [...AS_USER.slice(1), process.execPath, TOOL, '--help']).status === 0;
}

const asRoot = worksAsUser() ? it : it.skip;

describe('the service of the systemd unit (needs root and setpriv)', () => {
  let root: string;
  let dataDir: string;
  let program: Program | undefined;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'service-'));
    chmodSync(root, 0o755);
    // As StateDirectory= with StateDirectoryMode=0700 and User= makes it.
    dataDir = join(root, 'ledger-api');
    mkdirSync(dataDir, { mode: 0o700 });
    chownSync(dataDir, USER, USER);
  });
  afterEach(async () => {
    await program?.end('SIGKILL');
    rmSync(root, { recursive: true });
  });

  async function start(): Promise<string> {
    program = new Program({
      main: 'apps/ledger-api/bundle/lib/ledger-api.js',
      env: { LEDGER_DATA_DIR: dataDir, LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0', LEDGER_AUTH: 'on' },
      under: AS_USER,
    });
    return new URL((await program.ready())['http']!).origin;
  }
  const addAs = (user: readonly string[], name: string, ...more: readonly string[]): string => {
    const args = [TOOL, 'callers', 'add', name, '--role', 'admin', '--data-dir', dataDir, ...more];
    const [file = '', ...rest] = [...user, process.execPath, ...args];
    return execFileSync(file, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  };
  const me = (origin: string, key: string) =>
    call(origin, 'GET', '/api/v1/callers/me', { headers: { 'x-api-key': key } });

  /** Returns the files that belong to another user. */
  const othersIn = (directory: string): string[] =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
      (name) => statSync(join(directory, name)).uid !== USER,
    );

  it('has a fixed user, whose processes can enter its directory', () => {
    expect(UNIT).toMatch(/^User=ledger-api$/m);
    expect(UNIT).not.toMatch(/^DynamicUser=/m);
    expect(UNIT).toContain('runuser -u ledger-api -- ledger-tool callers add');
    expect(UNIT).toMatch(/^# Before the first start, .* add --new\.$/m);
  });

  asRoot('accepts a key that was made before its first start by --new, and none without it', async () => {
    expect(() => addAs(AS_USER, 'ana')).toThrow(/exit|Command failed/);
    const key = addAs(AS_USER, 'ana', '--new');
    expect(await me(await start(), key)).toMatchObject({ status: 200, json: { data: { name: 'ana' } } });
  });

  asRoot.each([
    ['its own user', AS_USER],
    ['root', []],
  ])('accepts the first key that %s has made, and starts afterwards', async (_who, user) => {
    await start();
    const key = addAs(user, 'ana');
    await program!.end();
    const origin = await start();
    expect(await me(origin, key)).toMatchObject({ status: 200, json: { data: { name: 'ana', role: 'admin' } } });
    expect(othersIn(dataDir)).toEqual([]);
  });

  asRoot('starts after root has rebuilt its ledger, or imported one', async () => {
    await start();
    await program!.end();
    const tool = (...args: readonly string[]) => execFileSync(process.execPath, [TOOL, ...args], { stdio: 'pipe' });
    tool('rebuild', '--data-dir', dataDir);
    expect(othersIn(dataDir)).toEqual([]);
    await start();
    await program!.end();

    const [exported, backup] = [join(dataDir, 'exported'), join(dataDir, 'backup')];
    tool('export', exported, '--data-dir', dataDir);
    tool('backup', backup, '--data-dir', dataDir);
    expect(othersIn(dataDir)).toEqual([]);
    const imported = join(root, 'imported');
    mkdirSync(imported, { mode: 0o700 });
    chownSync(imported, USER, USER);
    tool('import', exported, '--data-dir', imported);
    expect(othersIn(imported)).toEqual([]);
    for (const copy of [imported, backup]) {
      dataDir = copy;
      await start();
      await program!.end();
    }
  });
});
