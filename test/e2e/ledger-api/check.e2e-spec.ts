import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStandIn, type StandInSetting } from '../../../libs/fabric-ledger/src/testing/start-stand-in.js';
import { freePort } from '../../support/free-port.js';
import { LedgerApi } from '../../support/ledger-api.js';
import { hasOpenssl } from '../../support/openssl.js';
import { Program } from '../../support/program.js';
import { fabricEnv, gatewayEnv } from '../../support/stand-in-drivers.js';

type Environment = Readonly<Record<string, string>>;

const TREE = { LEDGER_TREE: 'on', LEDGER_TREE_ORIGIN: 'ledger.example.org/lisbon' };
const PORTS = { LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0' };

async function run(args: readonly string[], env: Environment) {
  const main = 'apps/ledger-api/bundle/lib/ledger-api.js';
  const program = new Program({ main, args, env: { ...PORTS, ...env } });
  const started = program.ready().then(
    () => program.end('SIGKILL'),
    () => undefined,
  );
  const { code } = await program.ended;
  await started;
  return { code, lines: program.stderr.trim().split('\n') };
}

/** Checks and then starts with an environment; the check must state what the start does. */
async function expectSame(env: Environment, dataDir: string): Promise<readonly string[]> {
  const before = contentOf(dataDir);
  const checked = await run(['--check'], env);
  expect(contentOf(dataDir)).toEqual(before);
  expect(checked).toEqual(await run([], env));
  expect(checked.code).toBe(1);
  return checked.lines;
}

/** The names and digests of all files. */
function contentOf(directory: string): readonly string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return `${path} ${hash('sha256', readFileSync(path))}`;
  });
}

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ledger-check-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

describe('--check of the embedded ledger', () => {
  let original: string;
  let copies = 0;
  beforeAll(async () => {
    original = join(directory, 'original');
    const api = await LedgerApi.start(TREE, original);
    await api.create('one');
    await api.create('two');
    await api.program.end();
  });

  it.each([
    ['no peer.pem', 'identities/peer.pem', 'peer.pem'],
    ['no ledger.db', 'channels/mychannel/ledger.db', 'ledger.db'],
    ['no state of its signed tree', 'tree/mychannel/state.json', 'state.json'],
    ['no key of its signed tree', 'tree/keys', 'lacks the key'],
  ])('refuses what the start refuses: %s', async (_what, file, named) => {
    const dataDir = join(directory, `copy-${copies++}`);
    cpSync(original, dataDir, { recursive: true });
    rmSync(join(dataDir, file));
    const lines = await expectSame({ ...TREE, LEDGER_DATA_DIR: dataDir }, dataDir);
    expect(lines).toEqual([expect.stringContaining(named)]);
  });

  it.each([
    ['the data directory', 'ledger.json', 'format'],
    ['the callers file', 'callers.json', 'format'],
    ['the state of a signed tree', 'tree/mychannel/state.json', 'version'],
  ])('refuses a newer format of %s, and names the newer program instead of a repair', async (_what, file, field) => {
    const dataDir = join(directory, `copy-${copies++}`);
    cpSync(original, dataDir, { recursive: true });
    const path = join(dataDir, file);
    const stored = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as object) : { callers: [] };
    writeFileSync(path, JSON.stringify({ ...stored, [field]: 2 }), { mode: 0o600 });
    const lines = await expectSame({ ...TREE, LEDGER_AUTH: 'on', LEDGER_DATA_DIR: dataDir }, dataDir);
    expect(lines).toEqual([
      expect.stringMatching(/has format 2; this program reads up to format 1: use the newer program that wrote it\.$/),
    ]);
  });

  (hasOpenssl ? it : it.skip)('refuses a certificate that OpenSSL refuses', async () => {
    const [certificate, key] = [join(directory, 'weak.pem'), join(directory, 'weak.key')];
    const files = ['-keyout', key, '-out', certificate];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:1024', '-nodes', ...files, '-subj', '/CN=weak']);
    const tls = { LEDGER_API_TLS_CERT: certificate, LEDGER_API_TLS_KEY: key };
    const env = { ...tls, LEDGER_API_HTTPS_PORT: String(await freePort()), LEDGER_DATA_DIR: original };
    const { code, lines } = await run(['--check'], env);
    expect({ code, lines }).toEqual({ code: 1, lines: [expect.stringContaining('weak.pem cannot be used')] });
    expect(await run([], env)).toEqual({ code, lines });
  });

  it('accepts the ledger of a running server, to be opened again or to be read only, and changes nothing', async () => {
    const api = await LedgerApi.start(TREE, original);
    try {
      const env = { ...TREE, LEDGER_DATA_DIR: original };
      expect(await run(['--check'], env)).toMatchObject({ code: 0 });
      expect(await run(['--check'], { ...env, LEDGER_READ_ONLY: 'on' })).toMatchObject({ code: 0 });
    } finally {
      await api.program.end();
    }
    const before = contentOf(original);
    expect(await run(['--check'], { ...TREE, LEDGER_DATA_DIR: original })).toMatchObject({ code: 0 });
    expect(contentOf(original)).toEqual(before);
  });
});

