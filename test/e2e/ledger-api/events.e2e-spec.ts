import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEmbeddedLedger } from '#embedded-ledger';
import { runConsumer } from '../../support/documented-consumer.js';
import { followThroughCuts, replayedEvents, seededRandom } from '../../support/event-proof.js';
import { EventReader, type Message } from '../../support/event-reader.js';
import { call, LedgerApi } from '../../support/ledger-api.js';
import { addCaller, changeCallers, ledgerTool } from '../../support/ledger-callers.js';
import { exchange, RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown;
const PATH = '/api/v1/events';
const NAMES = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };
/** The same cuts in every run; `npm run test:interop -- events` draws others. */
const seed = 1;

let api: LedgerApi;

beforeAll(async () => {
  api = await LedgerApi.start();
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

const follow = (query = '', after?: string) =>
  EventReader.open(`${api.origin}${PATH}${query}`, after === undefined ? {} : { after });

/** Events of assets, without those that end blocks. */
const ofAssets = (messages: readonly Message[]) => messages.filter(({ event }) => event !== 'block');

describe('GET /events', () => {
  it('sends the changes of assets and each block, from the next block on', async () => {
    await api.create('before');
    const reader = await follow();
    expect(reader.status).toBe(200);
    const created = await api.create('car "7" \u2028 é');
    const path = `/assets/${encodeURIComponent('car "7" \u2028 é')}`;
    const updated = await api.api('PUT', path, { body: { ...FIELDS, color: 'red' } });
    const transferred = await api.api('PUT', `${path}/transfer`, { body: { newOwner: 'Ben' } });
    const messages = await reader.count(6);
    const transactions = [created, updated, transferred].map(({ headers }) => headers['x-transaction-id']);
    const asset = { ID: 'car "7" \u2028 é', ...FIELDS };
    const first = messages[0]!.data['blockNumber'] as number;
    const hashes = messages.filter(({ event }) => event === 'block').map(({ data }) => String(data['blockHash']));
    const expected = (type: string, index: number, now: object) => ({
      event: type,
      id: `${first + index}:0:0:${hashes[index]!.slice(0, 8)}`,
      data: {
        type,
        transactionId: transactions[index],
        blockNumber: first + index,
        timestamp: TIME,
        creatorId: 'User1@org1.example.com',
        creatorMspId: 'Org1MSP',
        assetId: asset.ID,
        asset: now,
      },
    });
    expect(ofAssets(messages)).toEqual([
      expected('asset.created', 0, asset),
      expected('asset.updated', 1, { ...asset, color: 'red' }),
      expected('asset.transferred', 2, { ...asset, color: 'red', owner: 'Ben' }),
    ]);
    const info = (await api.api('GET', '/blockchain/info')).json as { data: { blockHash: string } };
    expect(messages[5]).toEqual({
      event: 'block',
      id: `${first + 2}:end:${info.data.blockHash.slice(0, 8)}`,
      data: {
        type: 'block',
        blockNumber: first + 2,
        blockHash: info.data.blockHash,
        previousBlockHash: messages[3]!.data['blockHash'],
        timestamp: messages[4]!.data['timestamp'],
        transactions: 1,
      },
    });
    await reader.close();
  });

  it('sends the whole chain from its first block, and after any event what follows it, each event once', async () => {
    await api.api('POST', '/ledger/init');
    await Promise.all(Array.from({ length: 30 }, (_, n) => api.create(`many-${n}`)));
    const { height } = ((await api.api('GET', '/blockchain/height')).json as { data: { height: number } }).data;
    const whole = await follow('?from=0');
    await until(() => whole.lastId.startsWith(`${height - 1}:end:`));
    const { messages, ids } = whole;
    expect(messages[0]).toMatchObject({
      id: expect.stringMatching(/^0:end:[0-9a-f]{8}$/) as unknown,
      data: { blockNumber: 0, transactions: 1 },
    });
    expect(new Set(ids).size).toBe(ids.length);
    expect(messages.filter(({ event }) => event === 'block')).toHaveLength(height);
    // One transaction with six events.
    const init = messages.filter(({ data }) => /^asset[1-6]$/.test(data['assetId'] as string));
    expect(init.map(({ id }) => id.split(':')[2])).toEqual(['0', '1', '2', '3', '4', '5']);
    for (const [index, id] of ids.entries()) {
      const rest = await follow('?from=0', id);
      expect((await rest.count(ids.length - index - 1)).slice(0, ids.length)).toEqual(messages.slice(index + 1));
      await rest.close();
    }
    for (const from of [1, height - 1]) {
      const rest = await follow(`?from=${from}`);
      await until(() => rest.lastId.startsWith(`${height - 1}:end:`));
      expect(rest.messages).toEqual(messages.slice(ids.findIndex((id) => id.startsWith(`${from - 1}:end:`)) + 1));
      await rest.close();
    }
    await whole.close();
  });

  it('lets a client that has received no event resume', async () => {
    const quiet = await follow();
    await until(() => quiet.lastId !== '');
    await quiet.close();
    await api.create('while-away');
    const again = await follow('', quiet.lastId);
    expect(await again.count(2)).toMatchObject([{ data: { assetId: 'while-away' } }, { event: 'block' }]);
    await again.close();
  });

  it('resumes after the server was killed and started again', async () => {
    const first = await follow('?from=0');
    await api.create('before-kill');
    await until(() => first.messages.some(({ data }) => data['assetId'] === 'before-kill'));
    await api.program.end('SIGKILL');
    await first.closed;
    api = await LedgerApi.start({}, api.dataDir);
    await api.create('after-kill');
    const second = await follow('', first.lastId);
    await until(() => second.messages.some(({ data }) => data['assetId'] === 'after-kill'));
    const whole = await follow('?from=0');
    await whole.count(first.messages.length + second.messages.length);
    expect(whole.messages).toEqual([...first.messages, ...second.messages]);
    await Promise.all([second.close(), whole.close()]);
  });

  it.each([
    ['garbage', 'x', 'API.INVALID_REQUEST'],
    ['a block alone', '1', 'API.INVALID_REQUEST'],
    ['two ids', '0:end, 1:end', 'API.INVALID_REQUEST'],
    ['a block beyond the head', '100000:end', 'API.INVALID_REQUEST'],
    ['an event of a block beyond the head', '100000:0:0', 'API.INVALID_REQUEST'],
    ['an event that does not exist', '1:77:0', 'API.INVALID_REQUEST'],
    ['the id of another ledger', '1:end:00000000', 'API.INVALID_REQUEST'],
    ['an event of another ledger', '1:0:0:00000000', 'API.INVALID_REQUEST'],
    ['an event of a block without any', '0:0:0', 'API.INVALID_REQUEST'],
  ])('refuses %s with 400', async (_, id, code) => {
    const answer = await call(api.origin, 'GET', PATH, { headers: { 'last-event-id': id } });
    expect(answer).toMatchObject({ status: 400, json: { success: false }, headers: { 'x-error-code': code } });
  });

  it.each(['?from=', '?from=-1', '?from=1&from=2', '?from=100000', '?after=1'])(
    'refuses %s with 400',
    async (query) => {
      expect(await call(api.origin, 'GET', `${PATH}${query}`)).toMatchObject({ status: 400, json: { success: false } });
    },
  );

  it('has the headers of a stream, for GET and HEAD, with HTTP/1.1 and 1.0, whatever is accepted', async () => {
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String) as unknown,
    };
    for (const accept of ['text/event-stream', 'application/json', '*/*']) {
      const answer = await call(api.origin, 'GET', PATH, { headers: { accept } });
      expect(answer).toMatchObject({ status: 200, headers });
    }
    expect(await call(api.origin, 'HEAD', PATH)).toMatchObject({ status: 200, headers, text: '' });
    expect(await call(api.origin, 'HEAD', `${PATH}?from=x`)).toMatchObject({ status: 400 });
    const head = await exchange(api.origin, `HEAD ${PATH}?from=0 HTTP/1.0\r\n\r\n`);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/);
    const old = await RawConnection.open(api.origin);
    const text = await old.write(`GET ${PATH}?from=0 HTTP/1.0\r\n\r\n`).until('id: 0:end:');
    expect(text).toMatch(/\r\n\r\nretry: 2000\n\nevent: block\nid: 0:end:[0-9a-f]{8}\n/);
    expect(text).not.toMatch(/transfer-encoding/i);
    old.socket.destroy();
  });

  it('exports open streams and sent events as metrics', async () => {
    const figures = async () => (await call(api.origin, 'GET', '/metrics')).text;
    await until(async () => (await figures()).includes('ledger_event_streams 0'));
    const readers = await Promise.all([follow('?from=0'), follow()]);
    await until(async () => (await figures()).includes('ledger_event_streams 2'));
    expect(await figures()).toMatch(/ledger_events_sent_total [1-9]/);
    expect(await figures()).toMatch(/ledger_event_streams_cut_total\{reason="slow"\} 0/);
    await Promise.all(readers.map((reader) => reader.close()));
    await until(async () => (await figures()).includes('ledger_event_streams 0'));
    expect(await figures()).not.toMatch(/duration_seconds_count\{method="GET",route="\/api\/v1\/events",status="200"/);
  });
});

