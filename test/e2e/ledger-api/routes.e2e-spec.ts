import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { call, LedgerApi, type Answer } from '../../support/ledger-api.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const HEX64 = /^[0-9a-f]{64}$/;
const text = expect.stringMatching(/\S/) as unknown;
const failure = { success: false, message: text };

let api: LedgerApi;
beforeAll(async () => {
  api = await LedgerApi.start();
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

function data(answer: Answer): Record<string, unknown> {
  return (answer.json as { data: Record<string, unknown> }).data;
}

describe('POST /assets', () => {
  it('creates: 201, the asset, the transaction in body and header', async () => {
    const answer = await api.create('post-1');
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      success: true,
      message: text,
      data: { asset: { ID: 'post-1', ...FIELDS }, transactionId: expect.stringMatching(HEX64) as unknown },
    });
    expect(answer.headers['x-transaction-id']).toBe(data(answer)['transactionId']);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('makes a UUID when there is no id', async () => {
    const answer = await api.api('POST', '/assets', { body: FIELDS });
    expect(answer.status).toBe(201);
    const { ID } = data(answer)['asset'] as { ID: string };
    expect(ID).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect((await api.api('GET', `/assets/${ID}`)).status).toBe(200);
  });

  it('answers 400 for an id that exists, and leaves the stored asset as it is', async () => {
    await api.create('post-2');
    const answer = await api.create('post-2', { owner: 'Eve' });
    expect(answer).toMatchObject({ status: 400, json: failure });
    expect((answer.json as { message: string }).message).toContain('post-2');
    expect(data(await api.api('GET', '/assets/post-2'))['owner']).toBe('Tomoko');
  });

  it.each([
    [{ ...FIELDS, color: undefined }, 'color'],
    [{ ...FIELDS, owner: '' }, 'owner'],
    [{ ...FIELDS, size: 5 }, 'size'],
    [{ ...FIELDS, appraisedValue: null }, 'appraisedValue'],
    [{ ...FIELDS, color: 'c'.repeat(4097) }, 'color'],
    [{ ...FIELDS, colour: 'red' }, 'colour'],
    [{ ...FIELDS, id: '' }, 'id'],
    [{ ...FIELDS, id: 7 }, 'id'],
    [{ ...FIELDS, id: 'i'.repeat(257) }, 'id'],
    [{}, 'appraisedValue'],
  ])('answers 400 for %j and names the field', async (body, field) => {
    const answer = await api.api('POST', '/assets', { body });
    expect(answer).toMatchObject({ status: 400, json: failure });
    expect((answer.json as { message: string }).message).toContain(field);
    expect(answer.headers['x-transaction-id']).toBeUndefined();
  });

  it('stores values of exactly 4,096 bytes and any text', async () => {
    const fields = { color: 'é'.repeat(2048), owner: '"\\\u0001\n🚀', size: ' ', appraisedValue: '\u0000' };
    expect((await api.create('post-3', fields)).status).toBe(201);
    expect(data(await api.api('GET', '/assets/post-3'))).toEqual({ ID: 'post-3', ...fields });
  });

  it('lets exactly one of 200 concurrent creates of one id win', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => api.create('post-4', { owner: `${n}` })),
    );
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(199);
    expect(data(await api.api('GET', '/assets/post-4'))).toEqual(data(won[0]!)['asset']);
  });
});

describe('GET /assets/{id}', () => {
  it('reads: 200 and the five fields', async () => {
    await api.create('get-1');
    const answer = await api.api('GET', '/assets/get-1');
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(answer.json).toEqual({ success: true, message: text, data: { ID: 'get-1', ...FIELDS } });
  });

  it('answers 404 for one that is not there', async () => {
    expect(await api.api('GET', '/assets/nobody')).toMatchObject({ status: 404, json: failure });
  });

  it('answers HEAD with the same head and no body', async () => {
    const [get, head] = [await api.api('GET', '/assets/get-1'), await api.api('HEAD', '/assets/get-1')];
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': get.headers['content-length'] } });
    expect((await api.api('HEAD', '/assets/nobody')).status).toBe(404);
  });
});

