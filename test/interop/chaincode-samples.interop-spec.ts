import { spawn, execFileSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { folderOf, Random, SAMPLES, type Sample } from '../support/chaincode-samples.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { freePort } from '../support/free-port.js';
import { LedgerApi } from '../support/ledger-api.js';
import { ledgerTool } from '../support/ledger-callers.js';
import { SampleLedger } from '../support/sample-ledger.js';
import { until } from '../support/until.js';

/** A checkout of fabric-samples with installed dependencies; see SAMPLES for the folders. */
const checkout = process.env['CHAINCODE_SAMPLES'];
const CALLS = Number(process.env['CHAINCODE_CALLS'] ?? 200);
const SEED = Number(process.env['CHAINCODE_SEED'] ?? 1);
const STEP_MS = 900_000;
/** Both peers use the process, and belong to different organizations. */
const NODE_SERVER =
  'CORE_PEER_LOCALMSPID=Org1MSP node_modules/.bin/fabric-chaincode-node server --chaincode-address=$CHAINCODE_SERVER_ADDRESS --chaincode-id=$CHAINCODE_ID';

const release = fabricRelease();
const reasons = [
  'missing' in release ? release.missing : '',
  checkout === undefined ? 'CHAINCODE_SAMPLES is not set' : '',
];
const why = reasons.filter((each) => each !== '').join('; ');
const samples = checkout === undefined ? [] : SAMPLES.filter((sample) => existsSync(folderOf(checkout, sample)));

if (samples.length === 0) {
  it.skip(`chaincodes of fabric-samples on both ledgers (skipped: ${why})`, () => undefined);
}

/** A chaincode on the embedded ledger. */
class Embedded {
  private constructor(
    readonly api: LedgerApi,
    readonly served: ChildProcess | undefined,
  ) {}

  static async start(sample: Sample): Promise<Embedded> {
    const cwd = folderOf(checkout!, sample);
    const port = await freePort();
    const source = sample.program === undefined ? cwd : `grpc://127.0.0.1:${port}`;
    const env = { ...process.env, CHAINCODE_ID: 'sample:1', CHAINCODE_SERVER_ADDRESS: `127.0.0.1:${port}` };
    const served = sample.program === undefined ? undefined : spawn(sample.program, { cwd, env, stdio: 'ignore' });
    if (served !== undefined) await until(() => accepts(port));
    const api = await LedgerApi.start({ LEDGER_CHAINCODES: `${sample.name}=${source}`, LOG_LEVEL: 'warn' });
    await until(async () => (await api.api('GET', `/contracts/${sample.name}`)).status !== 503);
    return new Embedded(api, served);
  }

  async stop(): Promise<void> {
    await this.api.stop();
    if (this.served?.kill() === true) await once(this.served, 'exit');
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe.each(samples.map((sample) => [sample.name, sample] as const))('the chaincode %s', (name, sample) => {
  let embedded: Embedded | undefined;
  beforeAll(async () => {
    embedded = await Embedded.start(sample);
  }, STEP_MS);
  afterAll(() => embedded?.stop(), STEP_MS);

  (why === '' ? it : it.skip)(
    `gives the same answers, errors, events and read-write sets as peers (${CALLS} calls, seed ${SEED}; ${why})`,
    async () => {
      if ('missing' in release) return;
      const command = sample.program ?? NODE_SERVER;
      const served = ['--chaincode-name', name, '--chaincode-dir', folderOf(checkout!, sample)];
      const quick = ['--no-probe', '--no-ca', '--batch-timeout', '20ms'];
      const network = await FabricNetwork.up(release.env, '--chaincode-command', command, ...served, ...quick);
      const onFabric = await LedgerApi.start({
        ...{ ...network.env, LEDGER_DRIVER: 'fabric-gateway', LOG_LEVEL: 'warn' },
        ...{ LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0' },
      });
      try {
        // Also needs the second peer, which the first one discovers some seconds after its start.
        const ready = { body: { function: 'org.hyperledger.fabric:GetMetadata' } };
        await until(
          async () => (await onFabric.api('POST', `/contracts/${name}/submit`, ready)).status === 200,
          STEP_MS,
        );
        const sides = [new SampleLedger(embedded!.api, name), new SampleLedger(onFabric, name)];
        const random = new Random(SEED);
        const calls = [...sample.first, ...Array.from({ length: CALLS }, () => sample.next(random))];
        const differences: object[] = [];
        let transactions = 0;
        for (const [index, call] of calls.entries()) {
          if (index === sample.first.length) await Promise.all(sides.map((side) => side.identify()));
          const [own, peers] = await Promise.all(sides.map((side) => side.call(call)));
          if (JSON.stringify(own).includes('"transaction":')) transactions += 1;
          if (JSON.stringify(own) !== JSON.stringify(peers)) differences.push({ index, call, own, peers });
        }
        process.stdout.write(
          `${name}: ${calls.length} calls, ${transactions} transactions, ${differences.length} differ\n`,
        );
        expect(differences).toEqual([]);
      } finally {
        await onFabric.stop();
        await network.down();
      }
    },
    STEP_MS,
  );
});

const erc20 = samples.find(({ name }) => name === 'erc20');
(erc20 === undefined ? it.skip : it)(
  'keeps the sum in 100 parallel transfers, records no invalid transaction, and every block is read by others',
  async () => {
    const { api } = await Embedded.start(erc20!);
    const post = (way: string, name: string, ...args: readonly string[]) =>
      api.api('POST', '/contracts/erc20/' + way, { body: { function: name, arguments: args } });
    const read = async (name: string, ...args: readonly string[]) =>
      Number(((await post('evaluate', name, ...args)).json as { data: { payload: string } }).data.payload);
    for (const call of erc20!.first) await post('submit', call.function, ...call.arguments);
    expect(await post('submit', 'Transfer', 'carol', '1')).toMatchObject({ status: 200 });
    const transfers = await Promise.all(Array.from({ length: 100 }, () => post('submit', 'Transfer', 'carol', '1')));
    expect(transfers.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect([await read('BalanceOf', 'carol'), await read('ClientAccountBalance')]).toEqual([101, 4899]);
    const { json } = await api.api('GET', '/transactions?limit=200');
    const codes = (json as { data: { validationCode: string }[] }).data.map(({ validationCode }) => validationCode);
    expect(codes).toEqual(Array(104).fill('VALID'));
    expect(await ledgerTool(api.dataDir, 'verify')).toMatchObject({ code: 0 });
    readByConfigtxlator(await exported(api.dataDir));
    await api.stop();
  },
  STEP_MS,
);

async function exported(dataDir: string): Promise<string> {
  const target = join(mkdtempSync(join(tmpdir(), 'blocks-')), 'blocks');
  expect(await ledgerTool(dataDir, 'export', target)).toMatchObject({ code: 0 });
  return target;
}

/** Decodes each exported block with Fabric's own tool. */
function readByConfigtxlator(folder: string): void {
  const PATH = [process.env['FABRIC_BIN'], process.env['PATH']].filter(Boolean).join(delimiter);
  const output = join(folder, 'block.json');
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.block'))) {
    const input = join(folder, file);
    execFileSync('configtxlator', ['proto_decode', '--type', 'common.Block', '--input', input, '--output', output], {
      env: { PATH },
    });
    expect(JSON.parse(readFileSync(output, 'utf8'))).toMatchObject({
      header: { data_hash: expect.any(String) as unknown },
    });
  }
  rmSync(join(folder, '..'), { recursive: true });
}
