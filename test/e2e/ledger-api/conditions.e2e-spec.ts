import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sampleChaincode } from '../../../libs/ledger-gateway/src/testing/fabric-stand-in/stand-in-chaincode.js';
import { startStandIn } from '../../../libs/ledger-gateway/src/testing/fabric-stand-in/start-stand-in.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { fabricEnv } from '../../support/stand-in-drivers.js';

let api: LedgerApi;
beforeAll(async () => {
  api = await LedgerApi.start();
});
afterAll(async () => {
  await api.stop();
});

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const read = (id: string, headers = {}): Promise<Answer> => api.api('GET', `/assets/${id}`, { headers });
const tagOf = async (id: string): Promise<string> => String((await read(id)).headers.etag);
const put = (id: string, fields: object, headers: Record<string, string>): Promise<Answer> =>
  api.api('PUT', `/assets/${id}`, { body: { ...FIELDS, ...fields }, headers });

describe('ETag', () => {
  it('names an asset as it is, and changes when it does', async () => {
    await api.create('etag');
    const first = await tagOf('etag');
    expect(first).toMatch(/^"[A-Za-z0-9_-]{43}"$/);
    expect(await tagOf('etag')).toBe(first);
    await put('etag', { color: 'red' }, {});
    const second = await tagOf('etag');
    expect(second).not.toBe(first);
    await put('etag', { color: 'blue' }, {});
    expect(await tagOf('etag')).toBe(first);
  });

  it.each(['GET', 'HEAD'])('spares a body that the caller of %s has', async (method) => {
    await api.create(`spare-${method}`);
    const tag = await tagOf(`spare-${method}`);
    const path = `/assets/spare-${method}`;
    const same = await api.api(method, path, { headers: { 'if-none-match': `"x", W/${tag}` } });
    expect(same).toMatchObject({ status: 304, text: '', headers: { etag: tag } });
    const other = await api.api(method, path, { headers: { 'if-none-match': '"x"' } });
    // RFC 9110, 8.6: in a 304 it is the length of what a 200 brings, or absent.
    const { 'content-length': length } = other.headers;
    expect(other).toMatchObject({ status: 200, headers: { etag: tag } });
    expect(same.headers['content-length']).toBe(length);
    expect(await api.api(method, '/assets/missing', { headers: { 'if-none-match': '*' } })).toMatchObject({
      status: 404,
    });
  });

  it('is not part of answers to writes, whose bodies are another representation', async () => {
    expect((await api.create('write')).headers.etag).toBeUndefined();
  });
});

describe('If-Match', () => {
  it('makes a write while nothing has changed, and answers 412 afterwards', async () => {
    await api.create('bound');
    const tag = await tagOf('bound');
    expect(await put('bound', { color: 'red' }, { 'if-match': tag })).toMatchObject({ status: 200 });
    for (const late of [
      await put('bound', { color: 'green' }, { 'if-match': tag }),
      await api.api('PUT', '/assets/bound/transfer', { body: { newOwner: 'Eve' }, headers: { 'if-match': tag } }),
    ]) {
      expect(late).toMatchObject({
        status: 412,
        headers: { 'x-error-code': 'LEDGER.ASSET_CHANGED' },
        json: {
          message: expect.stringMatching(/^The asset bound has changed since it was read\. Nothing was written/),
        },
      });
    }
    expect((await read('bound')).json).toMatchObject({ data: { color: 'red', owner: 'Tomoko' } });
    expect(await put('bound', {}, { 'if-match': '*' })).toMatchObject({ status: 200 });
  });

  it('leaves the answers for an asset that is not there as they are', async () => {
    const headers = { 'if-match': `"${'a'.repeat(43)}"` };
    expect(await put('nobody', {}, headers)).toMatchObject({ status: 400 });
    const transfer = await api.api('PUT', '/assets/nobody/transfer', { body: { newOwner: 'Eve' }, headers });
    expect(transfer).toMatchObject({ status: 404 });
  });

  it('refuses what is no tag with 400, and the condition of reads', async () => {
    await api.create('refuse');
    expect(await put('refuse', {}, { 'if-match': 'blue' })).toMatchObject({ status: 400 });
    expect(await put('refuse', {}, { 'if-none-match': '*' })).toMatchObject({ status: 400 });
  });

  it('answers the repeat of a write that was made with what was made, though the asset is another one by then', async () => {
    await api.create('repeat');
    const headers = { 'if-match': await tagOf('repeat'), 'idempotency-key': 'repeat-1' };
    const first = await put('repeat', { color: 'red' }, headers);
    const again = await put('repeat', { color: 'red' }, headers);
    expect(first).toMatchObject({ status: 200 });
    expect(again).toMatchObject({ status: 200, json: first.json, headers: { 'idempotency-replayed': 'true' } });
    expect(again.headers['x-transaction-id']).toBe(first.headers['x-transaction-id']);
  });

  it('loses no update of 24 writers on one asset', async () => {
    await api.create('count', { ...FIELDS, size: '0' });
    const addOne = async (): Promise<void> => {
      for (;;) {
        const { json, headers } = await read('count');
        const { size } = (json as { data: { size: string } }).data;
        const { status } = await put('count', { size: String(Number(size) + 1) }, { 'if-match': String(headers.etag) });
        if (status === 200) return;
        expect(status).toBe(412);
      }
    };
    await Promise.all(Array.from({ length: 24 }, () => addOne()));
    expect((await read('count')).json).toMatchObject({ data: { size: '24' } });
  });
});

describe('If-Match where the driver cannot compare and the chaincode does not', () => {
  it('is a 501 that names what is supported, and writes nothing', async () => {
    const network = await startStandIn({ chaincode: sampleChaincode });
    const fabric = await LedgerApi.start(fabricEnv(network));
    try {
      await fabric.create('bound');
      const { headers, json } = await fabric.api('GET', '/assets/bound');
      const condition = { headers: { 'if-match': String(headers.etag) } };
      for (const refused of [
        await fabric.api('PUT', '/assets/bound', { body: { ...FIELDS, color: 'red' }, ...condition }),
        await fabric.api('PUT', '/assets/bound/transfer', { body: { newOwner: 'Eve' }, ...condition }),
      ]) {
        expect(refused).toMatchObject({
          status: 501,
          headers: { 'x-error-code': 'LEDGER.NOT_SUPPORTED' },
          json: { success: false, message: expect.stringContaining('needs LEDGER_DRIVER=fabric-gateway') },
        });
      }
      expect((await fabric.api('GET', '/assets/bound')).json).toEqual(json);
    } finally {
      await fabric.stop();
      network.dispose();
    }
  });
});
