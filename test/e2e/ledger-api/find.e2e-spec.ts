import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FIELDS, LedgerApi, type Answer } from '../../support/ledger-api.js';

interface Transaction {
  readonly transactionId: string;
  readonly blockNumber: number;
  readonly timestamp: string;
  readonly function: string;
  readonly firstArgument: string;
}
interface Block {
  readonly number: number;
  readonly hash: string;
  readonly timestamp: string;
}

let api: LedgerApi;
let all: Transaction[];
beforeAll(async () => {
  api = await LedgerApi.start();
  for (let n = 0; n < 5; n++) {
    await api.create(`car-${n}`, { owner: n < 3 ? 'Ana' : 'Änne' });
    await api.api('PUT', `/assets/car-${n}/transfer`, { body: { newOwner: 'Ben' } });
  }
  all = await walk<Transaction>('/transactions');
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

const data = ({ json }: Answer): unknown => (json as { data: unknown }).data;

/** All items of a list, page by page. */
async function walk<T>(path: string): Promise<T[]> {
  const items: T[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const answer = await api.api('GET', next);
    expect(answer.status).toBe(200);
    items.push(...(data(answer) as T[]));
    const { link = '' } = answer.headers as { link?: string };
    next = /^<\/api\/v1(.+)>; rel="next"$/.exec(link)?.[1];
  }
  return items;
}

const inRange = <T extends { readonly timestamp: string }>(items: readonly T[], since: string, until: string): T[] =>
  items.filter(({ timestamp }) => timestamp >= since && timestamp < until);

const CREATOR = 'creator=User1%40org1.example.com';

describe('GET /transactions', () => {
  it('finds transactions by creator and function, also on short pages', async () => {
    const transfers = all.filter((each) => each.function === 'TransferAsset');
    expect(transfers).toHaveLength(5);
    expect(await walk(`/transactions?${CREATOR}&limit=3`)).toEqual(all.filter((each) => each.function !== ''));
    expect(await walk(`/transactions?${CREATOR}&function=TransferAsset&limit=2`)).toEqual(transfers);
    expect(await walk('/transactions?function=TransferAsset')).toEqual(transfers);
    expect(await walk('/transactions?function=transferasset')).toEqual([]);
  });

  it('finds transactions by the beginning of their id, in upper or lower case', async () => {
    const [, wanted] = all;
    for (const length of [1, 2, 5, 64]) {
      const prefix = wanted!.transactionId.slice(0, length);
      const found = all.filter(({ transactionId }) => transactionId.startsWith(prefix));
      expect(await walk(`/transactions?prefix=${prefix.toUpperCase()}&limit=1`)).toEqual(found);
    }
    const { transactionId, function: name } = wanted!;
    expect(await walk(`/transactions?prefix=${transactionId}&function=${name}&${CREATOR}`)).toEqual([wanted]);
    expect(await walk(`/transactions?prefix=${transactionId}&function=Other`)).toEqual([]);
  });

  it('filters by the timestamp of transactions, with since inclusive and until exclusive', async () => {
    const [until, since] = [all[2]!.timestamp, all[6]!.timestamp];
    const wanted = inRange(all, since, until);
    expect(wanted).toContain(all[6]);
    expect(wanted).not.toContain(all[2]);
    const range = `since=${since}&until=${until}`;
    expect(await walk(`/transactions?${range}&limit=2`)).toEqual(wanted);
    expect(await walk(`/transactions?${range}&${CREATOR}&function=CreateAsset`)).toEqual(
      wanted.filter((each) => each.function === 'CreateAsset'),
    );
    expect(await walk('/transactions?since=9999-12-31T23:59:59Z')).toEqual([]);
    expect(await walk('/transactions?until=1970-01-01T00:00:00Z')).toEqual([]);
  });

  it('reads times with an offset, whose + may be unencoded, and puts them into the Link in UTC', async () => {
    const { timestamp } = all[4]!;
    const local = new Date(Date.parse(timestamp) + 90 * 60_000).toISOString().replace('Z', '');
    const wanted = inRange(all, timestamp, '~');
    expect(await walk(`/transactions?since=${local}%2B01:30&limit=2`)).toEqual(wanted);
    const answer = await api.api('GET', `/transactions?since=${local}+01:30&limit=2`);
    expect(answer.headers['link']).toContain(`since=${encodeURIComponent(timestamp)}&`);
  });

  it.each([
    ['since=yesterday', 'since'],
    ['until=2026-02-30T00:00:00Z', 'until'],
    ['since=2026-11-21', 'since'],
    ['until=2026-11-21T12:00:00', 'until'],
    ['prefix=', 'prefix'],
    ['prefix=xyz', 'prefix'],
    [`prefix=${'a'.repeat(65)}`, 'prefix'],
  ])('refuses %s and names the parameter', async (query, name) => {
    const answer = await api.api('GET', `/transactions?${query}`);
    expect([answer.status, answer.headers['x-error-code']]).toEqual([400, 'API.INVALID_REQUEST']);
    expect(answer.json).toMatchObject({ message: expect.stringContaining(name) as unknown });
  });
});

describe('count=true', () => {
  const count = async (path: string) => (await api.api('GET', path)).headers['x-total-count'];

  it('states the number of matches wherever the page begins', async () => {
    expect(await count('/assets?owner=Ben&limit=1&count=true')).toBe('5');
    expect(await count('/assets?owner=Ben&limit=1')).toBeUndefined();
    expect(await count('/assets?count=true')).toBe('5');
    expect(await count('/assets?prefix=car-3&count=true')).toBe('1');
    expect(await count('/assets?owner=Zoe&count=true')).toBe('0');
    expect(await count('/transactions?limit=1&count=true')).toBe(String(all.length));
    expect(await count(`/transactions?${CREATOR}&function=TransferAsset&limit=1&before=3&count=true`)).toBe('5');
    const blocks = await walk<Block>('/blocks');
    expect(await count('/blocks?limit=1&count=true')).toBe(String(blocks.length));
    expect(await count(`/blocks?since=${blocks[1]!.timestamp}&count=true`)).toBe('2');
  });

  it('does not become part of the link to the next page, and is refused for CSV', async () => {
    expect((await api.api('GET', '/blocks?limit=1&count=true')).headers['link']).not.toContain('count');
    const answer = await api.api('GET', '/blocks?count=true', { headers: { accept: 'text/csv' } });
    expect([answer.status, answer.headers['x-error-code']]).toEqual([400, 'API.INVALID_REQUEST']);
  });
});

describe('assets that were created in bulk', () => {
  it('are counted and named in lists of transactions and in their block', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `bulk-${index + 1}`);
    const body = ['car-1', ...ids, 'car-2'].map((id) => `${JSON.stringify({ id, ...FIELDS })}\n`).join('');
    await api.api('POST', '/assets', { body, headers: { 'content-type': 'application/x-ndjson' } });
    const [newest] = await walk<Transaction & { readonly createdAssets?: object }>(
      '/transactions?function=CreateAssets',
    );
    const created = { count: 12, first: 'bulk-1', last: 'bulk-12' };
    expect(newest).toMatchObject({ firstArgument: '', createdAssets: created });
    const block = await api.api('GET', `/blocks/${newest!.blockNumber}`);
    expect(data(block)).toMatchObject({ transactions: [{ createdAssets: created }] });
    expect(all.some((each) => 'createdAssets' in each)).toBe(false);
  });
});

