import { decodeBlock } from '#ledger-gateway';
import {
  startStandIn,
  type StandInSetting,
} from '../../../libs/ledger-gateway/src/testing/fabric-stand-in/start-stand-in.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { STAND_IN_DRIVERS } from '../../support/stand-in-drivers.js';
import { until } from '../../support/until.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const PREFER = { prefer: 'respond-async' };

let api: LedgerApi;
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

describe('Prefer: respond-async on the embedded ledger', () => {
  beforeAll(async () => {
    api = await LedgerApi.start({ LOG_LEVEL: 'debug' });
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });

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

describe.each(STAND_IN_DRIVERS)('Prefer: respond-async with LEDGER_DRIVER=$driver', ({ envOf }) => {
  let network: StandInSetting;
  beforeAll(async () => {
    network = await startStandIn();
    api = await LedgerApi.start(envOf(network));
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    network.dispose();
  });
  const recorded = (id: string): Promise<void> => until(async () => (await transaction(id)).status === 200);

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
    chain.hold();
    const ids = [expectAccepted(await put('red')), expectAccepted(await put('green', 'green'))];
    chain.release();
    await Promise.all(ids.map(recorded));
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
