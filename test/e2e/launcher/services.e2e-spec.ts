import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { getThroughProxy } from '../../support/get-through-proxy.js';
import { call } from '../../support/ledger-api.js';
import { Program } from '../../support/program.js';
import { until } from '../../support/until.js';

const LEDGER = 'docs/examples/15.ledger-as-a-service';
const ROTATION = 'docs/examples/14.proxy-as-a-service/proxy-client.logrotate';
const LEDGER_API = 'apps/ledger-api/bundle/lib/ledger-api.js';
const TOOL = resolve('dist/apps/ledger-api/bundle/lib/ledger-tool.js');

/** Systemd's own commands make users and directories below another root; only starting units needs a running systemd. */
const COMMANDS = ['systemd-sysusers', 'systemd-tmpfiles', 'systemd-analyze', 'setpriv', 'logrotate', 'find'];
const missing = COMMANDS.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
if (process.getuid?.() !== 0) missing.push('root');
const described = missing.length === 0 ? describe : describe.skip;

const root = mkdtempSync(join(tmpdir(), 'services-'));
const [dataDir, backups] = [join(root, 'var/lib/ledger-api'), join(root, 'var/backups/ledger-api')];
const running: Program[] = [];

afterAll(async () => {
  await Promise.all(running.map(async (program) => program.end('SIGKILL')));
  rmSync(root, { recursive: true });
});

/** A command line of a unit, with its paths below our root, and the `%` that systemd replaces. */
function commandsOf(unit: string, key: string): string[] {
  const lines = readFileSync(join(LEDGER, unit), 'utf8').matchAll(new RegExp(`^${key}=(.*)$`, 'gm'));
  return [...lines].map(([, line = '']) => line.replaceAll('%%', '%').replaceAll('/var/', `${root}/var/`));
}

described(`the files for systemd (need ${missing.join(', ') || 'what is here'})`, () => {
  let user: number;
  let asUser: string[];

  beforeAll(() => {
    chmodSync(root, 0o755);
    mkdirSync(join(root, 'etc'));
    execFileSync('systemd-sysusers', [`--root=${root}`, resolve(LEDGER, 'ledger-api.sysusers')], { stdio: 'ignore' });
    execFileSync('systemd-tmpfiles', ['--create', `--root=${root}`, resolve(LEDGER, 'ledger-api.tmpfiles')]);
    user = Number(/^ledger-api:x:(\d+):/m.exec(readFileSync(join(root, 'etc/passwd'), 'utf8'))?.[1]);
    asUser = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
    // As a package installs it.
    mkdirSync(join(root, 'bin'));
    writeFileSync(join(root, 'bin/ledger-tool'), `#!/bin/sh\nexec '${process.execPath}' '${TOOL}' "$@"\n`, {
      mode: 0o755,
    });
  });

  async function start(): Promise<string> {
    const env = { LEDGER_DATA_DIR: dataDir, LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0', LEDGER_AUTH: 'on' };
    const program = new Program({ main: LEDGER_API, env, under: asUser });
    running.push(program);
    return new URL((await program.ready())['http']!).origin;
  }

  /** Runs a command line as the user of the service. */
  function runAsUser(line: string): string {
    const [file, ...args] = [...asUser, 'sh', '-c', line];
    const env = { PATH: `${join(root, 'bin')}:/usr/local/bin:/usr/bin:/bin`, LEDGER_DATA_DIR: dataDir };
    return execFileSync(file, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
  }

  it('are accepted by systemd-analyze', () => {
    const units = globSync('docs/examples/1[45].*/*.{service,timer}');
    expect(units.length).toBeGreaterThanOrEqual(4);
    expect(spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it('make directories that only the user of the service can enter', () => {
    for (const directory of [dataDir, backups]) {
      const { mode, uid } = statSync(directory);
      expect([mode & 0o777, uid]).toEqual([0o700, user]);
    }
  });

  it('make the first key before the first start, a backup in use, and a ledger that is restored from it', async () => {
    const key = runAsUser('ledger-tool callers add ana --role admin --new').trim();
    const origin = await start();
    const headers = { 'x-api-key': key };
    const body = { id: 'kept', appraisedValue: '1', color: 'red', owner: 'Ana', size: '5' };
    expect(await call(origin, 'POST', '/api/v1/assets', { headers, body })).toMatchObject({ status: 201 });

    const old = join(backups, '2026-01-01T00-00-00Z');
    runAsUser(`mkdir ${old} && touch ${join(old, 'file')}`);
    utimesSync(old, 0, 0);
    const lines = ['ExecStart', 'ExecStartPost'].flatMap((name) => commandsOf('ledger-api-backup.service', name));
    expect(lines).toHaveLength(2);
    for (const line of lines) runAsUser(line);
    const [made = '', ...others] = readdirSync(backups);
    expect([made, others]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/), []]);

    await running[0]!.end();
    renameSync(dataDir, `${dataDir}.broken`);
    cpSync(join(backups, made), dataDir, { recursive: true, preserveTimestamps: true });
    execFileSync('chown', ['-R', `${user}:${user}`, dataDir]);
    const restored = await call(await start(), 'GET', '/api/v1/assets/kept', { headers });
    expect(restored).toMatchObject({ status: 200, json: { data: { owner: 'Ana' } } });
    runAsUser('ledger-tool verify');
  });
});

described(`the rotation of the request log (needs ${missing.join(', ') || 'what is here'})`, () => {
  it('moves the log away, and the program continues in a new one', async () => {
    const log = join(root, 'requests.log');
    const config = join(root, 'proxy-client.yaml');
    writeFileSync(config, `listen: { port: 0 }\nupstream: embedded\nlog: { requests: ${log} }\n`);
    const program = new Program({ main: 'apps/proxy-client/bundle/lib/proxy-client.js', args: ['--config', config] });
    running.push(program);
    const { proxy = '' } = await program.ready();
    const send = async (path: string) => getThroughProxy(proxy, `http://127.0.0.1:1/${path}`);
    const has = (file: string, path: string) => existsSync(file) && readFileSync(file, 'utf8').includes(`/${path}`);

    await send('first');
    await until(() => has(log, 'first'));
    const rules = readFileSync(ROTATION, 'utf8')
      .replaceAll('/var/log/proxy-client/requests.log', log)
      .replaceAll('systemctl reload proxy-client', `kill -HUP ${program.process.pid!}`);
    writeFileSync(join(root, 'rotation'), rules);
    chmodSync(join(root, 'rotation'), 0o644);
    execFileSync('logrotate', ['--force', '--state', join(root, 'state'), join(root, 'rotation')]);
    await until(async () => {
      await send('second');
      return has(log, 'second');
    });
    expect(has(`${log}.1`, 'first')).toBe(true);
    expect(has(log, 'first')).toBe(false);
  });
});
