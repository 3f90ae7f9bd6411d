import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startStandIn, type StandInSetting } from '../../../libs/fabric-ledger/src/testing/start-stand-in.js';
import { EventReader } from '../../support/event-reader.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';
import { gatewayEnv, STAND_IN_DRIVERS } from '../../support/stand-in-drivers.js';
import { until } from '../../support/until.js';

const NETWORK = { otherChannels: ['payments'] };
/** A channel that no peer has joined is configured too. */
const CHANNELS = { LEDGER_CHANNELS: 'payments,unjoined' };

const dataOf = ({ json }: Answer): unknown => (json as { readonly data: unknown }).data;
const unknownChannel = { status: 404, headers: { 'x-error-code': 'LEDGER.CHANNEL_UNKNOWN' } };

describe.each(STAND_IN_DRIVERS)('channels with LEDGER_DRIVER=$driver', ({ driver, envOf }) => {
  let standIn: StandInSetting;
  let api: LedgerApi;
  beforeAll(async () => {
    standIn = await startStandIn(NETWORK);
    api = await LedgerApi.start({ ...CHANNELS, ...envOf(standIn) });
  });
  afterAll(async () => {
    await api.stop();
    standIn.dispose();
  });

  const submit = (path: string, id: string, headers = {}): Promise<Answer> =>
    api.api('POST', `${path}/contracts/basic/submit`, {
      body: { function: 'CreateAsset', arguments: [id, 'blue', '5', 'Tom', '100'] },
      headers,
    });

  it('writes to and reads from the channel of the path only', async () => {
    const written = await submit('/channels/payments', 'paid');
    expect(written.status).toBe(200);
    const { transactionId, blockNumber } = dataOf(written) as { transactionId: string; blockNumber: number };
    const ofPayments = `/channels/payments/transactions/${transactionId}`;
    expect(dataOf(await api.api('GET', ofPayments))).toMatchObject({ channelId: 'payments', blockNumber });
    expect((await api.api('GET', `/transactions/${transactionId}`)).status).toBe(404);
    expect((await api.api('GET', `${ofPayments}/receipt`)).status).toBe(200);
    const info = await api.api('GET', '/channels/payments/blockchain/info');
    expect(dataOf(info)).toMatchObject({ chainName: 'payments', height: blockNumber + 1 });
    const { headers } = await api.api('GET', `/channels/payments/blocks/${blockNumber}`, {
      headers: { accept: 'application/octet-stream' },
    });
    expect(headers['content-disposition']).toContain(`payments_${blockNumber}.block`);
    const read = { body: { function: 'ReadAsset', arguments: ['paid'] } };
    expect((await api.api('POST', '/channels/payments/contracts/basic/evaluate', read)).status).toBe(200);
    expect((await api.api('POST', '/contracts/basic/evaluate', read)).status).toBe(422);
    expect((await api.api('GET', '/assets/paid')).status).toBe(404);
  });

  it('serves the default channel under its name too', async () => {
    const written = await submit('/channels/mychannel', 'named');
    expect(written.status).toBe(200);
    expect((await api.api('GET', '/assets/named')).status).toBe(200);
    expect(dataOf(await api.api('GET', '/channels/mychannel/blockchain/info'))).toEqual(
      dataOf(await api.api('GET', '/blockchain/info')),
    );
  });

  it('links the pages of lists within their channel', async () => {
    const { headers, json } = await api.api('GET', '/channels/payments/blocks?limit=1');
    expect((json as { data: readonly unknown[] }).data).toHaveLength(1);
    expect(headers['link']).toMatch(/^<\/api\/v1\/channels\/payments\/blocks\?limit=1&before=\d+>; rel="next"$/);
  });

  it('makes one transaction of a repeated write on each channel', async () => {
    const key = { 'idempotency-key': 'pay-once' };
    const first = await submit('/channels/payments', 'once', key);
    const again = await submit('/channels/payments', 'once', key);
    expect(again).toMatchObject({ status: 200, json: first.json, headers: { 'idempotency-replayed': 'true' } });
    const other = await submit('', 'once', key);
    expect(other.headers['idempotency-replayed']).toBeUndefined();
    expect(dataOf(other)).not.toEqual(dataOf(first));
  });

  it('streams the events of the channel of the path, and resumes there', async () => {
    const events = await EventReader.open(`${api.origin}/api/v1/channels/payments/events`);
    const others = await EventReader.open(`${api.origin}/api/v1/events`);
    const one = (await submit('/channels/payments', 'event-1')).headers['x-transaction-id'];
    await submit('/channels/payments', 'event-2');
    const [first, , second] = await events.count(4);
    expect(first).toMatchObject({ event: 'asset.created', data: { transactionId: one, assetId: 'event-1' } });
    await events.close();
    expect(others.messages).toEqual([]);
    await others.close();
    const after = await EventReader.open(`${api.origin}/api/v1/channels/payments/events`, { after: first!.id });
    const resumed = await after.count(3);
    expect(resumed[1]).toEqual(second);
    await after.close();
    // An id of one channel names no event of another, although that has such a block too: a missing one is waited for.
    const { chain } = standIn.network;
    const [block = ''] = first!.id.split(':', 1);
    while (chain.blocks.length <= Number(block)) await submit('', `block-${chain.blocks.length}`);
    const foreign = await EventReader.open(`${api.origin}/api/v1/events`, { after: first!.id });
    expect(foreign.status).toBe(400);
  });

  it('finds blocks and transactions of the channel, and no assets', async () => {
    const { headers } = await submit('/channels/payments', '0');
    const id = String(headers['x-transaction-id']);
    const search = async (text: string): Promise<unknown> =>
      dataOf(await api.api('GET', `/channels/payments/search?text=${text}`));
    expect(await search(id)).toEqual([{ kind: 'transaction', value: id }]);
    const found = await search('0');
    expect(found).toContainEqual({ kind: 'block', value: '0' });
    // Ids and hashes may begin with any digit; the default channel has an asset 0.
    expect(found).not.toContainEqual({ kind: 'asset', value: '0' });
  });

  it.each([
    'GET /nowhere/blocks',
    'POST /nowhere/contracts/basic/submit',
    'GET /nowhere/events',
    'GET /Not_a_name/blocks',
  ])('answers 404 to %s, because the channel is not configured', async (operation) => {
    const [method = '', path = ''] = operation.split(' ');
    const body = method === 'POST' ? { body: { function: 'ReadAsset', arguments: ['a'] } } : {};
    expect(await api.api(method, `/channels${path}`, body)).toMatchObject(unknownChannel);
  });

  it.each(['blocks', 'blockchain/height', 'transactions', `transactions/${'a'.repeat(64)}`, 'events', 'search?text=1'])(
    'answers 404 to GET /channels/unjoined/%s, because the peer has not joined the channel',
    async (path) => {
      expect(await api.api('GET', `/channels/unjoined/${path}`)).toMatchObject(unknownChannel);
    },
  );

  it('answers 404 to calls of contracts on a channel that the peer has not joined', async () => {
    expect(await submit('/channels/unjoined', 'a')).toMatchObject(unknownChannel);
  });

  it('answers 503 for a channel that is down, names it, and serves the others', async () => {
    const ready = (): Promise<Response> => fetch(`${api.origin}/readyz`);
    const isNamed = async (): Promise<boolean> => {
      const { channels } = (await (await ready()).json()) as { readonly channels?: Readonly<Record<string, string>> };
      return channels?.['payments'] !== undefined;
    };
    await until(async () => !(await isNamed()));
    standIn.network.downChannels.add('payments');
    try {
      const down = { status: 503, headers: { 'x-error-code': 'LEDGER.UNAVAILABLE' } };
      expect(await api.api('GET', '/channels/payments/blocks')).toMatchObject(down);
      expect((await api.api('GET', '/blocks')).status).toBe(200);
      expect((await submit('', 'meanwhile')).status).toBe(200);
      await until(isNamed);
      expect((await ready()).status).toBe(200);
      expect(dataOf(await api.api('GET', '/channels'))).toMatchObject([
        { name: 'mychannel', isDefault: true, status: 'ready', height: expect.any(Number) as unknown },
        { name: 'payments', isDefault: false, status: 'unavailable' },
        { name: 'unjoined', isDefault: false, status: 'unavailable' },
      ]);
    } finally {
      standIn.network.downChannels.clear();
    }
    await until(async () => (await submit('/channels/payments', `after-${Date.now()}`)).status === 200);
  });

  it('is not ready while the default channel is unavailable, although others can be served', async () => {
    const statusOf = async (): Promise<number> => (await fetch(`${api.origin}/readyz`)).status;
    await until(async () => (await statusOf()) === 200);
    standIn.network.downChannels.add('mychannel');
    try {
      await until(async () => (await statusOf()) === 503);
      expect((await api.api('GET', '/channels/payments/blocks')).status).toBe(200);
    } finally {
      standIn.network.downChannels.clear();
    }
    await until(async () => (await statusOf()) === 200);
  });

  it('answers 503 to writes on a channel that the orderers no longer serve, names it, and writes to the others', async () => {
    const { removedChannels } = standIn.network.orderer;
    removedChannels.add('payments');
    try {
      expect(await submit('/channels/payments', 'lost')).toMatchObject({
        status: 503,
        headers: { 'x-error-code': 'LEDGER.UNAVAILABLE', 'retry-after': '1' },
      });
      expect((await submit('', `kept-${driver}`)).status).toBe(200);
      expect((await api.api('GET', '/channels/payments/blocks')).status).toBe(200);
      await until(async () => {
        const states = dataOf(await api.api('GET', '/channels')) as readonly { name: string; status: string }[];
        return states.some(({ name, status }) => name === 'payments' && status === 'read-only');
      });
    } finally {
      removedChannels.clear();
    }
    expect((await submit('/channels/payments', 'again')).status).toBe(200);
  });

  it('measures the height of each channel, those of the others with a label', async () => {
    let text = '';
    // A scrape does not wait for the peers; the next one has what they answered.
    await until(async () => {
      text = await (await fetch(`${api.origin}/metrics`)).text();
      return /^ledger_height \d+$/m.test(text) && /^ledger_height\{channel="payments"\} \d+$/m.test(text);
    });
    expect(text).not.toMatch(/^ledger_height\{channel="unjoined"\}/m);
    expect(text).toContain('/api/v1/channels/:channel/blocks');
  });
});

