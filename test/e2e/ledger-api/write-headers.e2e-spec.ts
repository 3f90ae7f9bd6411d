import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeBlock } from '#fabric-codec';
import { ourChaincode, sampleChaincode } from '../../../libs/fabric-ledger/src/testing/stand-in-chaincode.js';
import { startStandIn, type StandInSetting } from '../../../libs/fabric-ledger/src/testing/start-stand-in.js';
import { FIELDS, LedgerApi, type Answer } from '../../support/ledger-api.js';
import { STAND_IN_DRIVERS } from '../../support/stand-in-drivers.js';
import { until } from '../../support/until.js';

let api: LedgerApi;
const read = (id: string, headers = {}): Promise<Answer> => api.api('GET', `/assets/${id}`, { headers });
const tagOf = async (id: string): Promise<string> => String((await read(id)).headers.etag);
const put = (id: string, fields: object, headers: Record<string, string>): Promise<Answer> =>
  api.api('PUT', `/assets/${id}`, { body: { ...FIELDS, ...fields }, headers });
const PREFER = { prefer: 'respond-async' };

const create = (id: string, headers: Readonly<Record<string, string>> = PREFER): Promise<Answer> =>
  api.api('POST', '/assets', { body: { id, ...FIELDS }, headers });
const idOf = ({ json }: Answer): string => (json as { data: { transactionId: string } }).data.transactionId;
const transaction = (id: string): Promise<Answer> => api.api('GET', `/transactions/${id}`);

/** Expects an answer before the commit, and returns the id of its transaction. */
function expectAccepted(answer: Answer): string {
  const transactionId = idOf(answer);
  expect(answer).toMatchObject({
    status: 202,
    headers: {
      location: `/api/v1/transactions/${transactionId}`,
      'preference-applied': 'respond-async',
      'retry-after': '1',
      'x-transaction-id': transactionId,
    },
    json: { success: true, data: { transactionId: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown } },
  });
  return transactionId;
}

describe('with the embedded ledger', () => {
  beforeAll(async () => {
    api = await LedgerApi.start();
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });

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
          const { status } = await put(
            'count',
            { size: String(Number(size) + 1) },
            { 'if-match': String(headers.etag) },
          );
          if (status === 200) return;
          expect(status).toBe(412);
        }
      };
      await Promise.all(Array.from({ length: 24 }, () => addOne()));
      expect((await read('count')).json).toMatchObject({ data: { size: '24' } });
    });
  });

  describe('Prefer: respond-async', () => {
    it('is answered by each write when the transaction is durable', async () => {
      const writes = [
        await create('a'),
        await api.api('PUT', '/assets/a', { body: { ...FIELDS, color: 'red' }, headers: PREFER }),
        await api.api('PUT', '/assets/a/transfer', { body: { newOwner: 'Ann' }, headers: PREFER }),
        await api.api('POST', '/contracts/basic/submit', {
          body: { function: 'DeleteAsset', arguments: ['a'] },
          headers: { prefer: 'wait=10, Respond-Async' },
        }),
      ];
      for (const answer of writes) {
        const id = expectAccepted(answer);
        expect(await transaction(id)).toMatchObject({ status: 200, json: { data: { validationCode: 'VALID' } } });
      }
    });

    it('is ignored by refusals, and by writes that are repeated', async () => {
      await create('b');
      expect(await create('b')).toMatchObject({ status: 400, headers: { 'x-error-code': 'LEDGER.ASSET_EXISTS' } });
      const key = { ...PREFER, 'idempotency-key': 'once' };
      const first = expectAccepted(await create('c', key));
      const again = await create('c', key);
      expect(again).toMatchObject({
        status: 201,
        headers: { 'x-transaction-id': first, 'idempotency-replayed': 'true' },
        json: { data: { asset: { ID: 'c' }, transactionId: first } },
      });
      expect(again.headers['preference-applied']).toBeUndefined();
    });

    it.each(['wait=10', 'return=minimal; foo="x, respond-async, y"', 'respond-async=no', 'xrespond-async'])(
      'is not what %s means',
      async (prefer) => {
        expect(await create(`not-${Buffer.from(prefer).toString('hex')}`, { prefer })).toMatchObject({ status: 201 });
      },
    );

    it('leaves the answer for a transaction that is not recorded to be asked for again', async () => {
      const missing = await transaction('0'.repeat(64));
      expect(missing).toMatchObject({ status: 404, headers: { 'retry-after': '1', 'x-error-code': 'API.NOT_FOUND' } });
    });
  });
});

