import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { ChaincodeFolder } from '../../support/chaincode-folders.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { ledgerTool } from '../../support/ledger-callers.js';
import { Program } from '../../support/program.js';

const INDEX = 'META-INF/statedb/couchdb/indexes/size.json';

const ASSETS = {
  a1: { docType: 'asset', color: 'red', size: 5, owner: 'Ana' },
  a2: { docType: 'asset', color: 'blue', size: 10, owner: 'Ben' },
  a3: { docType: 'asset', color: 'red', size: 20, owner: 'Ana' },
  a4: { docType: 'asset', color: 'green', size: 1, owner: 'Zoe' },
};

describe('queries of CouchDB on the embedded ledger', () => {
  let folder: ChaincodeFolder;
  let api: LedgerApi;
  const call = (kind: 'evaluate' | 'submit', fn: string, ...args: readonly string[]): Promise<Answer> =>
    api.api('POST', `/contracts/assets/${kind}`, { body: { function: fn, arguments: args } });
  const payload = ({ json }: Answer): string => (json as { data: { payload: string } }).data.payload;
  const found = async (fn: string, ...args: readonly string[]): Promise<unknown> =>
    JSON.parse(payload(await call('evaluate', fn, ...args)));
  const keys = async (query: object): Promise<string[]> =>
    ((await found('QueryAssets', JSON.stringify(query))) as [string, unknown][]).map(([key]) => key);

  beforeAll(async () => {
    folder = ChaincodeFolder.node('assets-queries');
    api = await LedgerApi.start({
      LEDGER_CHAINCODES: `assets=${folder.path}`,
      LEDGER_CHAINCODE_QUERIES: 'on',
      LEDGER_CHAINCODE_WATCH: 'on',
    });
    for (const [key, asset] of Object.entries(ASSETS)) await call('submit', 'Put', key, JSON.stringify(asset));
    await call('submit', 'Put', 'text', 'no JSON');
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    folder.remove();
  });

  it('find assets by their fields', async () => {
    expect(await found('QueryAssetsByOwner', 'Ana')).toEqual([
      ['a1', ASSETS.a1],
      ['a3', ASSETS.a3],
    ]);
    expect(await keys({ selector: { size: { $gt: 5 } } })).toEqual(['a2', 'a3']);
    expect(await keys({ selector: { $or: [{ color: { $regex: '^g' } }, { _id: 'a1' }] } })).toEqual(['a1', 'a4']);
    expect(await found('QueryAssets', '{"selector": {"_id": "a2"}, "fields": ["owner"]}')).toEqual([
      ['a2', { owner: 'Ben' }],
    ]);
  });

  it('are sorted by an index of the folder only', async () => {
    expect(await keys({ selector: { docType: 'asset' }, sort: [{ size: 'desc' }] })).toEqual(['a3', 'a2', 'a1', 'a4']);
    expect(await keys({ selector: {}, sort: ['docType', 'size'] })).toEqual(['a4', 'a1', 'a2', 'a3']);
    expect(await keys({ selector: {}, sort: ['size'], use_index: 'reds' })).toEqual(['a1', 'a3']);
    const refused = await call('evaluate', 'QueryAssets', '{"selector": {}, "sort": ["color"]}');
    expect(refused).toMatchObject({ status: 422, headers: { 'x-error-code': 'API.CHAINCODE_REFUSED' } });
    expect(refused.text).toContain(
      'error handling CouchDB request. Error:no_usable_index,  Status Code:400,  ' +
        'Reason:No index exists for this sort, try indexing by the sort fields.',
    );
  });

  it('are read in pages', async () => {
    const page = async (bookmark: string): Promise<[[string, unknown][], number, string]> =>
      (await found(
        'QueryAssetsWithPagination',
        '{"selector": {"docType": "asset"}, "limit": 1}',
        '3',
        bookmark,
      )) as never;
    const [first, count, bookmark] = await page('');
    const [second, rest, end] = await page(bookmark);
    expect([first.map(([key]) => key), count, second.map(([key]) => key), rest]).toEqual([
      ['a1', 'a2', 'a3'],
      3,
      ['a4'],
      1,
    ]);
    expect(await page(end)).toEqual([[], 0, end]);
    // The order is the one of the index that CouchDB would use.
    expect(await keys({ selector: { docType: 'asset', size: { $gt: null } } })).toEqual(['a4', 'a1', 'a2', 'a3']);
  });

  it('are refused with the text of a peer', async () => {
    for (const [args, text] of [
      [['QueryAssets', 'nonsense'], "invalid character 'o' in the query"],
      [
        ['QueryAssets', '{"selector": {"a": {"$foo": 1}}}'],
        'Error:invalid_operator,  Status Code:400,  Reason:Invalid operator: $foo',
      ],
      [
        ['QueryAssets', '{"selector": {"a": {"$regex": "(?=a)"}}}'],
        'Unsupported operator: $regex with a lookahead (?=',
      ],
      [['QueryAssetsWithPagination', '{"selector": {}}', '2', 'x'], 'Error:invalid_bookmark'],
      [['PutThenPage'], 'unsuppored transaction. Paginated queries are supported only in a read-only transaction'],
      [
        ['PageThenPut'],
        'unsuppored transaction. Transaction has already performed a paginated query. Writes are not allowed',
      ],
      [['Put', '_a', '{}'], 'invalid key [_a], cannot begin with \\"_\\"'],
      [['Put', 'a', '{"_id": 1}'], 'field [_id] is not valid for the CouchDB state database'],
    ] as const) {
      const [fn, ...rest] = args;
      const answer = await call('submit', fn, ...rest);
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(text)]);
    }
  });

  it('find private data, sorted by the index of its collection, without recording them', async () => {
    for (const [key, price] of [
      ['p1', 10],
      ['p2', 30],
      ['p3', 20],
    ] as const) {
      const transient = { value: Buffer.from(JSON.stringify({ price })).toString('base64') };
      const body = { function: 'PutPrivate', arguments: ['secrets', key], transient };
      expect(await api.api('POST', '/contracts/assets/submit', { body })).toMatchObject({ status: 200 });
    }
    const query = '{"selector": {"price": {"$gt": 10}}, "sort": [{"price": "desc"}]}';
    expect(await found('QueryPrivate', 'secrets', query)).toEqual([
      ['p2', { price: 30 }],
      ['p3', { price: 20 }],
    ]);
    expect((await call('evaluate', 'QueryPrivate', 'none', query)).text).toContain('could not be found');
    const refused = await call('submit', 'QueryPrivateThenPut', 'secrets', query);
    expect(refused.text).toContain('Transaction has already performed queries on pvt data. Writes are not allowed');
    const read = await call('submit', 'QueryPrivate', 'secrets', query);
    const path = `/transactions/${String(read.headers['x-transaction-id'])}?envelope=true`;
    expect((await api.api('GET', path)).text).not.toMatch(/"collection|"reads":\[\{/);
  });

  it('record their results as read, so that a write of them meanwhile repeats the call', async () => {
    const repaints = ['red', 'white', 'red'].map((color, at, all) =>
      at === 0 ? call('submit', 'Repaint', color, 'white') : call('submit', 'Repaint', all[at - 1] ?? '', color),
    );
    for (const { status } of await Promise.all(repaints)) expect(status).toBe(200);
    const written = await call('submit', 'Repaint', 'green', 'black');
    const { text } = await api.api('GET', `/transactions/${String(written.headers['x-transaction-id'])}?envelope=true`);
    expect(text).toMatch(/"reads":\[\{"key":"a4"[^\]]*\],/);
    expect(text).not.toContain('"startKey"');
  });

  it('let other requests run, even with a pattern that takes exponential time in PCRE', async () => {
    await call('submit', 'PutMany', '2000');
    await call('submit', 'Put', 'long', JSON.stringify({ text: `${'a'.repeat(50_000)}!` }));
    const pending = Array.from({ length: 5 }, () =>
      call('evaluate', 'Count', '{"selector": {"text": {"$regex": "^(a+)+$|7$"}}}'),
    );
    const others = Promise.all(Array.from({ length: 20 }, () => api.api('GET', '/health/live')));
    const finished: string[] = [];
    await Promise.all([
      ...pending.map(async (each) => {
        expect(payload(await each)).toBe('200');
        finished.push('query');
      }),
      others.then(() => finished.push('others')),
    ]);
    expect(finished[0]).toBe('others');
    expect(payload(await call('evaluate', 'First', '{"selector": {"docType": "number"}}'))).toBe('n000000');
    expect(payload(await call('evaluate', 'Count', '{"selector": {"number": {"$gte": 500}}}'))).toBe('1500');
  });

  it('use an edited index, and the previous one while it is invalid', async () => {
    writeFileSync(folder.file(INDEX), '{"index": {"fields": [1]}}');
    await api.program.printed('/index/fields/0 must be the name of a field');
    expect(await keys({ selector: { docType: 'asset' }, sort: ['size'] })).toEqual(['a4', 'a1', 'a2', 'a3']);
    writeFileSync(folder.file(INDEX), '{"index": {"fields": ["owner"]}}');
    await api.program.printed('runs its edited code');
    expect(await keys({ selector: { docType: 'asset' }, sort: ['owner'] })).toEqual(['a1', 'a3', 'a2', 'a4']);
  });

  it('leave a ledger that passes verification, and is refused with an invalid index', async () => {
    expect(await ledgerTool(api.dataDir, 'verify')).toMatchObject({ code: 0 });
    writeFileSync(folder.file(INDEX), '{"index": {"fields": ["size"]}, "kind": "json"}');
    const program = new Program({
      main: 'apps/ledger-api/bundle/lib/ledger-api.js',
      args: ['--check'],
      env: { LEDGER_CHAINCODES: `assets=${folder.path}`, LEDGER_CHAINCODE_QUERIES: 'on' },
    });
    expect(await program.ended).not.toMatchObject({ code: 0 });
    expect(`${program.stdout}${program.stderr}`).toContain(
      `the index ${folder.file(INDEX)} is invalid: /kind is unknown; the keys here are index, ddoc, name, type`,
    );
  });
});
