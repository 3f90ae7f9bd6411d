import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import type { IssuedIdentity } from '#fabric-codec/certificates';
import { freePort } from '../../support/free-port.js';
import { Program } from '../../support/program.js';
import { ScriptedPeer } from '../../support/scripted-peer.js';
import { ThrowawayAuthority } from '../../support/throwaway-certificates.js';

const MAIN = 'src/chaincode.js';
const ID = 'basic_1.0:0123456789abcdef';
const CAR = '{"ID":"car","appraisedValue":"100","color":"blue","owner":"Tom","size":"5"}';

describe('the chaincode', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chaincode-'));
  let authority: ThrowawayAuthority;
  let service: IssuedIdentity;
  let caller: IssuedIdentity;

  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  beforeAll(async () => {
    authority = await ThrowawayAuthority.create('root');
    service = await authority.issue('chaincode');
    caller = await authority.issue('User1@org1.example.com');
    file('root.pem', authority.root.certificate);
    file('service.pem', service.certificate);
    file('service.key', service.privateKey);
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function serve(args: readonly string[], env: Readonly<Record<string, string>>) {
    const address = `127.0.0.1:${await freePort()}`;
    const program = new Program({ main: MAIN, args: ['serve', '--address', address, ...args], env });
    await program.printed('listens on');
    return { program, address };
  }

  describe('as a service', () => {
    let served: { readonly program: Program; readonly address: string };
    let peer: ScriptedPeer;
    beforeAll(async () => {
      served = await serve([], { CHAINCODE_ID: ID });
    });
    beforeEach(async () => {
      // Each peer has an empty ledger.
      peer = new ScriptedPeer(caller.certificate);
      expect(await peer.connect(served.address, credentials.createInsecure())).toBe(ID);
    });
    afterEach(() => {
      peer.close();
    });
    afterAll(async () => {
      await served.program.end();
    });

    it('runs the contract for a peer that connects', async () => {
      expect(await peer.call('AssetTransferContract:InitLedger')).toMatchObject({ status: 200 });
      expect(await peer.call('CreateAsset', 'car', 'blue', '5', 'Tom', '100')).toEqual({
        status: 200,
        message: '',
        payload: CAR,
      });
      expect(await peer.call('ReadAsset', 'car')).toMatchObject({ payload: CAR });
      expect(await peer.call('TransferAsset', 'car', 'Zoë 🚀')).toMatchObject({
        payload: CAR.replace('Tom', 'Zoë 🚀'),
      });
      expect(await peer.call('DeleteAsset', 'car')).toEqual({ status: 200, message: '', payload: '' });
      expect(await peer.call('AssetExists', 'car')).toMatchObject({ payload: 'false' });

      const all = await peer.call('GetAllAssets');
      expect((JSON.parse(all.payload) as { ID: string }[]).map(({ ID: id }) => id)).toEqual(
        [1, 2, 3, 4, 5, 6].map((number) => `asset${number}`),
      );
      const page = await peer.call('GetAssetsPage', '4', 'asset1');
      expect(JSON.parse(page.payload)).toMatchObject({ bookmark: 'asset5' });
      const history = await peer.call('GetAssetHistory', 'car');
      expect((JSON.parse(history.payload) as { isDelete: boolean }[]).map(({ isDelete }) => isDelete)).toEqual([
        true,
        false,
        false,
      ]);
      expect(peer.openQueries).toBe(0);
    });

    it('refuses with the code of the contract and writes nothing', async () => {
      for (const [call, reason] of [
        [['ReadAsset', 'car'], 'ASSET_NOT_FOUND: '],
        [['CreateAsset', 'car'], 'INVALID_ARGUMENT: CreateAsset(id, color, size, owner, appraisedValue) takes 5'],
        [['CreateAsset', '', 'a', 'b', 'c', 'd'], 'INVALID_ARGUMENT: id must not be empty'],
        [['Fly'], 'FUNCTION_UNKNOWN: "Fly"'],
        [['AssetTransferContract:Fly'], 'FUNCTION_UNKNOWN: "Fly"'],
        [['toString'], 'FUNCTION_UNKNOWN: "toString"'],
        [[''], 'FUNCTION_UNKNOWN: ""'],
      ] as const) {
        const [name, ...args] = call;
        const answer = await peer.call(name, ...args);
        expect(answer).toMatchObject({ status: 500, payload: '' });
        expect(answer.message).toContain(reason);
      }
      expect(peer.state.writes).toBe(0);
    });

    it('describes itself as Fabric’s contract API does', async () => {
      const { payload } = await peer.call('org.hyperledger.fabric:GetMetadata');
      const { contracts } = JSON.parse(payload) as { contracts: Record<string, { transactions: { name: string }[] }> };
      expect(contracts['AssetTransferContract']?.transactions.map(({ name }) => name)).toEqual([
        'InitLedger',
        'CreateAsset',
        'ReadAsset',
        'UpdateAsset',
        'TransferAsset',
        'DeleteAsset',
        'AssetExists',
        'GetAllAssets',
        'GetAssetHistory',
        'GetAssetsPage',
        'UpdateAssetIfMatch',
        'TransferAssetIfMatch',
        'GetAssetHistoryPage',
        'CreateAssets',
        'RecordOrigin',
      ]);
    });

    it('reports that its address is in use', async () => {
      const args = ['serve', '--id', ID, '--address', served.address];
      const second = new Program({ main: MAIN, args });
      expect(await second.ended).toMatchObject({ code: 1 });
      expect(second.stderr).toContain(`chaincode: cannot listen on ${served.address}: `);
      expect(second.stderr).toContain('EADDRINUSE');
    });
  });

  it('asks for TLS, and for a certificate of the peer', async () => {
    const served = await serve(['--id', ID], {
      CHAINCODE_TLS_KEY: join(folder, 'service.key'),
      CHAINCODE_TLS_CERT: join(folder, 'service.pem'),
      CHAINCODE_CLIENT_CA_CERT: join(folder, 'root.pem'),
    });
    const address = served.address.replace('127.0.0.1', 'localhost');
    const root = Buffer.from(authority.root.certificate);
    const peer = new ScriptedPeer(caller.certificate);
    const own = credentials.createSsl(root, Buffer.from(caller.privateKey), Buffer.from(caller.certificate));
    expect(await peer.connect(address, own)).toBe(ID);
    expect(await peer.call('AssetExists', 'car')).toMatchObject({ payload: 'false' });
    peer.close();

    await expect(new ScriptedPeer(caller.certificate).connect(address, credentials.createInsecure())).rejects.toThrow();
    await expect(new ScriptedPeer(caller.certificate).connect(address, credentials.createSsl(root))).rejects.toThrow();
    await served.program.end();
  });

  it.each([
    [['serve'], 2, /^chaincode: --id \(or CHAINCODE_ID\) is missing: /],
    [['serve', '--id', ID, '--tls-key', 'a'], 2, /^chaincode: TLS needs both --tls-key and --tls-cert\n$/],
    [
      ['serve', '--id', ID, '--tls-key', '/no', '--tls-cert', 'b'],
      1,
      /^chaincode: --tls-key \/no cannot be read: ENOENT/,
    ],
    [['package', '--label', 'a b'], 2, /^chaincode: "a b" is no chaincode label: /],
    [['package', '--client-key', 'a'], 2, /^chaincode: --client-key and --client-cert need --root-cert: TLS\n$/],
    [['package', '--type', 'node', '--address', 'a:1'], 2, /^chaincode: --address, .* belong to --type ccaas\n$/],
    [['package', '--out', '/no/such/folder/x'], 1, /^chaincode: --out \/no\/such\/folder\/x cannot be written: ENOENT/],
  ])('reports the error in %j in one line', async (args, code, line) => {
    const program = new Program({ main: MAIN, args });
    expect(await program.ended).toMatchObject({ code });
    expect(program.stderr).toMatch(line);
    expect(program.stderr.trimEnd()).not.toContain('\n');
  });

  async function packageTo(name: string, ...args: string[]): Promise<{ id: string; path: string }> {
    const path = join(folder, name);
    const program = new Program({ main: MAIN, args: ['package', '--out', path, ...args] });
    expect(await program.ended).toMatchObject({ code: 0 });
    return { id: program.stdout.trimEnd(), path };
  }

  it('packages the address of the service with its TLS roots and the client’s certificate', async () => {
    const { id, path } = await packageTo(
      'service.tgz',
      ...['--label', 'assets_2', '--address', 'chaincode.example.com:9999', '--root-cert', join(folder, 'root.pem')],
      ...['--client-cert', join(folder, 'service.pem'), '--client-key', join(folder, 'service.key')],
    );
    expect(id).toBe(`assets_2:${createHash('sha256').update(readFileSync(path)).digest('hex')}`);
    const metadata = execFileSync('tar', ['xzOf', path, 'metadata.json'], { encoding: 'utf8' });
    expect(JSON.parse(metadata)).toEqual({ path: '', type: 'ccaas', label: 'assets_2' });
    const code = execFileSync('tar', ['xzOf', path, 'code.tar.gz']);
    const connection = execFileSync('tar', ['xzO', 'connection.json'], { input: code, encoding: 'utf8' });
    expect(JSON.parse(connection)).toEqual({
      address: 'chaincode.example.com:9999',
      dial_timeout: '10s',
      tls_required: true,
      client_auth_required: true,
      client_key: service.privateKey,
      client_cert: service.certificate,
      root_cert: authority.root.certificate,
    });
  });

  it('makes the same package of the same contents', async () => {
    const [first, second] = await Promise.all([packageTo('a.tgz'), packageTo('b.tgz')]);
    expect(readFileSync(second.path).equals(readFileSync(first.path))).toBe(true);
    expect(second.id).toBe(first.id);
  });

  it('is an ordinary Node package that a peer starts with npm', async () => {
    const { path } = await packageTo('node.tgz', '--type', 'node');
    const unpacked = join(folder, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('tar', ['xz', '-C', unpacked], { input: execFileSync('tar', ['xzOf', path, 'code.tar.gz']) });
    // What `npm install` in the peer's build would bring.
    symlinkSync(join(process.cwd(), 'node_modules'), join(unpacked, 'src', 'node_modules'));

    const peer = new ScriptedPeer(caller.certificate);
    const listener = await peer.listen();
    const child = spawn('npm', ['start', '--', '--peer.address', `127.0.0.1:${listener.port}`], {
      cwd: join(unpacked, 'src'),
      env: { PATH: process.env['PATH'], CORE_CHAINCODE_ID_NAME: ID, CORE_PEER_TLS_ENABLED: 'false' },
      stdio: 'ignore',
      detached: true,
    });
    const ended = once(child, 'exit');
    try {
      expect(await listener.registered).toBe(ID);
      expect(await peer.call('CreateAsset', 'car', 'blue', '5', 'Tom', '100')).toMatchObject({ payload: CAR });
      expect(await peer.call('ReadAsset', 'bike')).toMatchObject({ status: 500 });
    } finally {
      listener.close();
      process.kill(-child.pid!, 'SIGTERM');
      await ended;
    }
  });

  it('serves and packages the contract of records, as `fabric up` deploys it', async () => {
    const { program, address } = await serve(['--contract', 'records'], { CHAINCODE_ID: 'records_1.0:ab' });
    const peer = new ScriptedPeer(caller.certificate);
    expect(await peer.connect(address, credentials.createInsecure())).toBe('records_1.0:ab');
    // The call by which `fabric up` waits for the chaincode.
    expect(await peer.call(...('ListTypes 1 '.split(' ') as [string, ...string[]]))).toMatchObject({
      payload: '{"types":[],"bookmark":""}',
    });
    const schema = { type: 'object', properties: { user: { type: 'string', pattern: '^[a-z]+$' } } };
    expect(await peer.call('DefineType', 'login', JSON.stringify({ schema }))).toMatchObject({ status: 200 });
    expect(await peer.call('Create', 'login', 'l1', '{"user": "ana"}')).toMatchObject({
      payload: '{"id":"l1","record":{"d":{"user":"ana"},"v":1}}',
    });
    const { payload } = await peer.call('Create', 'login', '', '{"user":"bob"}');
    expect((JSON.parse(payload) as { id: string }).id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(await peer.call('Create', 'login', 'l2', '{"user":"Bob"}')).toMatchObject({
      status: 500,
      message: expect.stringContaining('RECORD_INVALID') as string,
    });
    const many = JSON.stringify([{ document: { user: 'c' }, id: 'l3' }, { document: { user: 1 } }]);
    expect(JSON.parse((await peer.call('CreateMany', 'login', many)).payload)).toMatchObject({
      created: ['l3'],
      refused: [{ index: 1, code: 'RECORD_INVALID' }],
    });
    expect((JSON.parse((await peer.call('List', 'login', '2', '')).payload) as { bookmark: string }).bookmark).toBe(
      'l1',
    );
    peer.close();
    await program.end();
    const { path } = await packageTo(
      'records.tgz',
      '--contract',
      'records',
      '--type',
      'node',
      '--label',
      'records_1.0',
    );
    const code = execFileSync('tar', ['xzOf', path, 'code.tar.gz']);
    const files = execFileSync('tar', ['tz'], { input: code, encoding: 'utf8' });
    expect(files).toContain('src/package.json');
  });
});
