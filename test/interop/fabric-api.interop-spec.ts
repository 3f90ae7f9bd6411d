import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { Program } from '../support/program.js';
import { until } from '../support/until.js';

const release = fabricRelease();
const STEP_MS = 120_000;
/** A shell command that serves fabric-samples' asset-transfer-basic as a service. */
const stock = process.env['FABRIC_STOCK_CHAINCODE'];

interface Answer {
  readonly status: number;
  readonly body: { readonly success: boolean; readonly message: string; readonly data?: unknown };
  readonly transactionId: string | null;
}

if ('missing' in release) {
  describe(`ledger-api on a real Fabric network (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
} else {
  onNetwork('our chaincode', release.env, []);
  if (stock !== undefined) onNetwork("fabric-samples' chaincode", release.env, ['--chaincode-command', stock]);
}

function onNetwork(chaincode: string, env: Readonly<Record<string, string>>, args: readonly string[]): void {
  describe(`ledger-api on a real Fabric network with ${chaincode}`, () => {
    let network: FabricNetwork;
    beforeAll(async () => {
      network = await FabricNetwork.up(env, '--batch-timeout', '200ms', ...args);
    }, STEP_MS);
    afterAll(async () => {
      await network.down();
    }, STEP_MS);

    it.each(['fabric-gateway', 'fabric'])(
      'implements the whole contract with LEDGER_DRIVER=%s',
      async (driver) => {
        const api = new Api(network, driver);
        try {
          const base = (await api.program.ready())['http']!;
          await wholeContract((method, path, body) => call(`${base}${path}`, method, body), driver);
        } finally {
          expect(await api.end()).toEqual({ code: 0, signal: null });
        }
      },
      STEP_MS,
    );

    it(
      'is unready while its peer is down, always alive, and automatically ready again',
      async () => {
        const api = new Api(network, 'fabric-gateway');
        try {
          const base = (await api.program.ready())['http']!;
          const ready = (): Promise<number> => fetch(new URL('/readyz', base)).then(({ status }) => status);
          await until(async () => (await ready()) === 200);
          await network.stop('peer-org1');
          await until(async () => (await ready()) === 503);
          expect((await fetch(`${base}/health`)).status).toBe(200);
          const refused = await call(`${base}/assets/a`, 'GET');
          expect(refused.status).toBe(500);
          expect(refused.body.success).toBe(false);
          await network.startStopped();
          await until(async () => (await ready()) === 200);
        } finally {
          await api.end();
        }
      },
      STEP_MS,
    );

    it.each(['fabric-gateway', 'fabric'])(
      'reports that the name of the chaincode is wrong, not that the network is unavailable, with LEDGER_DRIVER=%s',
      async (driver) => {
        const api = new Api(network, driver, { LEDGER_CHAINCODE: 'bassic' });
        try {
          const base = (await api.program.ready())['http']!;
          const fields = { id: 'a', color: 'blue', size: '5', owner: 'Tom', appraisedValue: '100' };
          for (const answer of [await call(`${base}/assets/a`, 'GET'), await call(`${base}/assets`, 'POST', fields)]) {
            expect(answer.status).toBe(500);
            expect(answer.body.message).toContain('configuration');
          }
          await until(() => Promise.resolve(api.program.stdout.includes('check LEDGER_CHAINCODE')));
        } finally {
          await api.end();
        }
      },
      STEP_MS,
    );

    it.each(['fabric-gateway', 'fabric'])(
      'is unready while there is no orderer, continues to read, and is automatically ready again with LEDGER_DRIVER=%s',
      async (driver) => {
        const api = new Api(network, driver);
        try {
          const base = (await api.program.ready())['http']!;
          const ready = (): Promise<number> => fetch(new URL('/readyz', base)).then(({ status }) => status);
          await until(async () => (await ready()) === 200);
          const { height } = (await call(`${base}/blockchain/height`, 'GET')).body.data as { readonly height: number };
          await network.stop('orderer');
          const fields = { color: 'blue', size: '5', owner: 'Tom', appraisedValue: '100' };
          expect((await call(`${base}/assets`, 'POST', fields)).status).toBe(500);
          await until(async () => (await ready()) === 503);
          expect((await call(`${base}/assets/none`, 'GET')).status).toBe(404);
          await network.startStopped();
          await until(async () => (await ready()) === 200);
          expect((await call(`${base}/blockchain/height`, 'GET')).body.data).toEqual({ height });
        } finally {
          await api.end();
        }
      },
      STEP_MS,
    );
  });
}

/** The built API on the network's `.env`, in its own directory. */
class Api {
  readonly program: Program;
  readonly #home = mkdtempSync(join(tmpdir(), 'fabric-api-'));

  constructor({ directory }: FabricNetwork, driver: string, more: Readonly<Record<string, string>> = {}) {
    const env = parseEnv(readFileSync(join(directory, '.env'), 'utf8')) as Record<string, string>;
    const own = { LEDGER_DRIVER: driver, LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0' };
    const main = 'apps/ledger-api/bundle/lib/ledger-api.js';
    this.program = new Program({ main, env: { ...env, ...own, LEDGER_DATA_DIR: this.#home, ...more } });
  }

  async end(): ReturnType<Program['end']> {
    const ended = await this.program.end();
    rmSync(this.#home, { recursive: true, force: true });
    return ended;
  }
}

type Call = (method: string, path: string, body?: object) => Promise<Answer>;

/** Every operation, on assets whose ids no other run has. */
async function wholeContract(api: Call, driver: string): Promise<void> {
  const id = `${driver}-1`;
  const fields = { color: 'blue', size: '5', owner: 'Tom', appraisedValue: '100' };
  const init = await api('POST', '/ledger/init');
  expect(init.status).toBe(200);
  expect((await api('POST', '/ledger/init')).body.data).toEqual({ created: 0, transactionIds: [] });

  const created = await api('POST', '/assets', { id, ...fields });
  const { transactionId } = created.body.data as { readonly transactionId: string };
  expect(created).toMatchObject({ status: 201, transactionId, body: { data: { asset: { ID: id, ...fields } } } });
  expect((await api('POST', '/assets', { id, ...fields })).status).toBe(400);
  expect((await api('GET', `/assets/${id}`)).body.data).toEqual({ ID: id, ...fields });
  expect((await api('GET', '/assets/none')).status).toBe(404);

  const updated = await api('PUT', `/assets/${id}`, { ...fields, color: 'red' });
  expect(updated).toMatchObject({ status: 200, body: { data: { ID: id, color: 'red' } } });
  expect((await api('PUT', '/assets/none', fields)).status).toBe(400);
  const moved = await api('PUT', `/assets/${id}/transfer`, { newOwner: 'Ann' });
  expect(moved).toMatchObject({ status: 200, body: { data: { asset: { ID: id, owner: 'Ann', color: 'red' } } } });
  expect((await api('PUT', '/assets/none/transfer', { newOwner: 'Ann' })).status).toBe(404);

  const all = (await api('GET', '/assets')).body.data as readonly { readonly ID: string }[];
  expect(all.map(({ ID }) => ID)).toEqual(expect.arrayContaining(['asset1', 'asset6', id]));
  const { height } = (await api('GET', '/blockchain/height')).body.data as { readonly height: number };
  expect((await api('GET', '/blockchain/info')).body.data).toMatchObject({ chainName: 'mychannel', height });
  expect((await api('GET', `/transactions/${transactionId}`)).body.data).toMatchObject({
    transactionId,
    channelId: 'mychannel',
    chaincodeId: 'basic',
    creatorId: 'User1@org1.example.com',
    creatorMspId: 'Org1MSP',
    function: 'CreateAsset',
    arguments: [id, 'blue', '5', 'Tom', '100'],
    validationCode: 'VALID',
    response: { status: 200 },
  });
  expect((await api('GET', `/transactions/${'0'.repeat(64)}`)).status).toBe(404);
  expect((await api('GET', '/transactions/short')).status).toBe(400);
}

async function call(url: string, method: string, body?: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method, ...(body && { headers, body: JSON.stringify(body) }) });
  return {
    status: response.status,
    transactionId: response.headers.get('x-transaction-id'),
    body: (await response.json()) as Answer['body'],
  };
}