describe('roles that name a channel', () => {
  let standIn: StandInSetting;
  let api: LedgerApi;
  const keys = new Map<string, string>();
  const ROLES = { auditor: 'reader@payments', carol: 'reader,writer@payments', dora: 'admin@payments', eve: 'writer' };
  beforeAll(async () => {
    standIn = await startStandIn(NETWORK);
    const env = { LEDGER_AUTH: 'on', LEDGER_CONTRACTS: 'basic:CreateAsset', ...CHANNELS };
    api = await LedgerApi.start({ ...env, ...gatewayEnv(standIn) });
    for (const [name, role] of Object.entries(ROLES)) {
      keys.set(name, await changeCallers(api, () => addCaller(api.dataDir, name, '--role', role, '--new')));
    }
  });
  afterAll(async () => {
    await api.stop();
    standIn.dispose();
  });

  const headersOf = (name: string) => ({ 'x-api-key': keys.get(name)! });
  const get = async (name: string, path: string): Promise<Answer> => api.api('GET', path, { headers: headersOf(name) });
  const submit = async (name: string, path: string, call = 'CreateAsset'): Promise<number> => {
    const body = { function: call, arguments: [`${name}-${path.length}`, 'blue', '5', 'Tom', '100'] };
    const { status } = await api.api('POST', `${path}/contracts/basic/submit`, { body, headers: headersOf(name) });
    return status;
  };

  it.each([
    ['auditor', '/channels/payments/blocks', 200],
    ['auditor', '/blocks', 403],
    ['auditor', '/channels/mychannel/blocks', 403],
    ['auditor', '/assets', 403],
    ['auditor', '/channels/payments/events', 200],
    ['auditor', '/channels/mychannel/events', 403],
    ['auditor', '/channels/nowhere/blocks', 403],
    ['carol', '/blocks', 200],
    ['carol', '/channels/payments/blocks', 200],
    ['carol', '/channels/nowhere/blocks', 404],
    ['eve', '/channels/payments/blocks', 200],
  ])('answer %s on %s with the status %d', async (name, path, status) => {
    expect((await get(name, path)).status).toBe(status);
  });

  it('permit writes on their channel only, also of listed functions', async () => {
    expect(await submit('carol', '/channels/payments')).toBe(200);
    expect(await submit('carol', '')).toBe(403);
    expect(await submit('auditor', '/channels/payments')).toBe(403);
    expect(await submit('eve', '/channels/payments')).toBe(200);
    // A function that is not listed.
    expect(await submit('eve', '/channels/payments', 'DeleteAsset')).toBe(403);
    expect(await submit('dora', '/channels/payments', 'DeleteAsset')).toBe(422);
    expect(await submit('dora', '/channels/mychannel', 'DeleteAsset')).toBe(403);
  });

  it('are refused before the body, and logged with their channel', async () => {
    const body = '{"this is no JSON';
    const refused = await api.api('POST', '/channels/mychannel/contracts/basic/submit', {
      body,
      headers: { ...headersOf('auditor'), 'content-type': 'application/json' },
    });
    expect(refused).toMatchObject({ status: 403, headers: { 'x-error-code': 'API.ROLE_NEEDED' } });
    const logged = () =>
      api.program.stdout.split('\n').findLast((each) => /"caller":"auditor".*"msg":"write"/.test(each)) ?? '';
    // The log is written after the answer.
    await until(() => logged().includes('"channel":"mychannel"'));
    expect(JSON.parse(logged())).toMatchObject({
      operation: 'POST /api/v1/channels/:channel/contracts/:chaincode/submit',
      channel: 'mychannel',
      status: 403,
    });
  });

  it('decide which channels are listed, and are returned', async () => {
    expect(dataOf(await get('auditor', '/channels'))).toMatchObject([{ name: 'payments' }]);
    expect(dataOf(await get('carol', '/channels'))).toMatchObject([
      { name: 'mychannel' },
      { name: 'payments' },
      { name: 'unjoined' },
    ]);
    expect(dataOf(await get('auditor', '/callers/me'))).toEqual({
      loginNeeded: true,
      name: 'auditor',
      channels: [{ channel: 'payments', role: 'reader' }],
    });
    expect(dataOf(await get('carol', '/callers/me'))).toMatchObject({
      role: 'reader',
      channels: [{ channel: 'payments', role: 'writer' }],
    });
  });

  it('permit metrics with a role on every channel', async () => {
    const metrics = async (name: string): Promise<number> =>
      (await fetch(`${api.origin}/metrics`, { headers: headersOf(name) })).status;
    expect([await metrics('auditor'), await metrics('carol')]).toEqual([403, 200]);
  });

  it('are refused by the command if they are none', async () => {
    await expect(addCaller(api.dataDir, 'frank', '--role', 'owner@payments')).rejects.toThrow(
      'A role must be one of reader, writer, admin',
    );
  });
});

describe('the embedded ledger', () => {
  it('has one channel, whatever LEDGER_CHANNELS lists', async () => {
    const api = await LedgerApi.start({ LEDGER_CHANNELS: 'payments' });
    try {
      await api.create('a');
      expect(dataOf(await api.api('GET', '/channels'))).toEqual([
        { name: 'mychannel', isDefault: true, status: 'ready', height: 2 },
      ]);
      expect((await api.api('GET', '/channels/mychannel/blocks/1')).status).toBe(200);
      expect(await api.api('GET', '/channels/payments/blocks')).toMatchObject(unknownChannel);
    } finally {
      await api.stop();
    }
  });
});
