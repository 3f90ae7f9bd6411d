import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeTransaction } from '#fabric-codec';
import { createFabricLedger } from '#fabric-ledger';
import { readNetwork } from '../support/fabric-client.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';

const release = fabricRelease();
const STEP_MS = 120_000;

interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

if ('missing' in release) {
  describe(`npm run identity (skipped: ${release.missing})`, () => {
    it.skip('needs a Fabric CA', () => undefined);
  });
}

('missing' in release ? describe.skip : describe)('npm run identity, with a Fabric CA', () => {
  const home = mkdtempSync(join(tmpdir(), 'identity-'));
  const wallet = join(home, 'wallet');
  let network: FabricNetwork;
  let profile: string;
  let registrarSecret: string;

  /** The built program, with a separate home directory, in which no files may remain. */
  async function identity(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Output> {
    const program = spawn(process.execPath, ['dist/apps/ledger-api/bundle/lib/ledger-identity.js', ...args], {
      env: {
        PATH: process.env['PATH'],
        HOME: join(home, 'user'),
        FABRIC_WALLET_DIR: wallet,
        FABRIC_CONNECTION_PROFILE: profile,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    program.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    program.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [code] = (await once(program, 'close')) as [number | null];
    return { code, stdout, stderr };
  }

  beforeAll(async () => {
    if ('missing' in release) return;
    network = await FabricNetwork.up(release.env, '--batch-timeout', '200ms');
    profile = join(network.directory, 'connection-org1.json');
    registrarSecret = join(network.directory, 'ca', 'registrar-secret');
  }, STEP_MS);

  afterAll(async () => {
    await network.down();
    rmSync(home, { recursive: true, force: true });
  }, STEP_MS);

  it(
    'enrolls, registers and enrolls again, and the peers accept the certificates',
    async () => {
      const enrolled = await identity(['enroll', '--id', 'admin', '--secret-file', registrarSecret]);
      expect(enrolled).toMatchObject({ code: 0, stderr: '' });
      expect(enrolled.stdout).toMatch(/admin\.id {2}admin {2}Org1MSP {2}valid until \d{4}-\d\d-\d\d \(\d+ days\)\n$/);

      const secretFile = join(home, 'clerk-secret');
      const registered = await identity(['register', '--name', 'admin', '--id', 'clerk', '--secret-out', secretFile]);
      expect(registered).toEqual({
        code: 0,
        stdout: `Registered clerk; its secret is in ${secretFile}.\n`,
        stderr: '',
      });
      const secret = readFileSync(secretFile, 'utf8').trim();

      const clerk = await identity(['enroll', '--id', 'clerk'], { FABRIC_CA_SECRET: secret });
      expect(clerk.code).toBe(0);
      expect(`${enrolled.stdout}${registered.stdout}${clerk.stdout}${clerk.stderr}`).not.toContain(secret);
      for (const file of [secretFile, join(wallet, 'admin.id'), join(wallet, 'clerk.id')]) {
        expect(statSync(file).mode & 0o077).toBe(0);
      }

      const again = await identity([
        'register',
        '--name',
        'admin',
        '--id',
        'clerk',
        '--secret-out',
        join(home, 'other'),
      ]);
      expect(again.code).toBe(1);
      expect(again.stderr).toMatch(
        /^The certificate authority https:.* refuses: an identity of that id is registered already\.\n$/,
      );
      expect(existsSync(join(home, 'other'))).toBe(false);
    },
    STEP_MS,
  );

  it(
    'renews an identity, which a running ledger uses without a restart',
    async () => {
      const ledger = await createFabricLedger({
        channel: 'mychannel',
        chaincode: 'basic',
        connectionProfile: profile,
        walletDir: wallet,
        identity: 'clerk',
        discoveryAsLocalhost: true,
        limits: { evaluate: 10_000, endorse: 30_000, submit: 10_000, commit: 60_000 },
      });
      try {
        const channel = ledger;
        const certificateOf = async (id: string): Promise<string> => {
          const call = { function: 'CreateAsset', arguments: [id, 'blue', '5', 'Tom', '1'] };
          const transaction = await channel.transactionById((await channel.submit(call)).transactionId);
          const detail = describeTransaction(transaction!);
          expect(detail).toMatchObject({ creatorId: 'clerk', validationCode: 'VALID' });
          return JSON.stringify(detail.rawTransaction);
        };
        const current = (): string => {
          const { credentials } = JSON.parse(readFileSync(join(wallet, 'clerk.id'), 'utf8')) as {
            credentials: { certificate: string };
          };
          return JSON.stringify(credentials.certificate).slice(1, -1);
        };
        const before = current();
        expect(await certificateOf('before')).toContain(before);
        expect(await identity(['reenroll', '--name', 'clerk'])).toMatchObject({ code: 0, stderr: '' });
        expect(current()).not.toBe(before);
        let used = '';
        for (let n = 0; !used.includes(current()); n++) used = await certificateOf(`after-${n}`);
      } finally {
        await ledger.close();
      }
    },
    STEP_MS,
  );

  it(
    'lists who is there, imports PEM files, and writes PEM files',
    async () => {
      const pem = join(network.directory, 'pem');
      const files = ['--from-cert', join(pem, 'User1.cert.pem'), '--from-key', join(pem, 'User1.key.pem')];
      expect(await identity(['import', '--name', 'User1', ...files])).toMatchObject({ code: 0, stderr: '' });
      const listed = await identity(['list']);
      expect(listed.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(['User1', 'admin', 'clerk', '']);

      const [cert, key] = [join(home, 'cert.pem'), join(home, 'key.pem')];
      const enrolled = await identity([
        'enroll',
        '--id',
        'admin',
        '--secret-file',
        registrarSecret,
        '--cert',
        cert,
        '--key',
        key,
      ]);
      expect(enrolled).toMatchObject({ code: 0, stderr: '' });
      expect(readFileSync(key, 'utf8')).toContain('PRIVATE KEY');
      expect(await identity(['reenroll', '--cert', cert, '--key', key])).toMatchObject({ code: 0, stderr: '' });
    },
    STEP_MS,
  );

  it.each([
    [
      'a wrong secret',
      ['enroll', '--id', 'admin'],
      { FABRIC_CA_SECRET: 'wrong' },
      /refuses: the id or the secret is wrong/,
    ],
    [
      'an unknown CA',
      ['enroll', '--id', 'admin', '--ca-name', 'other'],
      { FABRIC_CA_SECRET: 'x' },
      /choose one of .* with --ca-name/,
    ],
    [
      'a CA that is down',
      ['enroll', '--id', 'admin', '--url', 'https://127.0.0.1:1'],
      { FABRIC_CA_SECRET: 'x' },
      /could not serve/,
    ],
    ['no secret', ['enroll', '--id', 'admin'], {}, /^No terminal to ask for the secret/],
    [
      'a name with a slash',
      ['enroll', '--id', 'a', '--name', '../a'],
      { FABRIC_CA_SECRET: 'x' },
      /use one without slashes/,
    ],
    ['no registrar', ['register', '--id', 'a', '--secret-out', 'unused'], {}, /^Specify --name/],
  ])(
    'reports the error in one line: %s',
    async (_, args, env, message) => {
      const { code, stdout, stderr } = await identity(args, env);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    },
    STEP_MS,
  );

  it(
    'trusts no CA that it cannot verify',
    async () => {
      const { ca } = readNetwork(network.directory).plan.ports;
      const url = `https://localhost:${ca}`;
      const { code, stderr } = await identity([
        'enroll',
        '--id',
        'admin',
        '--secret-file',
        registrarSecret,
        '--url',
        url,
      ]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/could not serve the request: .*certificate/);
    },
    STEP_MS,
  );

  it('leaves no key in the home directory', () => {
    expect(existsSync(join(home, 'user')) ? readdirSync(join(home, 'user')) : []).toEqual([]);
  });
});