describe('GET /blocks and histories', () => {
  it('filters blocks by the timestamp of their last transaction', async () => {
    const blocks = await walk<Block>('/blocks');
    const [until, since] = [blocks[1]!.timestamp, blocks[5]!.timestamp];
    expect(await walk(`/blocks?since=${since}&until=${until}&limit=2`)).toEqual(inRange(blocks, since, until));
    const [last] = (await walk<Block>(`/blocks?until=${since}&limit=1`)) as [Block];
    expect(last).toEqual(blocks.find(({ timestamp }) => timestamp < since));
  });

  it('filters a history by timestamp', async () => {
    const [transferred, created] = all.filter((each) => each.firstArgument === 'car-2');
    const history = (query: string) => walk<Transaction>(`/assets/car-2/history?${query}`);
    const ids = async (query: string) => (await history(query)).map(({ transactionId }) => transactionId);
    expect(await ids(`since=${transferred!.timestamp}`)).toEqual([transferred!.transactionId]);
    expect(await ids(`until=${transferred!.timestamp}&limit=1`)).toEqual([created!.transactionId]);
    expect(await ids('until=1970-01-01T00:00:00Z')).toEqual([]);
    expect((await api.api('GET', '/assets/never/history?since=1970-01-01T00:00:00Z')).status).toBe(404);
  });
});

