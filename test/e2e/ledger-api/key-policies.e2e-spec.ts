import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ChaincodeFolder } from '../../support/chaincode-folders.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { ledgerTool } from '../../support/ledger-callers.js';

let folder: ChaincodeFolder;
let api: LedgerApi;
beforeAll(async () => {
  folder = ChaincodeFolder.node('asset-policies');
  api = await LedgerApi.start({ LEDGER_CHAINCODES: `sbe=${folder.path}` });
});
afterAll(async () => {
  await api.stop();
  folder.remove();
});

const call = (kind: 'evaluate' | 'submit', name: string, ...args: readonly string[]): Promise<Answer> =>
  api.api('POST', `/contracts/sbe/${kind}`, { body: { function: name, arguments: args } });
const read = async (name: string, ...args: readonly string[]): Promise<unknown> => {
  const { json } = await call('evaluate', name, ...args);
  return (json as { data?: { payload?: string } }).data?.payload;
};

it('keys have endorsement policies, which are recorded as on a peer and returned', async () => {
  const created = await call('submit', 'CreateAsset', 'a1', '100', 'ana');
  expect(created).toMatchObject({ status: 200 });
  expect(await read('PolicyOf', 'a1')).toBe('Org1MSP');
  const transaction = `/transactions/${String(created.headers['x-transaction-id'])}?envelope=true`;
  expect((await api.api('GET', transaction)).text).toContain('"VALIDATION_PARAMETER"');
  expect(await read('PolicyOf', 'none')).toBe('');
  expect(await call('submit', 'UpdateAsset', 'a1', '200')).toMatchObject({ status: 200 });
  expect(await read('PolicyOf', 'a1')).toBe('Org1MSP');
  expect(await call('submit', 'TransferAsset', 'a1', 'bea', 'Org2MSP')).toMatchObject({ status: 200 });
  await api.program.printed('gave a key an endorsement policy without Org1MSP: Org2MSP');
  expect([await read('PolicyOf', 'a1'), await read('ReadAsset', 'a1')]).toEqual([
    'Org2MSP',
    '{"ID":"a1","Value":200,"Owner":"bea","OwnerOrg":"Org2MSP"}',
  ]);
  expect(await call('submit', 'UpdateAsset', 'a1', '300')).toMatchObject({ status: 200 });
});

it('a change of the policy alone, and a deletion, leave a ledger without a finding', async () => {
  expect(await call('submit', 'CreateAsset', 'a2', '1', 'ana')).toMatchObject({ status: 200 });
  const changes = ['Org2MSP', 'Org1MSP', 'Org3MSP'].map((mspId) => call('submit', 'SetPolicy', 'a2', mspId));
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await call('submit', 'SetPolicy', 'none', 'Org2MSP')).toMatchObject({ status: 200 });
  expect(await read('PolicyOf', 'none')).toBe('');
  expect(await call('submit', 'DeleteAsset', 'a2')).toMatchObject({ status: 200 });
  expect(await call('submit', 'CreateAsset', 'a2', '2', 'ana')).toMatchObject({ status: 200 });
  expect(await call('submit', 'DeleteAsset', 'a1')).toMatchObject({ status: 200 });
  expect(await read('PolicyOf', 'a1')).toBe('');
  await api.program.end('SIGKILL');
  expect(await ledgerTool(api.dataDir, 'verify')).toMatchObject({ code: 0 });
  expect(await ledgerTool(api.dataDir, 'rebuild')).toMatchObject({ code: 0 });
  api = await LedgerApi.start({ LEDGER_CHAINCODES: `sbe=${folder.path}` }, api.dataDir);
  expect(await read('PolicyOf', 'a2')).toBe('Org1MSP');
});