describe('PUT /assets/{id}', () => {
  it('replaces every field: 200, the updated asset, the transaction in the header', async () => {
    await api.create('put-1');
    const fields = { appraisedValue: '1', color: 'red', owner: 'Max', size: '2' };
    const answer = await api.api('PUT', '/assets/put-1', { body: fields });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ success: true, message: text, data: { ID: 'put-1', ...fields } });
    expect(answer.headers['x-transaction-id']).toMatch(HEX64);
    expect(data(await api.api('GET', '/assets/put-1'))).toEqual({ ID: 'put-1', ...fields });
  });

  it('accepts the id of the path in the body, and answers 400 for another', async () => {
    await api.create('put-2');
    expect((await api.api('PUT', '/assets/put-2', { body: { id: 'put-2', ...FIELDS } })).status).toBe(200);
    expect(await api.api('PUT', '/assets/put-2', { body: { id: 'put-1', ...FIELDS } })).toMatchObject({
      status: 400,
      json: failure,
    });
  });

  it.each(['nobody', 'a%00b', '..', 'i'.repeat(300)])('answers 400 for %s, which does not exist', async (id) => {
    expect(await api.api('PUT', `/assets/${id}`, { body: FIELDS })).toMatchObject({ status: 400, json: failure });
  });

  it('answers 400 for an invalid body', async () => {
    expect(await api.api('PUT', '/assets/put-1', { body: { color: 'red' } })).toMatchObject({
      status: 400,
      json: failure,
    });
    expect(await api.api('PUT', '/assets/put-1')).toMatchObject({ status: 400, json: failure });
  });
});

describe('PUT /assets/{id}/transfer', () => {
  it('changes the owner: 200, the asset and the transaction', async () => {
    await api.create('transfer-1');
    const answer = await api.api('PUT', '/assets/transfer-1/transfer', { body: { newOwner: 'Brad' } });
    expect(answer.status).toBe(200);
    const asset = { ID: 'transfer-1', ...FIELDS, owner: 'Brad' };
    expect(data(answer)).toEqual({ asset, transactionId: answer.headers['x-transaction-id'] });
    expect(data(await api.api('GET', '/assets/transfer-1'))).toEqual(asset);
  });

  it.each(['nobody', '..', 'a%0ab', 'i'.repeat(300)])('answers 404 for %s', async (id) => {
    const answer = await api.api('PUT', `/assets/${id}/transfer`, { body: { newOwner: 'Brad' } });
    expect(answer).toMatchObject({ status: 404, json: failure });
  });

  it.each([{}, { newOwner: '' }, { newOwner: 5 }, { newOwner: 'Brad', owner: 'Eve' }])(
    'answers 400 for %j',
    async (body) => {
      expect(await api.api('PUT', '/assets/transfer-1/transfer', { body })).toMatchObject({
        status: 400,
        json: failure,
      });
    },
  );
});

describe('POST /ledger/init', () => {
  it('creates the six assets once, and records nothing the second time', async () => {
    const first = await api.api('POST', '/ledger/init');
    const transactionId = first.headers['x-transaction-id'];
    expect(first.json).toEqual({ success: true, message: text, data: { created: 6, transactionIds: [transactionId] } });
    await api.api('PUT', '/assets/asset1/transfer', { body: { newOwner: 'Somebody' } });
    const { height } = data(await api.api('GET', '/blockchain/height'));
    const second = await api.api('POST', '/ledger/init');
    expect(second).toMatchObject({ status: 200, json: { data: { created: 0, transactionIds: [] } } });
    expect(data(await api.api('GET', '/blockchain/height'))['height']).toBe(height);
    expect(data(await api.api('GET', '/assets/asset1'))['owner']).toBe('Somebody');
  });

  it.each(['application/json', 'text/plain', 'application/xml', ';;;'])('ignores a body of type %s', async (type) => {
    const answer = await api.api('POST', '/ledger/init', { body: '{"broken', headers: { 'content-type': type } });
    expect(answer.status).toBe(200);
  });
});

describe('GET /blockchain', () => {
  it('returns height and info of the same chain, which grows by a write', async () => {
    const before = data(await api.api('GET', '/blockchain/info'));
    expect(before).toEqual({
      blockHash: expect.stringMatching(HEX64) as unknown,
      chainName: 'mychannel',
      height: expect.any(Number) as unknown,
    });
    expect((await api.api('GET', '/blockchain/height')).json).toEqual({
      success: true,
      message: text,
      data: { height: before['height'] },
    });
    await api.create('chain-1');
    const after = data(await api.api('GET', '/blockchain/info'));
    expect(after['height']).toBe((before['height'] as number) + 1);
    expect(after['blockHash']).not.toBe(before['blockHash']);
  });
});

