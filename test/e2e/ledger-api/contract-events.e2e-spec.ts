import { EventReader, type Message } from '../../support/event-reader.js';
import { call, LedgerApi } from '../../support/ledger-api.js';
import { until } from '../../support/until.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown;
const PATH = '/api/v1/contracts/basic/events';

let api: LedgerApi;

beforeAll(async () => {
  api = await LedgerApi.start();
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

const follow = (query = '', after?: string) =>
  EventReader.open(`${api.origin}${PATH}${query}`, after === undefined ? {} : { after });
const lastBlock = async (): Promise<number> =>
  ((await api.api('GET', '/blockchain/height')).json as { data: { height: number } }).data.height - 1;
/** Waits until a reader has seen the whole chain. */
const reached = async (reader: EventReader): Promise<EventReader> => {
  const last = await lastBlock();
  await until(() => reader.lastId.startsWith(`${last}:end:`));
  return reader;
};
const shown = (messages: readonly Message[]) =>
  messages.map(
    ({ data }) => `${String(data['eventName'])} ${(JSON.parse(String(data['payload'])) as { ID: string }).ID}`,
  );

describe('GET /contracts/{chaincode}/events', () => {
  it('sends the events that the contract sets, from the next block on', async () => {
    await api.create('before');
    const reader = await follow();
    expect(reader).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
    const created = await api.create('car "7" \u2028 é');
    const path = `/assets/${encodeURIComponent('car "7" \u2028 é')}`;
    await api.api('PUT', path, { body: { ...FIELDS, color: 'red' } });
    await api.api('PUT', `${path}/transfer`, { body: { newOwner: 'Ben' } });
    await api.api('POST', '/contracts/basic/submit', { body: { function: 'DeleteAsset', arguments: ['before'] } });
    // One transaction that changes several assets has no event.
    await api.api('POST', '/ledger/init');
    const { messages } = await reached(reader);
    const block = (created.json as { data: { transactionId: string } }).data.transactionId;
    const asset = { ID: 'car "7" \u2028 é', ...FIELDS };
    expect(messages[0]).toEqual({
      event: 'chaincode',
      id: expect.stringMatching(/^\d+:0:0:[0-9a-f]{8}$/) as unknown,
      data: {
        type: 'chaincode',
        transactionId: block,
        blockNumber: Number(messages[0]!.id.split(':', 1)[0]),
        timestamp: TIME,
        creatorId: 'User1@org1.example.com',
        creatorMspId: 'Org1MSP',
        chaincode: 'basic',
        eventName: 'CreateAsset',
        payload: JSON.stringify(asset),
        encoding: 'text',
      },
    });
    expect(shown(messages)).toEqual([
      `CreateAsset ${asset.ID}`,
      `UpdateAsset ${asset.ID}`,
      `TransferAsset ${asset.ID}`,
      'DeleteAsset before',
    ]);
    await reader.close();
  });

  it('sends only events of the selected names', async () => {
    const all = await reached(await follow('?from=0'));
    for (const names of [['TransferAsset'], ['CreateAsset', 'DeleteAsset'], ['none of these']]) {
      const query = names.map((name) => `event=${encodeURIComponent(name)}`).join('&');
      const some = await reached(await follow(`?from=0&${query}`));
      expect(some.messages).toEqual(all.messages.filter(({ data }) => names.includes(String(data['eventName']))));
      await some.close();
    }
    await all.close();
  });

  it('resumes after any event exactly, also with another selection and after a kill of the server', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, n) => api.create(`many-${n}`)));
    const whole = await reached(await follow('?from=0'));
    await api.program.end('SIGKILL');
    await whole.closed;
    api = await LedgerApi.start({}, api.dataDir);
    const { messages } = whole;
    expect(new Set(whole.ids).size).toBe(messages.length);
    for (const [index, { id }] of messages.entries()) {
      const rest = await reached(await follow('', id));
      expect(rest.messages).toEqual(messages.slice(index + 1));
      await rest.close();
      const transfers = await reached(await follow('?event=TransferAsset', id));
      const later = messages.slice(index + 1).filter(({ data }) => data['eventName'] === 'TransferAsset');
      expect(transfers.messages).toEqual(later);
      await transfers.close();
    }
    const end = await follow('', whole.lastId);
    await api.create('after-kill');
    expect(shown(await end.count(1))).toEqual(['CreateAsset after-kill']);
    await end.close();
  });

  it('moves the position of a client that receives no events', async () => {
    const reader = await follow('?event=none');
    await until(() => reader.lastId !== '');
    const { lastId } = reader;
    await api.create('unselected');
    await reached(reader);
    expect(reader.lastId).not.toBe(lastId);
    expect(reader.messages).toEqual([]);
    await reader.close();
  });

  it.each([
    ['an empty name', '?event=', 400, 'API.INVALID_REQUEST'],
    ['a long name', `?event=${'x'.repeat(257)}`, 400, 'API.INVALID_REQUEST'],
    ['too many names', `?${'event=a&'.repeat(21)}`, 400, 'API.INVALID_REQUEST'],
    ['another parameter', '?name=x', 400, 'API.INVALID_REQUEST'],
    ['a block that is no number', '?from=x', 400, 'API.INVALID_REQUEST'],
  ])('refuses %s', async (_, query, status, code) => {
    expect(await call(api.origin, 'GET', `${PATH}${query}`)).toMatchObject({
      status,
      headers: { 'x-error-code': code },
    });
  });

  it('refuses ids of missing events, chaincodes that are not there, and system chaincodes', async () => {
    const headers = { 'last-event-id': '1:77:0' };
    expect(await call(api.origin, 'GET', PATH, { headers })).toMatchObject({ status: 400 });
    for (const [name, status, code] of [
      ['cars', 404, 'LEDGER.CHAINCODE_UNKNOWN'],
      ['not%20a%20name', 404, 'LEDGER.CHAINCODE_UNKNOWN'],
      ['qscc', 403, 'API.NOT_LISTED'],
    ] as const) {
      const answer = await api.api('GET', `/contracts/${name}/events`);
      expect(answer).toMatchObject({ status, headers: { 'x-error-code': code } });
    }
  });
});