describe.each([
  ['fabric', fabricEnv],
  ['fabric-gateway', gatewayEnv],
] as const)('--check with LEDGER_DRIVER=%s', (driver, envOf) => {
  let network: StandInSetting;
  let dataDir: string;
  beforeEach(async () => {
    network = await startStandIn();
    dataDir = mkdtempSync(join(directory, 'fabric-'));
  });
  afterEach(() => {
    network.dispose();
  });

  const changes: readonly (readonly [string, Environment])[] =
    driver === 'fabric'
      ? [
          ['profile', { FABRIC_CONNECTION_PROFILE: '/nowhere/profile.json' }],
          ['wallet', { FABRIC_WALLET_DIR: '/nowhere' }],
          ['identity in the wallet', { FABRIC_IDENTITY: 'Nobody' }],
          ['client certificate', { FABRIC_TLS_CLIENT_CERT: '/nowhere/c.pem', FABRIC_TLS_CLIENT_KEY: '/nowhere/k.pem' }],
        ]
      : [
          ['certificate', { FABRIC_CERT: '/nowhere/cert.pem' }],
          ['key', { FABRIC_KEY: '/nowhere/key.pem' }],
          ['TLS root', { FABRIC_TLS_ROOT_CERT: '/nowhere/tls.pem' }],
        ];

  it.each(changes)('refuses a missing %s, as the start does', async (_what, change) => {
    const env = { ...envOf(network), LEDGER_DATA_DIR: dataDir, ...change };
    const lines = await expectSame(env, dataDir);
    expect(lines).toEqual([expect.stringContaining('LEDGER.MISCONFIGURED')]);
  });

  it('refuses a certificate in the place of a key, and a missing TLS root of the profile', async () => {
    const env: Environment = { ...envOf(network), LEDGER_DATA_DIR: dataDir };
    if (driver === 'fabric') {
      const peers = { peer: { url: 'grpcs://127.0.0.1:1', tlsCACerts: { path: '/nowhere/tls.pem' } } };
      writeFileSync(join(network.directory, 'profile.json'), JSON.stringify({ peers }));
    }
    const change: Environment = driver === 'fabric' ? {} : { FABRIC_KEY: env['FABRIC_CERT']! };
    const lines = await expectSame({ ...env, ...change }, dataDir);
    expect(lines).toEqual([expect.stringMatching(driver === 'fabric' ? /\/nowhere\/tls\.pem/ : /key/)]);
  });

  it('accepts the files without the network, and writes nothing', async () => {
    network.network.stop();
    const { code } = await run(['--check'], { ...envOf(network), LEDGER_DATA_DIR: dataDir });
    expect([code, readdirSync(dataDir)]).toEqual([0, []]);
  });
});
