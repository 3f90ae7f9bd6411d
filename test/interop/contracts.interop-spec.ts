import { randomUUID } from 'node:crypto';
import { common } from '@hyperledger/fabric-protos';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { LedgerApi } from '../support/ledger-api.js';
import { until } from '../support/until.js';

const release = fabricRelease();
const STEP_MS = 120_000;
/** A shell command that serves fabric-samples' asset-transfer-basic as a service: a chaincode that is not ours. */
const stock = process.env['FABRIC_STOCK_CHAINCODE'];
const missing = 'missing' in release ? release.missing : undefined;
const why = missing ?? (stock === undefined ? 'FABRIC_STOCK_CHAINCODE names no command' : undefined);

if (why !== undefined) {
  describe(`calls of a foreign chaincode (skipped: ${why})`, () => {
    it.skip('need a Fabric network and a chaincode', () => undefined);
  });
}

(why === undefined ? describe : describe.skip)('calls of a foreign chaincode', () => {
  let network: FabricNetwork;
  beforeAll(async () => {
    if ('missing' in release) return;
    network = await FabricNetwork.up(release.env, '--batch-timeout', '200ms', '--chaincode-command', stock!);
  }, STEP_MS);
  afterAll(async () => {
    await network.down();
  }, STEP_MS);

  describe.each(['fabric-gateway', 'fabric'])('with LEDGER_DRIVER=%s', (driver) => {
    let api: LedgerApi;
    beforeAll(async () => {
      // The asset routes are not in use: the chaincode is reached by its name alone.
      api = await LedgerApi.start({
        ...network.env,
        LEDGER_API_PORT: '0',
        LEDGER_API_HTTPS_PORT: '0',
        LEDGER_DRIVER: driver,
        LEDGER_CONTRACTS: 'qscc:GetChainInfo',
      });
      await until(async () => (await evaluate('basic', 'AssetExists', 'x')).status === 200);
    }, STEP_MS);
    afterAll(async () => {
      await api.stop();
    }, STEP_MS);

    const post = (chaincode: string, way: string, body: object, headers = {}) =>
      api.api('POST', `/contracts/${chaincode}/${way}`, { body, headers });
    const evaluate = (chaincode: string, name: string, ...args: string[]) =>
      post(chaincode, 'evaluate', { function: name, arguments: args });
    const submit = (name: string, args: readonly string[], headers = {}) =>
      post('basic', 'submit', { function: name, arguments: args }, headers);

    it(
      'are made as the chaincode has them, and once under a key',
      async () => {
        const id = randomUUID();
        const key = { 'idempotency-key': id };
        const create = [id, 'blue', '5', 'Tomoko', '300'];
        const [first, again] = await Promise.all([
          submit('CreateAsset', create, key),
          submit('CreateAsset', create, key),
        ]);
        expect([first.status, again.status]).toEqual([200, 200]);
        const { data } = first.json as { data: { transactionId: string } };
        expect(again.json).toMatchObject({ data });
        const read = await evaluate('basic', 'AssetTransferContract:ReadAsset', id);
        const { payload } = (read.json as { data: { payload: string } }).data;
        // Numbers and capitals are the samples' own: nothing is translated.
        expect(JSON.parse(payload)).toMatchObject({ ID: id, AppraisedValue: 300, Owner: 'Tomoko' });
        const receipt = await api.api('GET', `/transactions/${data.transactionId}/receipt`);
        expect(receipt.json).toMatchObject({ validationCode: 'VALID', attestation: { kind: 'qscc' } });
      },
      STEP_MS,
    );

    it(
      'are refused with the message of the chaincode and a specific code',
      async () => {
        const id = randomUUID();
        const refused = [
          await evaluate('basic', 'ReadAsset', id),
          await submit('UpdateAsset', [id, 'a', '1', 'b', '1']),
          await evaluate('basic', 'ReadAsset'),
          await evaluate('basic', 'NoSuchFunction'),
        ];
        const texts = [`The asset ${id} does not exist`, `The asset ${id} does not exist`, 'Expected 1 parameters', ''];
        for (const [index, answer] of refused.entries()) {
          expect(answer).toMatchObject({ status: 422, headers: { 'x-error-code': 'API.CHAINCODE_REFUSED' } });
          expect((answer.json as { message: string }).message).toContain(texts[index]);
        }
      },
      STEP_MS,
    );

    it(
      'find no chaincode that is not there, and system chaincode only where it is listed',
      async () => {
        const unknown = { status: 404, headers: { 'x-error-code': 'LEDGER.CHAINCODE_UNKNOWN' } };
        expect(await evaluate('nobodys', 'F')).toMatchObject(unknown);
        expect(await post('nobodys', 'submit', { function: 'F' })).toMatchObject(unknown);
        const closed = { status: 403, headers: { 'x-error-code': 'API.NOT_LISTED' } };
        expect(await evaluate('qscc', 'GetBlockByNumber', 'mychannel', '0')).toMatchObject(closed);
        expect(await evaluate('_lifecycle', 'QueryInstalledChaincodes')).toMatchObject(closed);
        const answer = await evaluate('qscc', 'GetChainInfo', 'mychannel');
        const { payload, encoding } = (answer.json as { data: { payload: string; encoding: 'base64' } }).data;
        expect(encoding).toBe('base64');
        expect(common.BlockchainInfo.deserializeBinary(Buffer.from(payload, encoding)).getHeight()).toBeGreaterThan(1);
      },
      STEP_MS,
    );

    it(
      'are listed',
      async () => {
        const { json } = await api.api('GET', '/contracts/basic');
        const { functions } = (json as { data: { functions: object[] } }).data;
        expect(functions).toContainEqual(
          expect.objectContaining({ name: 'CreateAsset', contract: 'AssetTransferContract', kind: 'submit' }),
        );
        expect(functions).toContainEqual(expect.objectContaining({ name: 'ReadAsset', kind: 'evaluate' }));
      },
      STEP_MS,
    );
  });
});