describe(`following while clients and the server are cut (seed ${seed})`, () => {
  it('sends each follower each event once and in order', async () => {
    const kill = async (): Promise<void> => {
      await api.program.end('SIGKILL');
      api = await LedgerApi.start({}, api.dataDir);
    };
    const height = async () =>
      ((await api.api('GET', '/blockchain/height')).json as { data: { height: number } }).data.height;
    const proof = { followers: 5, writes: 300, cuts: 20, breaks: [kill], random: seededRandom(seed) };
    const followers = await followThroughCuts({ ...proof, origins: () => [api.origin], limitMs: 120_000 }, height);
    const ledger = await createEmbeddedLedger({ ...NAMES, dataDir: api.dataDir, readOnly: true });
    const expected = await replayedEvents(ledger, NAMES.chaincode);
    await ledger.close();
    for (const { messages } of followers) expect(messages.map(({ id, event }) => `${id} ${event}`)).toEqual(expected);
  });
});

describe('the consumer in TypeScript of docs/events.md', () => {
  it('processes each event once, through restarts of the server and its own', async () => {
    const { printed, events } = await runConsumer('ts', process.execPath);
    expect(printed).toEqual(events);
  });
});

describe('with callers', () => {
  it('requires a key, and cuts both streams of a revoked caller while others continue', async () => {
    const own = await LedgerApi.start({ LEDGER_AUTH: 'on' });
    try {
      const add = (name: string, role: string) =>
        changeCallers(own, () => addCaller(own.dataDir, name, '--role', role));
      const [ana, ben] = [await add('ana', 'writer'), await add('ben', 'reader')];
      const as = (key: string) => ({ headers: { 'x-api-key': key } });
      expect(await own.api('GET', '/events')).toMatchObject({ status: 401 });
      const contract = '/api/v1/contracts/basic/events';
      expect(await own.api('GET', '/contracts/basic/events')).toMatchObject({ status: 401 });
      const readers = await Promise.all([ana, ben].map((key) => EventReader.open(`${own.origin}${PATH}`, as(key))));
      const ofContract = await EventReader.open(`${own.origin}${contract}`, as(ben));
      expect(ofContract.status).toBe(200);
      await ledgerTool(own.dataDir, 'callers', 'revoke', 'ben');
      await Promise.all([readers[1]!.closed, ofContract.closed]);
      await own.api('POST', '/assets', { body: { id: 'a', ...FIELDS }, ...as(ana) });
      expect(await readers[0]!.count(2)).toMatchObject([{ data: { creatorId: 'ana@org1.example.com' } }, {}]);
      expect(readers[1]!.messages).toEqual([]);
      const cut = /"caller":"ben".*"reason":"revoked".*an event stream was cut/g;
      await until(() => own.program.stdout.match(cut)?.length === 2);
    } finally {
      await own.stop();
    }
  });
});

describe('a stop with streams open', () => {
  it('closes them at once, also those of clients that do not read', async () => {
    const readers = await Promise.all(Array.from({ length: 200 }, () => follow()));
    const raw = await RawConnection.open(api.origin);
    await raw.write(`GET ${PATH}?from=0 HTTP/1.1\r\nHost: localhost\r\n\r\n`).until('0:end');
    raw.socket.pause();
    await api.create('last');
    await Promise.all(readers.map((reader) => reader.count(2)));
    let ended: unknown;
    void api.program.end().then((how) => (ended = how));
    // A stream that stays open delays the drain by ten seconds.
    await until(() => ended !== undefined, 8000);
    expect(ended).toEqual({ code: 0, signal: null });
    await Promise.all(readers.map((reader) => reader.closed));
  });
});