describe.each(STAND_IN_DRIVERS)('with LEDGER_DRIVER=$driver, Prefer: respond-async', ({ driver, envOf }) => {
  let network: StandInSetting;
  beforeAll(async () => {
    // The driver looks once which functions the chaincode has.
    network = await startStandIn({ chaincode: sampleChaincode });
    api = await LedgerApi.start(envOf(network));
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    network.dispose();
  });
  const recorded = (id: string): Promise<void> => until(async () => (await transaction(id)).status === 200);

  it('compares If-Match by the driver where the chaincode does not, or answers 501 and writes nothing', async () => {
    await api.create('compared');
    const { headers, json } = await read('compared');
    const condition = { 'if-match': String(headers.etag) };
    const answers = [
      await put('compared', { color: 'red' }, condition),
      await api.api('PUT', '/assets/compared/transfer', { body: { newOwner: 'Eve' }, headers: condition }),
    ];
    const refused = {
      status: 501,
      headers: { 'x-error-code': 'LEDGER.NOT_SUPPORTED' },
      json: { success: false, message: expect.stringContaining('needs LEDGER_DRIVER=fabric-gateway') },
    };
    const isCompared = driver === 'fabric-gateway';
    expect(answers).toMatchObject(isCompared ? [{ status: 200 }, { status: 412 }] : [refused, refused]);
    const data = { ...(json as { data: object }).data, ...(isCompared && { color: 'red' }) };
    expect((await read('compared')).json).toMatchObject({ data });
    network.network.chaincode = ourChaincode;
  });

  it('is answered when the orderer has accepted the transaction', async () => {
    const { chain } = network.network;
    chain.hold();
    const id = expectAccepted(await create('a'));
    expect(await transaction(id)).toMatchObject({ status: 404, headers: { 'retry-after': '1' } });
    chain.release();
    await recorded(id);
    expect(await transaction(id)).toMatchObject({ json: { data: { validationCode: 'VALID' } } });
    expect(await api.api('GET', '/assets/a')).toMatchObject({ status: 200 });
  });

  it('is one transaction under a key, and its repeat has the result', async () => {
    const key = { ...PREFER, 'idempotency-key': 'once' };
    const id = expectAccepted(await create('b', key));
    await recorded(id);
    expect(await create('b', key)).toMatchObject({
      status: 201,
      headers: { 'x-transaction-id': id, 'idempotency-replayed': 'true' },
      json: { data: { asset: { ID: 'b' } } },
    });
    const other = await create('other', key);
    expect(other).toMatchObject({ status: 422, headers: { 'x-error-code': 'LEDGER.KEY_REUSED' } });
  });

  it('leaves a conflict to the client, which sees it in the transaction', async () => {
    const { chain } = network.network;
    const { length } = chain.blocks;
    chain.hold();
    const ids = (await Promise.all([create('c'), create('c')])).map(expectAccepted);
    chain.release();
    await Promise.all(ids.map(recorded));
    const codes = await Promise.all(ids.map(async (id) => (await transaction(id)).json));
    expect(codes.map((json) => (json as { data: { validationCode: string } }).data.validationCode).sort()).toEqual([
      'MVCC_READ_CONFLICT',
      'VALID',
    ]);
    await until(() => api.program.stdout.includes('an asynchronous write was not committed'));
    // Neither was attempted again. An orderer may accept the second one after it has cut the block of the first.
    expect(chain.blocks.slice(length).flatMap((bytes) => decodeBlock(bytes).envelopes)).toHaveLength(2);
  });

  it('continues after a conflict when it is repeated with its key', async () => {
    const { chain } = network.network;
    const put = (color: string, key?: string): Promise<Answer> =>
      api.api('PUT', '/assets/a', {
        body: { ...FIELDS, color },
        headers: { ...PREFER, ...(key !== undefined && { 'idempotency-key': key }) },
      });
    const conflicts = (): number => api.program.stdout.split('an asynchronous write was not committed').length;
    const before = conflicts();
    chain.hold();
    const ids = [expectAccepted(await put('red')), expectAccepted(await put('green', 'green'))];
    chain.release();
    await Promise.all(ids.map(recorded));
    // Until then a repeat joins the running write, and fails with its conflict.
    await until(() => conflicts() > before);
    const again = expectAccepted(await put('green', 'green'));
    expect(again).not.toBe(ids[1]);
    await recorded(again);
    expect((await api.api('GET', '/assets/a')).json).toMatchObject({ data: { color: 'green' } });
  });

  it('is an error when no orderer accepts the transaction', async () => {
    network.network.orderer.stop();
    expect(await create('d')).toMatchObject({ status: 500, headers: { 'x-error-code': 'LEDGER.UNAVAILABLE' } });
    await network.network.orderer.start();
  });
});