describe('GET /search', () => {
  const search = async (text: string, more = '') =>
    data(await api.api('GET', `/search?text=${encodeURIComponent(text)}${more}`));

  it('suggests what begins with a text, grouped by kind', async () => {
    expect(await search('car-')).toEqual([0, 1, 2, 3, 4].map((n) => ({ kind: 'asset', value: `car-${n}` })));
    expect(await search('car-', '&limit=2')).toHaveLength(2);
    expect(await search('Ben')).toEqual([{ kind: 'owner', value: 'Ben' }]);
    expect(await search('User1')).toEqual([{ kind: 'caller', value: 'User1@org1.example.com' }]);
    expect(await search('Tran')).toEqual([{ kind: 'function', value: 'TransferAsset' }]);
    const { transactionId } = all[0]!;
    expect(await search(transactionId.slice(0, 20).toUpperCase())).toEqual([
      { kind: 'transaction', value: transactionId },
    ]);
    expect(await search('10')).toContainEqual({ kind: 'block', value: '10' });
    expect(await search('never')).toEqual([]);
  });

  it('suggests a block by the beginning of its hash, in upper or lower case', async () => {
    for (const { number, hash } of (await walk<Block>('/blocks')).slice(0, 3)) {
      const found = { kind: 'block', value: String(number), hash };
      expect(await search(hash)).toEqual([found]);
      expect(await search(hash.slice(0, 20).toUpperCase())).toEqual([found]);
      // A block is listed once: a digit can also be the beginning of its number, and is then found as that.
      const values = (await search(hash.slice(0, 1), '&limit=50')) as { value: string }[];
      expect(values.map(({ value }) => value)).toContain(found.value);
    }
  });

  it('ignores the case of letters when nothing begins with the text', async () => {
    expect(await search('CAR-1')).toEqual([{ kind: 'asset', value: 'car-1' }]);
    expect(await search('transferasset')).toEqual([{ kind: 'function', value: 'TransferAsset' }]);
    await api.create('CAR-1');
    expect(await search('CAR-1')).toEqual([{ kind: 'asset', value: 'CAR-1' }]);
    await api.api('PUT', '/assets/CAR-1/transfer', { body: { newOwner: 'Ösel' } });
    expect(await search('öSEL')).toEqual([{ kind: 'owner', value: 'Ösel' }]);
  });

  it.each([
    ['', 'text'],
    ['?text=', 'text'],
    ['?text=a&text=b', 'text'],
    ['?text=a&limit=0', 'limit'],
    ['?text=a&limit=51', 'limit'],
    ['?text=a&kind=asset', 'kind'],
  ])('refuses the query %j and names the parameter', async (query, name) => {
    const answer = await api.api('GET', `/search${query}`);
    expect([answer.status, answer.headers['x-error-code']]).toEqual([400, 'API.INVALID_REQUEST']);
    expect(answer.json).toMatchObject({ message: expect.stringContaining(name) as unknown });
  });
});

describe('GET /ledger/totals', () => {
  it('counts assets and transactions, and transactions by the hour', async () => {
    await api.create('counted');
    const assets = data(await api.api('GET', '/assets')) as unknown[];
    const transactions = await walk<Transaction>('/transactions');
    const totals = data(await api.api('GET', '/ledger/totals')) as { hours: { hour: string; transactions: number }[] };
    expect(totals).toMatchObject({ assets: assets.length, transactions: transactions.length });
    expect(totals.hours.reduce((sum, each) => sum + each.transactions, 0)).toBe(transactions.length);
    for (const { hour } of totals.hours) expect(hour).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
    // A deleted asset is not counted: only functions of the contract delete.
    const body = { function: 'DeleteAsset', arguments: ['counted'] };
    expect((await api.api('POST', '/contracts/basic/submit', { body })).status).toBe(200);
    expect(data(await api.api('GET', '/ledger/totals'))).toMatchObject({
      assets: assets.length - 1,
      transactions: transactions.length + 1,
    });
  });
});
