import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enroll } from '../support/enroll.js';
import { FabricClient, readNetwork } from '../support/fabric-client.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { Program } from '../support/program.js';

const release = fabricRelease();
const env = 'env' in release ? release.env : {};
const STEP_MS = 120_000;

const car = (id: string, owner = 'Tom'): string =>
  JSON.stringify({ ID: id, appraisedValue: '100', color: 'blue', owner, size: '5' });

function fabric(command: string, directory: string, ...args: string[]): Program {
  return new Program({ main: 'src/fabric.js', args: [command, '--dir', directory, ...args], env });
}

async function run(program: Program): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { code } = await program.ended;
  return { code, stdout: program.stdout, stderr: program.stderr };
}

async function succeed(program: Program): Promise<string> {
  const { code, stdout, stderr } = await run(program);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Tries again until it succeeds: an orderer that starts elects itself first. */
async function eventually(attempt: () => Promise<string>): Promise<string> {
  const end = Date.now() + STEP_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** Whether any process in the record of the network still runs. */
async function anyRuns(directory: string): Promise<boolean> {
  const { stdout } = await run(fabric('status', directory));
  return / (up|silent) /.test(stdout);
}

if ('missing' in release) {
  describe(`a Fabric network without containers (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
}

('missing' in release ? describe.skip : describe)('a Fabric network without containers', () => {
  const home = mkdtempSync(join(tmpdir(), 'fabric-network-'));
  const directory = join(home, 'network');
  let client: FabricClient;

  beforeAll(async () => {
    const text = await succeed(fabric('up', directory, '--first-port', '0', '--chaincode-tls'));
    expect(text).toContain('both organisations endorse calls of the chaincode');
    client = new FabricClient(directory);
  }, STEP_MS);

  afterAll(async () => {
    client.close();
    await run(fabric('down', directory, '--remove-data'));
    rmSync(home, { recursive: true, force: true });
  }, STEP_MS);

  it(
    'is up, all of it',
    async () => {
      const { code, stdout } = await run(fabric('status', directory, '--json'));
      const { isUp, components } = JSON.parse(stdout) as {
        isUp: boolean;
        components: { name: string; state: string }[];
      };
      expect({ code, isUp }).toEqual({ code: 0, isUp: true });
      expect(components.map(({ name, state }) => `${name} ${state}`)).toEqual([
        'orderer up',
        'peer-org1 up',
        'peer-org2 up',
        'ca up',
        'chaincode up',
      ]);
    },
    STEP_MS,
  );

  it('keeps keys from other users', () => {
    expect(statSync(directory).mode & 0o077).toBe(0);
    for (const name of readdirSync(join(directory, 'pem'))) {
      expect(statSync(join(directory, 'pem', name)).mode & 0o077).toBe(0);
    }
  });

  it(
    'runs every function of the contract through the peers',
    async () => {
      expect(await client.submit('CreateAsset', 'car', 'blue', '5', 'Tom', '100')).toBe(car('car'));
      expect(await client.evaluate('ReadAsset', 'car')).toBe(car('car'));
      expect(await client.evaluate('AssetTransferContract:ReadAsset', 'car')).toBe(car('car'));
      expect(await client.evaluate('AssetExists', 'car')).toBe('true');
      expect(await client.evaluate('AssetExists', 'bike')).toBe('false');
      expect(JSON.parse(await client.submit('UpdateAsset', 'car', 'red', '6', 'Ann', '200'))).toMatchObject({
        color: 'red',
        owner: 'Ann',
      });
      expect(JSON.parse(await client.submit('TransferAsset', 'car', 'Zoë 🚀'))).toMatchObject({ owner: 'Zoë 🚀' });
      expect(await client.submit('DeleteAsset', 'car')).toBe('');
      expect(JSON.parse(await client.submit('InitLedger'))).toEqual([1, 2, 3, 4, 5, 6].map((n) => `asset${n}`));
      expect(JSON.parse(await client.submit('InitLedger'))).toEqual([]);
      expect(JSON.parse(await client.evaluate('GetAllAssets'))).toHaveLength(6);
    },
    STEP_MS,
  );

  it(
    'pages through more assets than a peer sends at once',
    async () => {
      const ids = Array.from({ length: 130 }, (_, index) => `page-${String(index).padStart(3, '0')}`);
      await Promise.all(ids.map((id) => client.submit('CreateAsset', id, 'blue', '5', 'Tom', '100')));
      const seen: string[] = [];
      let bookmark = 'page';
      do {
        const text = await client.evaluate('GetAssetsPage', '60', bookmark);
        const page = JSON.parse(text) as { assets: { ID: string }[]; bookmark: string };
        seen.push(...page.assets.map(({ ID }) => ID));
        bookmark = page.bookmark;
      } while (bookmark !== '');
      expect(seen).toEqual(ids);
    },
    STEP_MS,
  );

  it(
    'lists the history of an asset, newest first',
    async () => {
      await client.submit('CreateAsset', 'boat', 'blue', '5', 'Tom', '100');
      await client.submit('TransferAsset', 'boat', 'Ann');
      await client.submit('DeleteAsset', 'boat');
      const history = JSON.parse(await client.evaluate('GetAssetHistory', 'boat')) as {
        transactionId: string;
        timestamp: string;
        isDelete: boolean;
        asset: { owner: string } | null;
      }[];
      expect(history.map(({ isDelete, asset }) => [isDelete, asset?.owner])).toEqual([
        [true, undefined],
        [false, 'Ann'],
        [false, 'Tom'],
      ]);
      for (const { transactionId, timestamp } of history) {
        expect(transactionId).toMatch(/^[0-9a-f]{64}$/);
        expect(new Date(timestamp).toISOString()).toBe(timestamp);
      }
    },
    STEP_MS,
  );

  it.each([
    ['a missing asset', 'ReadAsset', ['nothing'], 'ASSET_NOT_FOUND: the asset nothing does not exist'],
    ['a bad id', 'CreateAsset', ['..', 'a', 'b', 'c', 'd'], 'INVALID_ARGUMENT: id must not be . or ..'],
    ['too few arguments', 'ReadAsset', [], 'INVALID_ARGUMENT: ReadAsset(id) takes 1 arguments, not 0'],
    ['an unknown function', 'Fly', [], 'FUNCTION_UNKNOWN: "Fly" is not a function of this contract'],
    ['no history', 'GetAssetHistory', ['nothing'], 'ASSET_NOT_FOUND: '],
  ])(
    'refuses with the code of the contract: %s',
    async (_, name, args, reason) => {
      const evaluated = await client.refusal(client.evaluate(name, ...args));
      expect(evaluated).toEqual([expect.stringContaining(`chaincode response 500, ${reason}`)]);
      const submitted = await client.refusal(client.submit(name, ...args));
      expect(submitted[0]).toContain(`chaincode response 500, ${reason}`);
    },
    STEP_MS,
  );

  it(
    'refuses a second asset of the same id',
    async () => {
      await client.submit('CreateAsset', 'twin', 'blue', '5', 'Tom', '100');
      const [reason] = await client.refusal(client.submit('CreateAsset', 'twin', 'red', '1', 'Eve', '1'));
      expect(reason).toContain('ASSET_EXISTS: the asset twin already exists');
      expect(await client.evaluate('ReadAsset', 'twin')).toBe(car('twin'));
    },
    STEP_MS,
  );

  it(
    'describes its functions',
    async () => {
      const metadata = JSON.parse(await client.evaluate('org.hyperledger.fabric:GetMetadata')) as {
        contracts: Record<string, { transactions: { name: string }[] }>;
      };
      const names = metadata.contracts['AssetTransferContract']?.transactions.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['CreateAsset', 'ReadAsset', 'GetAssetsPage', 'GetAssetHistory']));
    },
    STEP_MS,
  );

  it(
    'has a CA whose identities the peers accept',
    async () => {
      const identity = await enroll({
        port: readNetwork(directory).plan.ports.ca,
        caName: 'ca.org1.example.com',
        roots: readFileSync(
          join(directory, 'organizations/peerOrganizations/org1.example.com/ca/ca.org1.example.com-cert.pem'),
          'utf8',
        ),
        id: 'admin',
        secret: readFileSync(join(directory, 'ca', 'registrar-secret'), 'utf8'),
      });
      const registrar = new FabricClient(directory, identity);
      try {
        expect(await registrar.submit('CreateAsset', 'enrolled', 'blue', '5', 'Tom', '100')).toBe(car('enrolled'));
      } finally {
        registrar.close();
      }
    },
    STEP_MS,
  );

  it(
    'refuses to be made with another plan, in words',
    async () => {
      const { code, stderr } = await run(fabric('up', directory, '--batch-timeout', '2s'));
      expect(code).toBe(1);
      expect(stderr).toBe(
        `fabric: the network in ${directory} was made with batchTimeout 200ms, not 2s: leave that option out, ` +
          'choose another --dir, or re-create it after `down --remove-data`\n',
      );
    },
    STEP_MS,
  );

  it(
    'starts again what was ended, with all that was written',
    async () => {
      const before = readNetwork(directory).processes;
      const [chaincode] = before.filter(({ name }) => name === 'chaincode');
      process.kill(chaincode!.pid, 'SIGKILL');
      expect(await succeed(fabric('up', directory))).toContain('chaincode listens on');
      expect(await client.evaluate('ReadAsset', 'twin')).toBe(car('twin'));

      expect(await succeed(fabric('down', directory))).toContain('Ended chaincode, ca, peer-org2, peer-org1, orderer;');
      expect(await anyRuns(directory)).toBe(false);
      await succeed(fabric('up', directory));
      const again = new FabricClient(directory);
      try {
        expect(await again.submit('TransferAsset', 'twin', 'Ann')).toBe(car('twin', 'Ann'));
      } finally {
        again.close();
      }
    },
    STEP_MS,
  );

  it(
    'has parts that can be stopped, frozen and started one by one',
    async () => {
      const network = await FabricNetwork.up(env, '--no-ca', '--batch-timeout', '100ms');
      const other = new FabricClient(network.directory);
      try {
        network.freeze('chaincode');
        const waiting = other.evaluate('AssetExists', 'car');
        network.thaw('chaincode');
        expect(await waiting).toBe('false');
        await network.stop('orderer');
        expect(await other.evaluate('AssetExists', 'car')).toBe('false');
        await expect(other.submit('CreateAsset', 'car', 'blue', '5', 'Tom', '100')).rejects.toMatchObject({
          name: 'SubmitError',
        });
        await network.startStopped();
        await eventually(() => other.submit('CreateAsset', 'car', 'blue', '5', 'Tom', '100'));
        expect(await other.evaluate('ReadAsset', 'car')).toBe(car('car'));
      } finally {
        other.close();
        await network.down();
      }
    },
    STEP_MS,
  );

  describe('when something fails', () => {
    const failing = join(home, 'failing');

    afterEach(async () => {
      expect(await anyRuns(failing)).toBe(false);
      await succeed(fabric('down', failing, '--remove-data'));
      expect(existsSync(failing)).toBe(false);
    }, STEP_MS);

    it(
      'ends all when the chaincode does not start',
      async () => {
        const command = ['--chaincode-command', 'echo no such module >&2; exit 7'];
        const { code, stderr } = await run(fabric('up', failing, '--first-port', '0', ...command));
        expect(code).toBe(1);
        expect(stderr).toMatch(
          /^fabric: the chaincode ended with code 7 (at once|before it listened on .*); the last line of .*: no such module\n$/,
        );
      },
      STEP_MS,
    );

    it(
      'ends all when the user interrupts',
      async () => {
        const program = fabric('up', failing, '--first-port', '0');
        await program.printed('orderer listens');
        expect(await program.end('SIGINT')).toEqual({ code: 130, signal: null });
      },
      STEP_MS,
    );
  });

  describe('when a port is taken', () => {
    let server: Server;

    beforeAll(async () => {
      server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
    });

    afterAll(() => {
      server.close();
    });

    it(
      'names the port and what it was meant for, and starts nothing',
      async () => {
        const { port } = server.address() as AddressInfo;
        const taken = join(home, 'taken');
        const { code, stderr } = await run(fabric('up', taken, '--first-port', String(port)));
        expect(code).toBe(1);
        expect(stderr).toContain(
          `fabric: port ${port} on 127.0.0.1, meant for the orderer, cannot be listened on (EADDRINUSE)`,
        );
        expect(existsSync(taken)).toBe(false);
      },
      STEP_MS,
    );
  });
});
