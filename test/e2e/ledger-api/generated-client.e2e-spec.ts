import createClient from 'openapi-fetch';
import type { paths } from '../../../docs/openapi/ledger-api.js';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

describe('a client that openapi-typescript and openapi-fetch make of the document', () => {
  let api: LedgerApi;
  let client: ReturnType<typeof createClient<paths, 'application/json'>>;

  const clientWith = (headers: Record<string, string>) =>
    createClient<paths, 'application/json'>({ baseUrl: `${api.origin}/api/v1`, headers });

  beforeAll(async () => {
    api = await LedgerApi.start({ LEDGER_AUTH: 'on' });
    const key = await changeCallers(api, () => addCaller(api.dataDir, 'alice', '--role', 'writer'));
    client = clientWith({ 'X-API-Key': key });
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });

  it('creates, reads and transfers, and finds who did it', async () => {
    const created = await client.POST('/assets', { body: { id: 'first', ...FIELDS } });
    const { data: creation } = created.data!;
    // An upload of many assets has another answer.
    if (!('asset' in creation)) throw new Error('It is not the answer to one create.');
    const { asset, transactionId } = creation;
    expect(asset).toEqual({ ID: 'first', ...FIELDS });
    const path = { id: 'first' };
    expect(
      (await client.PUT('/assets/{id}', { params: { path }, body: { ...FIELDS, size: '6' } })).data!.data.size,
    ).toBe('6');
    await client.PUT('/assets/{id}/transfer', { params: { path }, body: { newOwner: 'Brad' } });
    expect((await client.GET('/assets/{id}', { params: { path } })).data!.data.owner).toBe('Brad');
    const { data } = await client.GET('/transactions/{txid}', { params: { path: { txid: transactionId } } });
    expect(data!.data).toMatchObject({ creatorId: 'alice@org1.example.com', function: 'CreateAsset' });
    expect((await client.GET('/health')).data).toEqual({ status: 'healthy' });
  });

  it('lists page by page', async () => {
    for (const id of ['p1', 'p2', 'p3', 'p4', 'p5']) await client.POST('/assets', { body: { id, ...FIELDS } });
    const found: string[] = [];
    let after: string | undefined;
    do {
      const query = { limit: 2, ...(after !== undefined && { after }) };
      const { data, response } = await client.GET('/assets', { params: { query } });
      found.push(...data!.data.map(({ ID }) => ID));
      after = /[?&]after=([\w-]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    } while (after !== undefined);
    expect(found.filter((id) => id.startsWith('p'))).toEqual(['p1', 'p2', 'p3', 'p4', 'p5']);
  });

  it('repeats a write under its Idempotency-Key', async () => {
    const write = () =>
      client.POST('/assets', { params: { header: { 'Idempotency-Key': 'generated' } }, body: FIELDS });
    const [first, again] = [await write(), await write()];
    expect(again.data).toEqual(first.data);
    expect(again.response.headers.get('idempotency-replayed')).toBe('true');
  });

  it('binds a write to what it has read', async () => {
    const path = { id: 'bound' };
    await client.POST('/assets', { body: { ...path, ...FIELDS } });
    const { response } = await client.GET('/assets/{id}', { params: { path } });
    const header = { 'If-Match': response.headers.get('etag')! };
    const transfer = () =>
      client.PUT('/assets/{id}/transfer', { params: { path, header }, body: { newOwner: 'Brad' } });
    expect((await transfer()).data!.data.asset.owner).toBe('Brad');
    const late = await transfer();
    expect([late.response.status, late.response.headers.get('x-error-code')]).toEqual([412, 'LEDGER.ASSET_CHANGED']);
  });

  it('receives errors in their shape, with their codes', async () => {
    const { error, response } = await client.GET('/assets/{id}', { params: { path: { id: 'nobody' } } });
    expect(error).toEqual({ success: false, message: 'The asset nobody does not exist.' });
    expect(response.headers.get('x-error-code')).toBe('LEDGER.ASSET_NOT_FOUND');
    const refused = await clientWith({}).GET('/assets');
    expect([refused.response.status, refused.error!.success]).toEqual([401, false]);
  });
});