describe('GET /transactions/{txid}', () => {
  it('describes the transaction of a write', async () => {
    const created = await api.create('tx-1');
    const transactionId = created.headers['x-transaction-id'] as string;
    const answer = await api.api('GET', `/transactions/${transactionId}`);
    expect(answer.status).toBe(200);
    expect(data(answer)).toEqual({
      transactionId,
      blockHash: expect.stringMatching(HEX64) as unknown,
      blockNumber: expect.any(Number) as unknown,
      chaincodeId: 'basic',
      channelId: 'mychannel',
      creatorId: 'User1@org1.example.com',
      creatorMspId: 'Org1MSP',
      endorsers: ['peer0.org1.example.com'],
      function: 'CreateAsset',
      arguments: ['tx-1', 'blue', '5', 'Tomoko', '300'],
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
      validationCode: 'VALID',
      response: { status: 200, message: '', payload: JSON.stringify({ ID: 'tx-1', ...FIELDS }) },
      rawTransaction: expect.objectContaining({
        payload: expect.anything() as unknown,
        blockSignerMspIds: ['Org1MSP'],
      }) as unknown,
    });
    expect(await api.api('GET', `/transactions/${transactionId.toUpperCase()}`)).toMatchObject({ json: answer.json });
  });

  it('answers 404 for an id that no block holds, 400 for what is no id', async () => {
    expect(await api.api('GET', `/transactions/${'0'.repeat(64)}`)).toMatchObject({ status: 404, json: failure });
    for (const id of ['x', '0'.repeat(63), '0'.repeat(65), `${'0'.repeat(63)}g`, '%00', '%C3%A9']) {
      expect(await api.api('GET', `/transactions/${id}`)).toMatchObject({ status: 400, json: failure });
    }
  });
});

describe('GET /health', () => {
  it('is not wrapped', async () => {
    const answer = await api.api('GET', '/health');
    expect(answer).toMatchObject({ status: 200, json: { status: 'healthy' } });
    expect(Object.keys(answer.json as object)).toEqual(['status']);
  });
});

describe('what is not a route', () => {
  it.each([
    '/health',
    '/pages/',
    '/index.html',
    '/favicon.ico',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/assets/',
    '/api/v1/assets//transfer',
    '/api/v1/transactions/',
    '/api/v1/health/',
    '/docs-json/',
    '/metrics/',
    '/readyz/',
    '/api/v2/assets',
    '/API/v1/assets',
    '//',
  ])('answers %s with 404 in the error shape', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const message = `There is nothing at ${method} ${path}.`;
      expect(await call(api.origin, method, path)).toMatchObject({ status: 404, json: { success: false, message } });
    }
  });

  const allowed: readonly (readonly [string, string])[] = [
    ['/api/v1/assets', 'GET, HEAD, POST'],
    ['/api/v1/assets/a', 'GET, HEAD, PUT'],
    ['/api/v1/assets/a/transfer', 'PUT'],
    ['/api/v1/blockchain/height', 'GET, HEAD'],
    ['/api/v1/blockchain/info', 'GET, HEAD'],
    ['/api/v1/events', 'GET, HEAD'],
    ['/api/v1/health', 'GET, HEAD'],
    ['/api/v1/ledger/init', 'POST'],
    ['/api/v1/transactions/a', 'GET, HEAD'],
    ['/readyz', 'GET, HEAD'],
    ['/metrics', 'GET, HEAD'],
    ['/docs', 'GET, HEAD'],
    ['/docs-json', 'GET, HEAD'],
  ];
  it.each(allowed)('answers %s with 405 and Allow for every other method', async (path, allow) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
      if (allow.split(', ').includes(method)) continue;
      const answer = await call(api.origin, method, path, { headers: { 'content-type': 'text/html' } });
      expect(answer).toMatchObject({ status: 405, json: failure, headers: { allow } });
    }
  });
});

describe('a tree over the blocks', () => {
  it('does not exist without LEDGER_TREE', async () => {
    expect((await call(api.origin, 'GET', '/tree/mychannel/checkpoint')).status).toBe(404);
    expect((await api.api('GET', '/blocks/0/proof')).headers['x-error-code']).toBe('LEDGER.NOT_SUPPORTED');
    expect(existsSync(join(api.dataDir, 'tree'))).toBe(false);
  });
});

describe('GET /callers/me', () => {
  it('reports that no login is required and that everyone may do everything', async () => {
    const answer = await api.api('GET', '/callers/me');
    expect(answer.status).toBe(200);
    expect(data(answer)).toEqual({ loginNeeded: false, role: 'admin' });
  });
});
