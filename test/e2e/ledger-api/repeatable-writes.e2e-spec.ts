import { verifyLedger } from '#embedded-ledger';
import { createUnder, KilledWrites, pinOf, proveOneOfCopies, proveOneOfTwoBodies } from '../../support/keyed-writes.js';
import { FIELDS, LedgerApi } from '../../support/ledger-api.js';
import { until } from '../../support/until.js';

const KILLS = 3;
const WRITERS = 6;
const WRITES = 10;

let api: LedgerApi;
beforeAll(async () => {
  api = await LedgerApi.start();
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

describe('a read that starts after a write was answered', () => {
  it('returns what was written, on another connection, while many others read and write', async () => {
    for (let n = 0; n < WRITERS; n++) await api.create(`asset-${n}`, { owner: 'start' });
    let isDone = false;
    const reader = async (n: number): Promise<void> => {
      while (!isDone) expect((await api.api('GET', `/assets/asset-${n}`)).status).toBe(200);
    };
    const writer = async (n: number): Promise<unknown[]> => {
      const seen: unknown[] = [];
      for (let write = 0; write < WRITES; write++) {
        const path = `/assets/asset-${n}`;
        // Each call has its own connection.
        const answer = await api.api('PUT', `${path}/transfer`, { body: { newOwner: `owner-${write}` } });
        expect(answer.status).toBe(200);
        seen.push((await api.api('GET', path)).json);
      }
      return seen;
    };
    const readers = Array.from({ length: WRITERS }, (_, n) => reader(n));
    const seen = await Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n)));
    isDone = true;
    await Promise.all(readers);
    for (const answers of seen) {
      expect(answers).toMatchObject(Array.from({ length: WRITES }, (_, n) => ({ data: { owner: `owner-${n}` } })));
    }
  });
});

describe('writes with an Idempotency-Key', () => {
  /** The content of the ledger, read while the server runs. */
  const verified = () => verifyLedger({ path: api.dataDir });
  const height = async (): Promise<number> =>
    ((await api.api('GET', '/blockchain/height')).json as { data: { height: number } }).data.height;

  it('are answered as the first one was, header for header but those of the request, and record nothing more', async () => {
    const put = (path: string, body: object) =>
      api.api('PUT', path, { body, headers: { 'idempotency-key': `"${path}"` } });
    const create = () => createUnder('first', api.origin, { ...FIELDS, id: 'a' });
    const writes = [create, () => put('/assets/a', FIELDS), () => put('/assets/a/transfer', { newOwner: 'Ann' })];
    const first = [];
    for (const write of writes) first.push(await write());
    const before = await height();
    for (const [index, write] of writes.entries()) {
      const { status, text, headers } = await write();
      const { status: expected, text: firstText, headers: were } = first[index]!;
      expect({ status, text }).toEqual({ status: expected, text: firstText });
      expect(headers['x-transaction-id']).toBe(were['x-transaction-id']);
      expect([were['idempotency-replayed'], headers['idempotency-replayed']]).toEqual([undefined, 'true']);
    }
    expect(await height()).toBe(before);
  });

  it('make one id where the request has none, the same for each copy', async () => {
    const { json } = await createUnder('no-id', api.origin, FIELDS);
    const { asset } = (json as { data: { asset: { ID: string } } }).data;
    expect(asset.ID).toMatch(/^[0-9a-f-]{14}8[0-9a-f-]{21}$/);
  });

  it('are refused with 422 when the key belongs to another write, and 400 when it is malformed', async () => {
    const answer = await createUnder('first', api.origin, { ...FIELDS, id: 'b' });
    expect(answer.status).toBe(422);
    expect(answer.json).toEqual({ success: false, message: expect.stringContaining('Idempotency-Key') as unknown });
    for (const key of ['a b', '""', 'x'.repeat(256)]) {
      expect((await createUnder(key, api.origin, { ...FIELDS, id: 'b' })).status).toBe(400);
    }
    expect((await api.api('GET', '/assets/b')).status).toBe(404);
  });

  it('are the same write with If-Match: * and without If-Match', async () => {
    await api.create('any');
    const put = (headers: object) =>
      api.api('PUT', '/assets/any', { body: FIELDS, headers: { 'idempotency-key': 'any', ...headers } });
    expect((await put({})).status).toBe(200);
    const repeated = await put({ 'if-match': '*' });
    expect([repeated.status, repeated.headers['idempotency-replayed']]).toEqual([200, 'true']);
  });

  it('let POST /ledger/init and reads ignore the key', async () => {
    const headers = { 'idempotency-key': 'a bad one' };
    for (let n = 0; n < 2; n++) expect((await api.api('POST', '/ledger/init', { headers })).status).toBe(200);
    expect((await api.api('GET', '/assets/asset1', { headers })).status).toBe(200);
  });

  it('are one transaction, however many copies are sent at once', async () => {
    const before = await height();
    await proveOneOfCopies([api.origin], 20, 'copies');
    expect(await height()).toBe(before + 1);
    await proveOneOfTwoBodies([api.origin], ['two-bodies-0', 'two-bodies-1']);
  });

  it(`have their first outcome after ${KILLS} times kill -9 between commit and answer`, async () => {
    const writes = new KilledWrites('killed');
    await writes.prepare(api.origin);
    const { transactions: before } = await verified();
    // On a busy machine all answers may be out before the kill: then these rounds have shown nothing.
    await until(async () => {
      api = await writes.rounds(KILLS, api, () => LedgerApi.start({}, api.dataDir), pinOf(api));
      return writes.unanswered > 0;
    });
    const { transactions, findings } = await verified();
    expect(transactions - before).toBe(writes.written);
    expect(findings).toEqual([]);
  });
});
