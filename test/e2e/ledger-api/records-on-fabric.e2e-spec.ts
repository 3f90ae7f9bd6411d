import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startStandIn, type StandInSetting } from '../../../libs/fabric-ledger/src/testing/start-stand-in.js';
import { canariesIn, canary } from '../../support/canary.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { DOCUMENTS, RecordsService } from '../../support/records-service.js';
import { STAND_IN_DRIVERS } from '../../support/stand-in-drivers.js';

const CANARY = canary('patient');

describe.each(STAND_IN_DRIVERS)('records outside the blocks with LEDGER_DRIVER=$driver', ({ envOf }) => {
  let service: RecordsService;
  let network: StandInSetting;
  let api: LedgerApi;
  const environment = () => ({ ...envOf(network), LEDGER_CHAINCODE: 'records', LOG_LEVEL: 'trace' });
  beforeAll(async () => {
    service = await RecordsService.start();
    network = await startStandIn({ chaincodeName: 'records', chaincode: service.on([DOCUMENTS]) });
    api = await LedgerApi.start(environment());
  });
  afterAll(async () => {
    await api.stop();
    network.dispose();
    await service.stop();
  });

  const send = (method: string, path: string, body?: object, headers = {}): Promise<Answer> =>
    api.api(method, path, { ...(body && { body }), headers });
  const get = (path: string): Promise<Answer> => api.api('GET', path);
  const dataOf = ({ json }: Answer) => (json as { data: Readonly<Record<string, unknown>> }).data;
  const purge = (path: string): Promise<Answer> => api.api('DELETE', `${path}?purge=true`);

  it('are created, read, listed, changed, and erased with all their versions', async () => {
    const definition = { payload: 'outside', mode: 'mutable', schema: { required: ['name'] }, indexes: ['name'] };
    expect(await send('PUT', '/record-types/patient', definition)).toMatchObject({ status: 200 });
    const created = await send('POST', '/records/patient?id=p1', { name: CANARY });
    expect(created).toMatchObject({ status: 201, json: { data: { outside: { state: 'stored' } } } });
    const read = await get('/records/patient/p1');
    expect(dataOf(read)).toMatchObject({ document: { name: CANARY } });
    const etag = String(read.headers['etag']);
    const path = '/records/patient/p1';
    const updated = await send('PUT', path, { name: `${CANARY} 2` }, { 'if-match': etag });
    expect(updated).toMatchObject({ status: 200, json: { data: { document: { name: `${CANARY} 2` } } } });
    expect(await send('PUT', path, { name: 'other' }, { 'if-match': etag })).toMatchObject({ status: 412 });
    expect(await send('POST', '/records/patient', { nam: CANARY })).toMatchObject({
      status: 400,
      headers: { 'x-error-code': 'LEDGER.RECORD_INVALID' },
    });
    const lines = '{"name":"bob"}\n{"none":1}\n';
    const body = { body: lines, headers: { 'content-type': 'application/x-ndjson' } };
    expect(await api.api('POST', '/records/patient', body)).toMatchObject({
      json: { data: { created: 1, refused: 1 } },
    });
    expect(dataOf(await get('/records/patient'))['records']).toHaveLength(2);
    expect(dataOf(await get('/records/patient?where.name=bob'))['records']).toMatchObject([
      { document: { name: 'bob' } },
    ]);
    expect(dataOf(await get(`${path}/history`))['changes']).toMatchObject([
      { document: { name: `${CANARY} 2` }, outside: { state: 'stored' } },
      { document: { name: CANARY }, outside: { state: 'stored' } },
    ]);
    expect(await purge(path)).toMatchObject({ status: 200 });
    expect(await get(path)).toMatchObject({ status: 404 });
    expect(dataOf(await get(`${path}/history`))['changes']).toMatchObject([
      { deleted: true },
      { document: null, outside: { state: 'erased' } },
      { document: null, outside: { state: 'erased' } },
    ]);
    const { chain } = network.network;
    expect(chain.collections('records').keys).toHaveLength(1);
    const blocks = chain.blocks.map((block, number) => [`block ${number}`, block.toString('latin1')] as const);
    const { stdout, stderr } = api.program;
    expect(canariesIn({ ...Object.fromEntries(blocks), stdout, stderr })).toEqual([]);
  });

  it('return the same answer to a repeated key, also after a restart', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await send('POST', '/records/patient', { name: 'once' }, headers);
    expect(first).toMatchObject({ status: 201 });
    expect(dataOf(await send('POST', '/records/patient', { name: 'once' }, headers))).toEqual(dataOf(first));
    expect(await api.program.end()).toEqual({ code: 0, signal: null });
    api = await LedgerApi.start(environment(), api.dataDir);
    const again = await send('POST', '/records/patient', { name: 'once' }, headers);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    expect(dataOf(again)).toEqual(dataOf(first));
    expect(await send('POST', '/records/patient', { name: 'twice' }, headers)).toMatchObject({
      status: 422,
      headers: { 'x-error-code': 'LEDGER.KEY_REUSED' },
    });
  });

  it('are absent at a peer that has no value of them', async () => {
    await send('POST', '/records/patient?id=absent', { name: 'gone' });
    network.network.chain.collections('records').forgetValues();
    expect(dataOf(await get('/records/patient/absent'))).toMatchObject({
      document: null,
      outside: { state: 'absent', salt: null },
    });
    expect(await get('/records/patient')).toMatchObject({ status: 200 });
    expect(await purge('/records/patient/absent')).toMatchObject({ status: 200 });
  });

  const NOT_SUPPORTED = { status: 501, headers: { 'x-error-code': 'LEDGER.NOT_SUPPORTED' } };

  it('are refused with what to do on a channel without the collection', async () => {
    await send('POST', '/records/patient?id=before', { name: 'before' });
    network.network.chaincode = service.on([]);
    try {
      const message = expect.stringContaining('Add the collection "documents"') as unknown;
      for (const answer of [
        await send('PUT', '/record-types/visit', { payload: 'outside' }),
        await send('POST', '/records/patient', { name: CANARY }),
        await get('/records/patient/before'),
        await purge('/records/patient/before'),
      ]) {
        expect(answer).toMatchObject({ ...NOT_SUPPORTED, json: { message } });
      }
      expect(await send('PUT', '/record-types/inside', {})).toMatchObject({ status: 200 });
      expect(await send('POST', '/records/inside', { a: 1 })).toMatchObject({ status: 201 });
    } finally {
      network.network.chaincode = service.on([DOCUMENTS]);
    }
    expect(await get('/record-types/visit')).toMatchObject({ status: 404 });
  });

  it('are refused with what to do for a caller that is no member', async () => {
    const members = [{ mspId: 'Org2MSP', role: 'member' }];
    network.network.chaincode = service.on([{ ...DOCUMENTS, members }]);
    try {
      const message = expect.stringContaining('of a private collection') as unknown;
      for (const answer of [await send('POST', '/records/patient', { name: CANARY }), await get('/records/patient')]) {
        expect(answer).toMatchObject({
          status: 403,
          headers: { 'x-error-code': 'LEDGER.CALLER_REFUSED' },
          json: { message },
        });
      }
    } finally {
      network.network.chaincode = service.on([DOCUMENTS]);
    }
  });

  it('are refused with what to do by an older contract', async () => {
    const current = network.network.chaincode!;
    network.network.chaincode = (name, args, state, proposal) => {
      if (['Documents', 'Purge'].includes(name)) {
        throw new Error(`FUNCTION_UNKNOWN: "${name}" is not a function of this contract; it has Get`);
      }
      return current(name, args, state, proposal);
    };
    try {
      const message = expect.stringContaining('Upgrade the chaincode') as unknown;
      for (const answer of [
        await send('PUT', '/record-types/visit', { payload: 'outside' }),
        await get('/records/patient/before'),
        await purge('/records/inside/none'),
      ]) {
        expect(answer).toMatchObject({ ...NOT_SUPPORTED, json: { message } });
      }
    } finally {
      network.network.chaincode = current;
    }
  });

  it('are not erased on a channel with capabilities of older peers', async () => {
    const { blocks } = network.network.chain;
    const [configuration] = blocks;
    blocks[0] = Buffer.from(configuration!.toString('latin1').replaceAll('V2_5', 'V2_0'), 'latin1');
    await api.program.end();
    api = await LedgerApi.start(environment(), api.dataDir);
    try {
      const refused = await purge('/records/patient/before');
      expect(refused).toMatchObject({
        ...NOT_SUPPORTED,
        json: { message: expect.stringContaining('the application capability V2_5') },
      });
    } finally {
      blocks[0] = configuration!;
    }
    expect(await purge('/records/patient/before')).toMatchObject({ status: 200 });
  });
});
