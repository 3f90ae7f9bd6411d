import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.js';
import { call, LedgerApi } from '../../support/ledger-api.js';
import { Program } from '../../support/program.js';

const running: LedgerApi[] = [];
const directories: string[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map(async (api) => api.stop()));
  await Promise.all(directories.splice(0).map(async (directory) => rm(directory, { recursive: true, force: true })));
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<LedgerApi> {
  const api = await LedgerApi.start(env);
  running.push(api);
  return api;
}

async function directory(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'ledger-api-e2e-'));
  directories.push(made);
  return made;
}

/** Starts the program and returns how it ended. */
async function failingStart(env: Readonly<Record<string, string>>, cwd?: string, args: readonly string[] = []) {
  const program = new Program({
    main: 'apps/ledger-api/bundle/lib/ledger-api.js',
    env: { LEDGER_DATA_DIR: await directory(), LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0', ...env },
    ...(cwd === undefined ? {} : { cwd }),
    args,
  });
  return { ...(await program.ended), lines: program.stderr.trim().split('\n') };
}

describe('a start that cannot work', () => {
  it('names every invalid variable, in one line each', async () => {
    const bad = {
      LEDGER_API_PORT: 'http',
      LEDGER_API_HTTPS_PORT: '-1',
      LEDGER_API_HOST: 'not a host',
      LOG_LEVEL: 'verbose',
      LEDGER_DRIVER: 'bitcoin',
      LEDGER_CHANNEL: 'My Channel',
      LEDGER_CHAINCODE: 'no/slash',
      LEDGER_MSP_ID: 'Org 1',
      LEDGER_API_TLS_CERT: 'only-one.pem',
    };
    const { code, lines } = await failingStart(bad);
    expect(code).toBe(1);
    const named = Object.keys(bad).map((name) => lines.filter((line) => line.includes(name)).length);
    expect([lines.length, named]).toEqual([named.length, named.map(() => 1)]);
  });

  it('reads .env of the working directory, and the environment wins over it', async () => {
    const cwd = await directory();
    await writeFile(join(cwd, '.env'), 'LOG_LEVEL=from-file\nLEDGER_CHAINCODE=a/b\n');
    const { lines } = await failingStart({ LOG_LEVEL: 'warn' }, cwd);
    expect(lines).toEqual([expect.stringMatching(/^LEDGER_CHAINCODE = "a\/b"/)]);
  });

  it('names every folder that is no chaincode, and what to do', async () => {
    const folder = await directory();
    await writeFile(join(folder, 'package.json'), '{"dependencies":{"fabric-shim":"2.5.8"}}');
    const chaincodes = ['--chaincode', 'cars=/nowhere', '--chaincode', `tokens=${folder}`];
    const { code, lines } = await failingStart({ LEDGER_CHAINCODES: 'replaced=/nowhere' }, undefined, chaincodes);
    expect([code, lines.length]).toEqual([1, 1]);
    expect(lines[0]).toMatch(/LEDGER\.MISCONFIGURED.*"cars" .*no such folder.*"tokens" .*fabric-shim is not installed/);
  });

  it('names the port that another process has, before it makes a file', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    for (const name of ['LEDGER_API_PORT', 'LEDGER_API_HTTPS_PORT']) {
      const dataDir = join(await directory(), 'data');
      const { code, lines } = await failingStart({ LEDGER_DATA_DIR: dataDir, [name]: String(port) });
      expect(code).toBe(1);
      expect(existsSync(dataDir)).toBe(false);
      expect(lines).toEqual([expect.stringContaining(`127.0.0.1 port ${port}: another program uses the port`)]);
    }
    taken.close();
  });

  it('does not record the origin of a tree when the trust policy is invalid', async () => {
    const dataDir = await directory();
    const tree = { LEDGER_DATA_DIR: dataDir, LEDGER_TREE: 'on', LEDGER_TREE_ORIGIN: 'ledger.example.org/wrong' };
    const { code, lines } = await failingStart({ ...tree, LEDGER_WITNESS_POLICY: '/nowhere/policy' });
    expect({ code, lines }).toEqual({ code: 1, lines: [expect.stringContaining('LEDGER_WITNESS_POLICY')] });
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('names the certificate that cannot be read', async () => {
    const dataDir = join(await directory(), 'data');
    const files = { LEDGER_API_TLS_CERT: '/nowhere/c.pem', LEDGER_API_TLS_KEY: '/nowhere/k.pem' };
    const env = { LEDGER_DATA_DIR: dataDir, ...files };
    const { code, lines } = await failingStart({ ...env, LEDGER_API_HTTPS_PORT: String(await freePort()) });
    expect({ code, lines }).toEqual({
      code: 1,
      lines: [expect.stringMatching(/^LEDGER_API_TLS_CERT: \/nowhere\/c\.pem/)],
    });
    expect(existsSync(dataDir)).toBe(false);
  });

  it('reports that it cannot write the directory', async () => {
    const file = join(await directory(), 'file');
    await writeFile(file, '');
    await chmod(file, 0o600);
    const { code, lines } = await failingStart({ LEDGER_DATA_DIR: file });
    expect(code).toBe(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(file);
  });
});

describe('a server on all addresses without authentication', () => {
  it('warns, is not disturbed by another process in its directory, and leaves it to no other channel', async () => {
    const api = await start({ LEDGER_API_HOST: '0.0.0.0', LEDGER_AUTH: 'off' });
    await api.program.printed('without authentication');
    expect(api.program.stdout).toMatch(/"level":40.*without authentication/);
    const second = await failingStart({ LEDGER_DATA_DIR: api.dataDir });
    expect(second).toMatchObject({ code: 1, lines: [expect.stringContaining('LEDGER.MISCONFIGURED')] });
    const created = await call(api.origin.replace('0.0.0.0', '127.0.0.1'), 'POST', '/api/v1/ledger/init');
    expect(created.status).toBe(200);
    await api.program.end();
    const { lines } = await failingStart({ LEDGER_DATA_DIR: api.dataDir, LEDGER_CHANNEL: 'otherchannel' });
    expect(lines).toEqual([expect.stringContaining('channel')]);
  });
});

describe('listening beyond loopback', () => {
  it('ends with one line that names both ways out', async () => {
    const { code, lines } = await failingStart({ LEDGER_API_HOST: '0.0.0.0' });
    expect({ code, lines }).toEqual({ code: 1, lines: [expect.stringMatching(/LEDGER_AUTH=on.+LEDGER_AUTH=off/)] });
  });

  it('does not warn for IPv6 loopback, and writes its URL in brackets', async () => {
    const api = await start({ LEDGER_API_HOST: '::1' });
    expect(api.origin).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect(api.program.stdout).not.toMatch(/"level":40/);
  });
});
