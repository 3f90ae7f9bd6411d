import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { LedgerApi, type Answer } from '../support/ledger-api.js';
import { FABRIC_DRIVERS } from '../support/fabric-ledgers.js';
import { EventReader } from '../support/event-reader.js';
import { OtlpCollector } from '../support/otlp-collector.js';
import { until } from '../support/until.js';

/**
 * The directory of a network of `npm run fabric`, whose chaincode `private` is fabric-samples' asset-transfer-private-data with
 * its collections.
 */
const directory = process.env['FABRIC_PRIVATE_DATA_NETWORK'];
const STEP_MS = 120_000;

if (directory === undefined) {
  describe('private data on a real Fabric network (skipped: FABRIC_PRIVATE_DATA_NETWORK names no network)', () => {
    it.skip('needs a network with a chaincode that has collections', () => undefined);
  });
}

for (const { name } of directory === undefined ? [] : FABRIC_DRIVERS) {
  describe(`private data on a real Fabric network (${name})`, () => {
    let api: LedgerApi;
    let collector: OtlpCollector;
    beforeAll(async () => {
      const env = parseEnv(readFileSync(join(directory!, '.env'), 'utf8')) as Record<string, string>;
      collector = await OtlpCollector.start();
      const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
      api = await LedgerApi.start({ ...env, ...traces, LEDGER_DRIVER: name, LOG_LEVEL: 'trace' });
    }, STEP_MS);
    afterAll(async () => {
      await api.stop();
      await collector.stop();
    }, STEP_MS);

    const secret = `green-${randomUUID()}`;
    const call = (way: string, body: object, headers = {}): Promise<Answer> =>
      api.api('POST', `/contracts/private/${way}`, { body, headers });
    const properties = (id: string): object => ({
      ...{ objectType: 'asset', assetID: id, color: secret, size: 20, appraisedValue: 110 },
    });
    const create = (id: string, values: object): object => ({
      function: 'CreateAsset',
      transient: { asset_properties: Buffer.from(JSON.stringify(values)).toString('base64') },
      endorsingOrganizations: ['Org1MSP'],
    });
    const evaluate = async (name: string, ...args: string[]): Promise<object> => {
      const body = { function: name, arguments: args, endorsingOrganizations: ['Org1MSP'] };
      const { json } = await call('evaluate', body);
      return JSON.parse((json as { data: { payload: string } }).data.payload) as object;
    };

    it(
      'reaches the chaincode and its collections, and no block, log or trace',
      async () => {
        const [id, other] = [randomUUID(), randomUUID()];
        const first = await call('submit', create(id, properties(id)));
        expect(first.text).toMatch(/"success":true/);
        const keyed = await call('submit', create(other, properties(other)), { 'idempotency-key': other });
        expect(keyed.status).toBe(200);
        const again = await call('submit', create(other, { changed: true }), { 'idempotency-key': other });
        expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
        for (const each of [id, other]) {
          // The editions of the sample write names of fields in upper or lower case.
          const asset = await evaluate('ReadAsset', each);
          expect(Object.values(asset)).toEqual(expect.arrayContaining([each, secret]));
        }
        // The appraised value is in the collection of the own organization.
        const details = await evaluate('ReadAssetPrivateDetails', 'Org1MSPPrivateCollection', id);
        expect(Object.values(details)).toContain(110);
        const refused = await call('submit', create(id, properties(id)));
        expect(refused).toMatchObject({ status: 422, headers: { 'x-error-code': 'API.CHAINCODE_REFUSED' } });
        const invalid = await call('submit', create(id, { ...properties(id), size: -1 }));
        expect(invalid.status).toBe(422);
        const { transactionId } = (first.json as { data: { transactionId: string } }).data;
        const recorded = await api.api('GET', `/transactions/${transactionId}`);
        await collector.span('ledger.commit');
        const texts = [recorded.text, refused.text, invalid.text, api.program.stdout, api.program.stderr];
        for (const text of [...texts, ...collector.bodies]) {
          expect(text).not.toContain(secret);
          expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20));
        }
      },
      STEP_MS,
    );

    it(
      'are refused for organizations that there are not',
      async () => {
        const body = { ...create('x', properties('x')), endorsingOrganizations: ['Org9MSP'] };
        const answer = await call('submit', body);
        expect(answer.status).toBeGreaterThanOrEqual(500);
        expect(answer.text).not.toContain(secret);
      },
      STEP_MS,
    );

    it(
      'answers asynchronously, with spans of each stage, and streams events of a chaincode that sets none',
      async () => {
        const id = randomUUID();
        const reader = await EventReader.open(`${api.origin}/api/v1/contracts/private/events`);
        expect(reader.status).toBe(200);
        const accepted = await call('submit', create(id, properties(id)), {
          ...{ prefer: 'respond-async', 'idempotency-key': id },
        });
        expect(accepted.status).toBe(202);
        const path = String(accepted.headers.location).replace('/api/v1', '');
        await until(async () => (await api.api('GET', path)).status === 200, STEP_MS);
        const transactionId = accepted.headers['x-transaction-id'];
        for (const stage of ['endorsement', 'ordering', 'commit']) {
          await until(() =>
            collector.spans.some(
              (span) => span.name === `ledger.${stage}` && span.attributes['ledger.transaction_id'] === transactionId,
            ),
          );
        }
        const { json } = await api.api('GET', path);
        const { blockNumber } = (json as { data: { blockNumber: number } }).data;
        await until(() => reader.lastId.startsWith(`${blockNumber}:end:`), STEP_MS);
        expect(reader.messages).toEqual([]);
        await reader.close();
      },
      STEP_MS,
    );
  });
}
