import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LedgerApiConfig, readConfig } from '#ledger-config';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { createLedgerApi, type LedgerApi } from './app.setup.js';
import { lastAnswer, RawConnection } from '../../../test/support/raw-http.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const text = expect.stringMatching(/\S/) as unknown;

let directory: string;
let api: LedgerApi;
let config: LedgerApiConfig;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ledger-api-setup-'));
  config = readConfig({
    LEDGER_DATA_DIR: join(directory, 'data'),
    LEDGER_API_PORT: '0',
    LEDGER_API_HTTPS_PORT: '0',
    LOG_LEVEL: 'silent',
  });
  api = await createLedgerApi(config);
});
afterAll(async () => {
  await api.app.close();
  await rm(directory, { recursive: true });
});

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';

async function send(method: Method, url: string, payload?: object) {
  const answer = await api.app.inject({ method, url: `/api/v1${url}`, ...(payload === undefined ? {} : { payload }) });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    json: answer.body === '' ? undefined : answer.json<unknown>(),
  };
}

describe('createLedgerApi', () => {
  it('answers the ten operations', async () => {
    const created = await send('POST', '/assets', { id: 'a', ...FIELDS });
    const transactionId = created.headers['x-transaction-id'] as string;
    expect(created).toMatchObject({ status: 201, json: { data: { asset: { ID: 'a', ...FIELDS }, transactionId } } });
    expect(await send('GET', '/assets/a')).toMatchObject({ status: 200, json: { data: { ID: 'a', ...FIELDS } } });
    expect(await send('PUT', '/assets/a', { ...FIELDS, color: 'red' })).toMatchObject({
      status: 200,
      json: { data: { color: 'red' } },
    });
    expect(await send('PUT', '/assets/a/transfer', { newOwner: 'Brad' })).toMatchObject({
      status: 200,
      json: { data: { asset: { owner: 'Brad' }, transactionId: text } },
    });
    expect(await send('GET', '/assets')).toMatchObject({ status: 200, json: { data: [{ ID: 'a' }] } });
    expect(await send('GET', '/blockchain/height')).toMatchObject({ status: 200, json: { data: { height: 4 } } });
    expect(await send('GET', '/blockchain/info')).toMatchObject({
      status: 200,
      json: { data: { chainName: 'mychannel' } },
    });
    expect(await send('GET', `/transactions/${transactionId}`)).toMatchObject({
      status: 200,
      json: { data: { function: 'CreateAsset', validationCode: 'VALID' } },
    });
    expect(await send('POST', '/ledger/init')).toMatchObject({ status: 200, json: { data: { created: 6 } } });
    expect(await send('POST', '/ledger/init')).toMatchObject({
      status: 200,
      json: { data: { created: 0, transactionIds: [] } },
    });
    expect(await send('GET', '/health')).toMatchObject({ status: 200, json: { status: 'healthy' } });
  });

  it('returns pages with a link to the next one', async () => {
    const first = await send('GET', '/assets?limit=2');
    expect(first).toMatchObject({ json: { data: [{ ID: 'a' }, { ID: 'asset1' }] } });
    const [, next = ''] = /<\/api\/v1([^>]+)>; rel="next"/.exec(String(first.headers['link'])) ?? [];
    expect(await send('GET', next)).toMatchObject({ json: { data: [{ ID: 'asset2' }, { ID: 'asset3' }] } });
    expect((await send('HEAD', '/assets')).json).toBeUndefined();
  });

  it.each<[Method, string, object | undefined, number]>([
    ['GET', '/assets/nobody', undefined, 404],
    ['GET', '/assets/%00', undefined, 404],
    ['GET', '/assets/%zz', undefined, 400],
    ['GET', '/assets?limit=0', undefined, 400],
    ['POST', '/assets', { ...FIELDS, id: 'a' }, 400],
    ['POST', '/assets', { id: 'b' }, 400],
    ['PUT', '/assets/nobody', FIELDS, 400],
    ['PUT', '/assets/a', { ...FIELDS, id: 'b' }, 400],
    ['PUT', '/assets/nobody/transfer', { newOwner: 'x' }, 404],
    ['PUT', '/assets/a/transfer', {}, 400],
    ['GET', '/transactions/x', undefined, 400],
    ['GET', `/transactions/${'0'.repeat(64)}`, undefined, 404],
    ['DELETE', '/assets/a', undefined, 405],
    ['GET', '/nothing', undefined, 404],
  ])('answers %s %s %j with %i in the error shape', async (method, url, body, status) => {
    expect(await send(method, url, body)).toMatchObject({ status, json: { success: false, message: text } });
  });

  it('shows metrics, readiness, the document and its page', async () => {
    for (const url of ['/metrics', '/readyz', '/docs-json', '/docs']) {
      expect((await api.app.inject({ method: 'GET', url })).statusCode).toBe(200);
    }
    expect((await api.app.inject({ method: 'GET', url: '/metrics' })).body).toMatch(/^ledger_height \d+$/m);
  });

  it('listens on the configured address, and drains when it is closed', async () => {
    const { logger } = api.app.get<ProgramLog>(PROGRAM_LOG);
    const opened = await api.listeners.open(config.server, config.ledger.dataDir, logger);
    expect(opened).toEqual({ http: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as unknown });
    const connection = await RawConnection.open(opened.http);
    await connection.write('GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n').until('healthy');
    await api.listeners.close();
    expect(lastAnswer(await connection.closed)).toMatchObject({ status: 200 });
  });
});
