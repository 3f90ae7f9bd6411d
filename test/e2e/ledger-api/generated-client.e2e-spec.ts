import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import createClient from 'openapi-fetch';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import type { paths } from '../../../docs/openapi/ledger-api.js';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

/** What a user of the generated types writes. */
const CODE = `import createClient from 'openapi-fetch';
import type { components, paths } from './types.mts';

const { API: baseUrl = '', KEY = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': KEY } });
const fields = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

const created = await client.POST('/assets', { body: { id: 'written', ...fields } });
if (created.error) throw new Error(created.error.message);
const asset = 'asset' in created.data.data ? created.data.data.asset : undefined;
const later = await client.POST('/assets', {
  params: { header: { Prefer: 'respond-async', 'Idempotency-Key': 'later' } },
  body: fields,
});
const data = later.data?.data;
const accepted: components['schemas']['AcceptedTransaction'] | undefined =
  data !== undefined && 'transactionId' in data ? data : undefined;
const path = { id: 'written' };
await client.PUT('/assets/{id}/transfer', { params: { path }, body: { newOwner: 'Brad' } });
const read = await client.GET('/assets/{id}', { params: { path } });
let listed = 0;
let after: string | undefined;
do {
  const query = { limit: 2, ...(after !== undefined && { after }) };
  const { data: page, error, response } = await client.GET('/assets', { params: { query } });
  if (error) throw new Error(error.message);
  listed += page.data.filter(({ owner, size }) => owner !== '' && size === '5').length;
  after = /[?&]after=([\\w-]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
} while (after !== undefined);
const changes = await client.GET('/assets/{id}/history', { params: { path, query: { limit: 1 } } });
const owners = changes.data?.data.map((change) => change.asset?.owner);
const missing = await client.GET('/assets/{id}', { params: { path: { id: 'nobody' } } });
const refused = [missing.response.status, missing.error?.message];
const out = { id: asset?.ID, accepted: accepted?.transactionId.length, moved: read.data?.data.owner, listed, owners, refused };
console.log(JSON.stringify(out));
`;

describe('a client that openapi-typescript and openapi-fetch make of the document', () => {
  let api: LedgerApi;
  let key: string;
  let client: ReturnType<typeof createClient<paths>>;

  const clientWith = (headers: Record<string, string>) =>
    createClient<paths>({ baseUrl: `${api.origin}/api/v1`, headers });

  beforeAll(async () => {
    api = await LedgerApi.start({ LEDGER_AUTH: 'on' });
    key = await changeCallers(api, () => addCaller(api.dataDir, 'alice', '--role', 'writer'));
    client = clientWith({ 'X-API-Key': key });
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });

  it('creates, reads and transfers, and finds who did it', async () => {
    const created = await client.POST('/assets', { body: { id: 'first', ...FIELDS } });
    const { data: creation } = created.data!;
    // Uploads, and requests with Prefer: respond-async, get other answers.
    if (!('asset' in creation)) throw new Error('It is not the answer to one create that is committed.');
    const { asset, transactionId } = creation;
    expect(asset).toEqual({ ID: 'first', ...FIELDS });
    const path = { id: 'first' };
    const updated = await client.PUT('/assets/{id}', { params: { path }, body: { ...FIELDS, size: '6' } });
    expect(updated.data!.data).toMatchObject({ size: '6' });
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
    expect((await transfer()).data!.data).toMatchObject({ asset: { owner: 'Brad' } });
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

  it('compiles in strict mode for the code that one would write, and runs', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'generated-client-'));
    await symlink(join(process.cwd(), 'node_modules'), join(directory, 'node_modules'));
    const file = join(directory, 'client.mts');
    try {
      const document = await fetch(`${api.origin}/docs-json`);
      const types = await openapiTS((await document.json()) as OpenAPI3);
      await writeFile(join(directory, 'types.mts'), astToString(types));
      await writeFile(file, CODE);
      const flags = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck'];
      const target = ['--module', 'nodenext', '--target', 'esnext', '--types', 'node', '--noEmit', '--ignoreConfig'];
      const options = [...flags, ...target, '--allowImportingTsExtensions'];
      const tsc = join(process.cwd(), 'node_modules/.bin/tsc');
      await promisify(execFile)(tsc, [...options, file], { cwd: directory }).catch((error: unknown) => {
        throw new Error((error as { readonly stdout: string }).stdout);
      });
      const env = { API: `${api.origin}/api/v1`, KEY: key };
      const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
      expect(JSON.parse(stdout)).toEqual({
        id: 'written',
        accepted: 64,
        moved: 'Brad',
        listed: 9,
        owners: ['Brad'],
        refused: [404, 'The asset nobody does not exist.'],
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
