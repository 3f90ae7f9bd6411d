import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerApi, type CallOptions } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';

const ROLES = ['reader', 'writer', 'admin'] as const;
type Role = (typeof ROLES)[number];

let api: LedgerApi;
const keys = new Map<string, string>();

beforeAll(async () => {
  const LEDGER_CONTRACTS =
    'basic:ReadAsset,basic:TransferAsset,basic:org.hyperledger.fabric:GetMetadata,qscc:GetChainInfo';
  api = await LedgerApi.start({ LEDGER_AUTH: 'on', LEDGER_CONTRACTS });
  for (const role of ROLES) {
    keys.set(role, await changeCallers(api, () => addCaller(api.dataDir, `${role}-1`, '--role', role)));
  }
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

const as = (role: Role, method: string, path: string, body?: object, headers: CallOptions['headers'] = {}) =>
  api.api(method, path, { ...(body && { body }), headers: { 'x-api-key': keys.get(role)!, ...headers } });
const evaluate = (role: Role, chaincode: string, body: object) =>
  as(role, 'POST', `/contracts/${chaincode}/evaluate`, body);
const submit = (role: Role, chaincode: string, body: object, headers?: CallOptions['headers']) =>
  as(role, 'POST', `/contracts/${chaincode}/submit`, body, headers);
const create = (id: string, owner = 'Tomoko') => ({
  function: 'CreateAsset',
  arguments: [id, 'blue', '5', owner, '300'],
});

describe('calls of a contract', () => {
  it('are recorded when they are submitted, and answered with payload, transaction and block', async () => {
    const answer = await submit('admin', 'basic', create('car-1'));
    const data = (answer.json as { data: { payload: string; transactionId: string; blockNumber: number } }).data;
    expect(answer).toMatchObject({ status: 200, headers: { 'x-transaction-id': data.transactionId } });
    expect(data).toEqual({
      payload: '{"ID":"car-1","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}',
      encoding: 'text',
      result: { ID: 'car-1', appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' },
      transactionId: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      blockNumber: expect.any(Number) as unknown,
    });
    const found = await as('reader', 'GET', `/transactions/${data.transactionId}`);
    const call = { function: 'CreateAsset', blockNumber: data.blockNumber, creatorId: 'admin-1@org1.example.com' };
    expect(found.json).toMatchObject({ data: call });
  });

  it('record nothing when they are evaluated', async () => {
    const { headers } = await evaluate('admin', 'basic', create('car-2'));
    expect(headers['x-transaction-id']).toBeUndefined();
    expect(await as('reader', 'GET', '/assets/car-2')).toMatchObject({ status: 404 });
    const all = await evaluate('admin', 'basic', { function: 'GetAllAssets' });
    expect(all).toMatchObject({ status: 200, json: { data: { encoding: 'text' } } });
  });

  it('accept an Idempotency-Key when they are submitted', async () => {
    const key = { 'idempotency-key': 'contract-1' };
    const first = await submit('admin', 'basic', create('car-3'), key);
    const again = await submit('admin', 'basic', create('car-3'), key);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.json).toEqual(first.json);
    expect([first, again].map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true']);
    expect(await submit('admin', 'basic', create('car-3', 'Eve'), key)).toMatchObject({
      status: 422,
      headers: { 'x-error-code': 'LEDGER.KEY_REUSED' },
    });
  });

  it('are refused with a specific code, and the text of the chaincode', async () => {
    await submit('admin', 'basic', create('car-4'));
    const texts = [
      [await submit('admin', 'basic', create('car-4')), 'the asset car-4 already exists'],
      [await evaluate('admin', 'basic', { function: 'ReadAsset', arguments: ['no'] }), 'the asset no does not exist'],
      [await evaluate('admin', 'basic', { function: 'ReadAsset' }), 'ReadAsset(id) takes 1 arguments, not 0'],
      [await evaluate('admin', 'basic', { function: 'Nothing' }), '"Nothing" is not a function of this contract'],
    ] as const;
    for (const [answer, text] of texts) {
      expect(answer).toMatchObject({ status: 422, headers: { 'x-error-code': 'API.CHAINCODE_REFUSED' } });
      expect(answer.json).toMatchObject({ chaincodeStatus: 500 });
      expect((answer.json as { message: string }).message).toContain(`The chaincode "basic" refused: ${text}`);
    }
  });

  it('pass values of any JSON type, and refuse bytes that the asset contract cannot store as text', async () => {
    const values = {
      function: 'CreateAsset',
      arguments: ['car-7', { base64: 'Ymx1ZQ==' }, 5, ['Ann'], { price: 300 }],
    };
    const key = { 'idempotency-key': 'values' };
    const asset = { ID: 'car-7', color: 'blue', size: '5', owner: '["Ann"]', appraisedValue: '{"price":300}' };
    expect(await submit('admin', 'basic', values, key)).toMatchObject({ json: { data: { result: asset } } });
    const texts = { function: 'CreateAsset', arguments: ['car-7', 'blue', '5', '["Ann"]', '{"price":300}'] };
    const again = await submit('admin', 'basic', texts, key);
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
    const bytes = await submit('admin', 'basic', {
      function: 'TransferAsset',
      arguments: ['car-7', { base64: '/w==' }],
    });
    const message = 'The chaincode "basic" refused: newOwner must be text in UTF-8';
    expect(bytes).toMatchObject({ status: 422, json: { message } });
  });

  it('of any other chaincode find none on the embedded ledger', async () => {
    for (const name of ['cars', 'basic2', 'BASIC', '%20', 'a%2Fb', '..%2fbasic', 'basic:ReadAsset', '%C3%A9']) {
      for (const call of [evaluate, submit]) {
        expect([name, await call('admin', name, { function: 'F' })]).toMatchObject([
          name,
          { status: 404, headers: { 'x-error-code': 'LEDGER.CHAINCODE_UNKNOWN' } },
        ]);
      }
    }
    expect(await as('reader', 'GET', '/contracts/cars')).toMatchObject({ status: 404 });
  });

  it('with private data for the contract of the ledger name what it cannot do', async () => {
    for (const call of [evaluate, submit]) {
      const terms = { arguments: ['x'], transient: { price: 'c2VjcmV0' } };
      const answer = await call('admin', 'basic', { function: 'ReadAsset', ...terms });
      expect(answer).toMatchObject({ status: 501, headers: { 'x-error-code': 'LEDGER.NOT_SUPPORTED' } });
      expect((answer.json as { message: string }).message).toMatch(/^The driver embedded does not support transient/);
    }
    // An empty map is no transient data.
    expect(await submit('admin', 'basic', { ...create('car-5'), transient: {} })).toMatchObject({ status: 200 });
  });

  it('for the own organization are executed, and for another one refused as on Fabric', async () => {
    const of = (mspId: string): object => ({ endorsingOrganizations: [mspId] });
    expect(await submit('admin', 'basic', { ...create('car-8'), ...of('Org1MSP') })).toMatchObject({ status: 200 });
    const read = { function: 'ReadAsset', arguments: ['car-8'] };
    expect(await evaluate('admin', 'basic', { ...read, ...of('Org1MSP') })).toMatchObject({ status: 200 });
    for (const call of [evaluate, submit]) {
      expect(await call('admin', 'basic', { ...read, ...of('Org9MSP') })).toMatchObject({
        status: 400,
        headers: { 'x-error-code': 'LEDGER.ORGANIZATION_UNKNOWN' },
        json: { message: expect.stringMatching(/EndorsingOrganizations: channel \w+ has no organization "Org9MSP"/) },
      });
    }
  });

  it.each([
    ['no body', undefined, 'A JSON body is required.'],
    ['no function', {}, 'The body is refused: function is missing.'],
    ['an empty function', { function: '' }, 'The body is refused: function must not be empty.'],
    ['a number', { function: 7 }, 'The body is refused: function must be a string.'],
    [
      'one argument',
      { function: 'F', arguments: 'x' },
      'The body is refused: arguments must be an array of JSON values.',
    ],
    ['null', { function: 'F', arguments: null }, 'The body is refused: arguments must be an array of JSON values.'],
    [
      'base64 that is none',
      { function: 'F', arguments: ['x', { base64: 'YQ' }] },
      'The body is refused: /arguments/1/base64 must be base64 (RFC 4648, with padding).',
    ],
    [
      'half a character',
      { function: 'F', arguments: ['\ud800'] },
      'The body is refused: /arguments/0 must not contain a lone surrogate.',
    ],
    ['another field', { function: 'F', secret: {} }, 'The body is refused: unknown field "secret".'],
    [
      'a list of transient data',
      { function: 'F', transient: ['c2VjcmV0'] },
      'The body is refused: transient must be an object whose values are base64.',
    ],
    [
      'transient text',
      { function: 'F', transient: { price: 'secret!' } },
      'The body is refused: transient must have base64 (RFC 4648, with padding) as "price".',
    ],
    [
      'transient data without padding',
      { function: 'F', transient: { ok: '', price: 'c2VjcmV0cw' } },
      'The body is refused: transient must have base64 (RFC 4648, with padding) as "price".',
    ],
    [
      'a transient value without a name',
      { function: 'F', transient: { '': 'c2VjcmV0' } },
      'The body is refused: transient must not have the name "": use 1 to 128 characters.',
    ],
    [
      'too many transient values',
      { function: 'F', transient: Object.fromEntries(Array.from({ length: 65 }, (_unused, n) => [`n${n}`, ''])) },
      'The body is refused: transient must not have more than 64 values.',
    ],
    [
      'too much transient data',
      { function: 'F', transient: { a: 'AAAA'.repeat(100_000), b: 'AAAA'.repeat(100_000) } },
      'The body is refused: transient must not have more than 524288 bytes.',
    ],
    [
      'no organization',
      { function: 'F', endorsingOrganizations: [] },
      'The body is refused: endorsingOrganizations must be an array of 1 to 64 MSP ids.',
    ],
    [
      'an organization with a slash',
      { function: 'F', endorsingOrganizations: ['Org1MSP', 'a/b'] },
      'The body is refused: endorsingOrganizations must be an array of 1 to 64 MSP ids.',
    ],
    [
      'an organization twice',
      { function: 'F', endorsingOrganizations: ['Org1MSP', 'Org1MSP'] },
      'The body is refused: endorsingOrganizations must not name an organization twice.',
    ],
  ])('are refused with %s', async (_, body, message) => {
    for (const call of ['evaluate', 'submit']) {
      const answer = await as('admin', 'POST', `/contracts/basic/${call}`, body);
      expect(answer).toMatchObject({ status: 400, json: { success: false, message } });
    }
  });
});

describe('LEDGER_CONTRACTS', () => {
  it('lets readers evaluate and writers submit listed functions, and only admins others', async () => {
    await submit('admin', 'basic', create('car-5'));
    const read = { function: 'ReadAsset', arguments: ['car-5'] };
    const transfer = { function: 'TransferAsset', arguments: ['car-5', 'Ben'] };
    const listed = [
      await evaluate('reader', 'basic', read),
      await evaluate('writer', 'basic', read),
      await submit('writer', 'basic', transfer),
      await evaluate('reader', 'basic', { function: 'org.hyperledger.fabric:GetMetadata' }),
    ];
    expect(listed.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const others = [
      await submit('reader', 'basic', transfer),
      await evaluate('reader', 'basic', { function: 'GetAllAssets' }),
      await evaluate('writer', 'basic', { function: 'AssetTransferContract:ReadAsset', arguments: ['car-5'] }),
      await submit('writer', 'basic', create('car-7')),
      await submit('writer', 'basic:org.hyperledger.fabric', { function: 'GetMetadata' }),
      await evaluate('reader', 'cars', read),
    ];
    for (const answer of others) {
      expect(answer).toMatchObject({ status: 403, headers: { 'x-error-code': 'API.ROLE_NEEDED' } });
    }
  });

  it('keeps admins too from system chaincodes that it does not list', async () => {
    for (const name of ['qscc', 'cscc', 'lscc', 'escc', 'vscc', '_lifecycle', '_x', '_']) {
      const answers = [
        await evaluate('admin', name, { function: 'GetBlockByNumber' }),
        await submit('admin', name, { function: 'Join' }),
      ];
      for (const answer of answers) {
        expect([name, answer]).toMatchObject([name, { status: 403, headers: { 'x-error-code': 'API.NOT_LISTED' } }]);
      }
    }
    expect(await as('admin', 'GET', '/contracts/cscc')).toMatchObject({ status: 403 });
    // Listed, and not there on an embedded ledger.
    expect(await evaluate('reader', 'qscc', { function: 'GetChainInfo' })).toMatchObject({ status: 404 });
  });
});

describe('GET /contracts', () => {
  it('lists the chaincodes of the configuration, without system chaincodes', async () => {
    expect((await as('reader', 'GET', '/contracts')).json).toMatchObject({
      data: [{ chaincode: 'basic' }, { chaincode: 'records' }],
    });
  });
});

describe('GET /contracts/{chaincode}/metadata', () => {
  it('returns the metadata as the chaincode publishes it, on the named channel too', async () => {
    const { json } = await as('reader', 'GET', '/contracts/basic/metadata');
    const transactions = expect.arrayContaining([
      { name: 'ReadAsset', tag: ['evaluate'], parameters: [{ name: 'id', schema: { type: 'string' } }] },
    ]) as unknown;
    const AssetTransferContract = { name: 'AssetTransferContract', transactions };
    expect(json).toMatchObject({ data: { metadata: { contracts: { AssetTransferContract } } } });
    const named = await as('reader', 'GET', '/channels/mychannel/contracts/basic/metadata');
    expect([named.status, named.json]).toEqual([200, json]);
  });

  it('is an error for a chaincode that does not exist, and for a system chaincode', async () => {
    expect(await as('reader', 'GET', '/contracts/cars/metadata')).toMatchObject({ status: 404 });
    expect(await as('admin', 'GET', '/contracts/cscc/metadata')).toMatchObject({ status: 403 });
  });
});

describe('GET /contracts/{chaincode}', () => {
  it('lists the functions', async () => {
    const { json } = await as('reader', 'GET', '/contracts/basic');
    const { data } = json as { data: { chaincode: string; functions: object[] } };
    expect(data.chaincode).toBe('basic');
    expect(data.functions).toContainEqual({
      name: 'TransferAsset',
      contract: 'AssetTransferContract',
      kind: 'submit',
      parameters: [
        { name: 'id', type: 'string' },
        { name: 'newOwner', type: 'string' },
      ],
      schema: {
        type: 'object',
        required: ['id', 'newOwner'],
        properties: { id: { type: 'string' }, newOwner: { type: 'string' } },
        additionalProperties: false,
      },
      allowed: ['evaluate'],
    });
  });
});
