import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { LedgerApi, type Answer } from '../support/ledger-api.js';
import { until } from '../support/until.js';

const release = fabricRelease();
const STEP_MS = 600_000;
const NDJSON = 'application/x-ndjson';
/** A shell command that serves fabric-samples' asset-transfer-basic as a service. */
const stock = process.env['FABRIC_STOCK_CHAINCODE'];

if ('missing' in release) {
  describe(`uploads to a real Fabric network (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
} else {
  uploadsTo('our chaincode', release.env, []);
  if (stock !== undefined) uploadsTo("fabric-samples' chaincode", release.env, ['--chaincode-command', stock]);
}

interface LineAnswer {
  readonly line: number;
  readonly id: string;
  readonly status: number;
  readonly transactionId: string;
  readonly replayed?: boolean;
}

function uploadsTo(chaincode: string, env: Readonly<Record<string, string>>, args: readonly string[]): void {
  const isOurs = args.length === 0;
  describe(`uploads to a real Fabric network with ${chaincode}`, () => {
    let network: FabricNetwork;
    const home = mkdtempSync(join(tmpdir(), 'uploads-'));
    beforeAll(async () => {
      network = await FabricNetwork.up(env, '--batch-timeout', '200ms', ...args);
    }, STEP_MS);
    afterAll(async () => {
      await network.down();
      rmSync(home, { recursive: true });
    }, STEP_MS);

    describe.each(['fabric-gateway', 'fabric'])('through %s', (driver) => {
      let api: LedgerApi;
      beforeAll(async () => {
        api = await LedgerApi.start({ ...network.env, LEDGER_DRIVER: driver }, join(home, driver));
        await until(async () => (await fetch(`${api.origin}/readyz`)).status === 200);
      }, STEP_MS);
      afterAll(async () => {
        await api.program.end();
      });

      const lineOf = (id: string, fields: object = {}): string =>
        JSON.stringify({ id: `${driver}-${id}`, appraisedValue: '300', color: 'c', owner: 'o', size: '5', ...fields });
      const upload = async (lines: readonly string[], headers: Record<string, string> = {}): Promise<LineAnswer[]> => {
        const all = { 'content-type': NDJSON, accept: NDJSON, ...headers };
        const { text } = await api.api('POST', '/assets', { body: lines.join('\n'), headers: all });
        return text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as LineAnswer);
      };
      const read = (id: string): Promise<Answer> => api.api('GET', `/assets/${driver}-${id}`);

      it(
        'create the assets of valid lines and refuse the others',
        async () => {
          const count = isOurs ? 1100 : 60;
          const lines = Array.from({ length: count }, (_, n) => lineOf(`many-${n}`));
          const answers = await upload([
            ...lines,
            lineOf('many-0'),
            'no json',
            lineOf('many-1', { size: '' }),
            lineOf('last'),
          ]);
          expect(answers.map(({ status }) => status)).toEqual([...lines.map(() => 201), 400, 400, 400, 201]);
          const transactions = new Set(answers.map(({ transactionId }) => transactionId));
          expect(transactions.size <= 20).toBe(isOurs);
          for (const id of ['many-0', `many-${count - 1}`, 'last']) expect((await read(id)).status).toBe(200);
          const { json } = await api.api('GET', `/transactions/${answers[0]!.transactionId}`);
          const name = isOurs ? 'CreateAssets' : 'CreateAsset';
          expect(json).toMatchObject({ data: { function: name, validationCode: 'VALID' } });
        },
        STEP_MS,
      );

      it(
        'continue under their key, with the same transactions',
        async () => {
          const lines = Array.from({ length: isOurs ? 700 : 20 }, (_, n) => lineOf(`keyed-${n}`));
          const headers = { 'idempotency-key': `${driver}-key` };
          const first = await upload(lines, headers);
          expect(first.every(({ status }) => status === 201)).toBe(true);
          expect(await upload(lines, headers)).toEqual(first.map((answer) => ({ ...answer, replayed: true })));
        },
        STEP_MS,
      );

      it(
        'of the longest values fit into the messages of peers and orderers',
        async () => {
          // Numbers only, for chaincode that stores some fields as such.
          const long = '7'.repeat(4096);
          const fields = isOurs
            ? { color: long, owner: long, size: long, appraisedValue: long }
            : { color: long, owner: long };
          const answers = await upload(
            Array.from({ length: isOurs ? 150 : 20 }, (_, n) => lineOf(`long-${n}`, fields)),
          );
          expect(answers.every(({ status }) => status === 201)).toBe(true);
          expect((await read('long-0')).json).toMatchObject({ data: { owner: long } });
        },
        STEP_MS,
      );
    });
  });
}
