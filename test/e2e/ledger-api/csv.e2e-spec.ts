import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerApi } from '../../support/ledger-api.js';
import { RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const COUNT = 3000;
/** More than one page of 1,000 transactions. */
const WRITES = 1010;
const CSV = { accept: 'text/csv' };
const ASSET_HEAD = 'ID,appraisedValue,color,owner,size';
/** Owners that a spreadsheet would execute, or a careless parser split. */
const HOSTILE = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  'a,b',
  'say "a"',
  'two\r\nlines',
  '＝1',
  'Ö 🚀',
  '\u0000',
];

let api: LedgerApi;
beforeAll(async () => {
  api = await LedgerApi.start();
  const ids = Array.from({ length: COUNT }, (_, n) => `asset-${String(n).padStart(5, '0')}`);
  const owner = 'x'.repeat(1000);
  await api.createMany(ids.slice(WRITES), { owner });
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const create = async (id: string): Promise<void> => {
    const body = { id, appraisedValue: '300', color: 'blue', owner, size: '5' };
    expect((await api.api('POST', '/assets', { body, agent })).status).toBe(201);
  };
  await Promise.all(ids.slice(0, WRITES).map(create));
  agent.destroy();
  for (const [n, owner] of HOSTILE.entries()) await api.create(`hostile-${n}`, { owner, color: 'red' });
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

async function csv(path: string, method = 'GET') {
  const response = await fetch(`${api.origin}/api/v1${path}`, { method, headers: CSV });
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
}

/** Parses RFC 4180. */
function parse(text: string): string[][] {
  const cells = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)];
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of cells) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') rows.push([]);
  }
  expect(rows.pop()).toEqual([]);
  return rows;
}

describe('GET /assets with Accept: text/csv', () => {
  it('contains every asset in its order, below a header row', async () => {
    const { status, headers, text } = await csv('/assets');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="assets.csv"',
      'transfer-encoding': 'chunked',
      vary: 'Accept',
    });
    const [head, ...rows] = parse(text);
    expect(head!.join()).toBe(ASSET_HEAD);
    expect(rows).toHaveLength(COUNT + HOSTILE.length);
    const answer = await api.api('GET', '/assets');
    const { data } = answer.json as { data: Record<string, string>[] };
    expect(answer.headers).toMatchObject({ vary: 'Accept' });
    expect(rows.map(([id]) => id)).toEqual(data.map(({ ID }) => ID));
  });

  it('escapes cells that a spreadsheet would execute, and quotes the others', async () => {
    const { text } = await csv('/assets?prefix=hostile-&color=red');
    const owners = new Map(parse(text).map(([id, , , owner]) => [id, owner]));
    for (const [n, owner] of HOSTILE.entries()) {
      expect(owners.get(`hostile-${n}`)).toBe(/^[=+\-@\t\r＝]/.test(owner) ? `'${owner}` : owner);
    }
    expect(owners.size).toBe(HOSTILE.length + 1);
    expect(text).not.toMatch(/(^|,|\n)"?[=+\-@\t]/);
  });

  it('contains what the filters select', async () => {
    expect(parse((await csv('/assets?prefix=asset-0001')).text)).toHaveLength(11);
    expect((await csv('/assets?owner=nobody')).text).toBe(`${ASSET_HEAD}\r\n`);
  });

  it('answers HEAD without a body', async () => {
    const { status, headers, text } = await csv('/assets', 'HEAD');
    expect([status, headers['content-disposition'], text]).toEqual([200, 'attachment; filename="assets.csv"', '']);
  });

  it.each(['/assets?limit=5', '/assets?after=YQ', '/assets?colour=red', '/assets/hostile-0/history?before=5'])(
    'refuses %s with an error in JSON',
    async (path) => {
      const { status, headers, text } = await csv(path);
      expect([status, headers['x-error-code'], headers['content-type']]).toEqual([
        400,
        'API.INVALID_REQUEST',
        'application/json; charset=utf-8',
      ]);
      expect(JSON.parse(text)).toMatchObject({ success: false });
    },
  );

  it('waits for a client that reads slowly, serves others meanwhile, and is complete in the end', async () => {
    const request = get(`${api.origin}/api/v1/assets`, { headers: CSV });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // Only what the sockets buffer is sent: the list has 3 MB.
    expect((await api.create('meanwhile')).status).toBe(201);
    response.setEncoding('utf8');
    let text = '';
    for await (const chunk of response) {
      text += String(chunk);
      // Others are served between the pages.
      if (text.length % 3 === 0) expect((await api.api('GET', '/assets/asset-00001')).status).toBe(200);
    }
    const rows = parse(text);
    expect(rows.length).toBeGreaterThanOrEqual(COUNT + HOSTILE.length + 1);
    expect(rows.at(-1)![0]).toBe(`meanwhile`);
  });

  it('ends when the client leaves', async () => {
    const leaving = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(api.origin)));
    for (const connection of leaving) {
      connection.socket.pause();
      connection.write('GET /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nAccept: text/csv\r\n\r\n');
    }
    for (const { socket } of leaving) socket.destroy();
    expect((await api.api('GET', '/assets?limit=1')).status).toBe(200);
  });

  it('does not delay requests of others until lists of many clients are complete', async () => {
    const answeredMeanwhile = async (count: number): Promise<number> => {
      const lists = Array.from({ length: count }, () => csv('/assets'));
      let unread = lists.length;
      for (const list of lists) void list.then(() => (unread -= 1));
      let answered = 0;
      while (unread > 0) {
        expect((await api.api('GET', '/blocks?limit=1')).status).toBe(200);
        if (unread > 0) answered += 1;
      }
      return answered;
    };
    // A client that a busy machine lets wait can ask only a few times meanwhile: then more lists take longer.
    const counts = [10, 20, 40, 80].values();
    await until(async () => (await answeredMeanwhile(counts.next().value ?? 80)) > 10);
  });
});

describe('GET /transactions and /blocks with Accept: text/csv', () => {
  it('contain the whole chain, newest first', async () => {
    const [blockHead, ...blocks] = parse((await csv('/blocks')).text);
    const [head, ...transactions] = parse((await csv('/transactions')).text);
    expect(blockHead!.join()).toBe('number,hash,previousHash,dataHash,timestamp,transactions');
    expect(head!.join()).toBe(
      'transactionId,blockNumber,timestamp,type,creatorId,creatorMspId,chaincodeId,function,firstArgument,validationCode',
    );
    const top = Number(blocks[0]![0]);
    expect(blocks.map(([number]) => Number(number))).toEqual(Array.from({ length: top + 1 }, (_, n) => top - n));
    const counts = Map.groupBy(transactions, ([, block]) => block!);
    for (const [number, hash, previousHash, , , count] of blocks) {
      expect(counts.get(number!)).toHaveLength(Number(count));
      expect([previousHash, Number(number)]).toEqual([blocks[top - Number(number) + 1]?.[1] ?? '', Number(number)]);
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(transactions.length).toBeGreaterThan(WRITES + HOSTILE.length);
    expect(new Set(transactions.map(([id]) => id)).size).toBe(transactions.length);
  });

  it('have one row for each changed key on request', async () => {
    const ids = ['key-a', 'key-b', 'key-c'];
    await api.createMany(ids, { owner: '=Kay' });
    await api.api('POST', '/contracts/basic/submit', { body: { function: 'DeleteAsset', arguments: ['key-b'] } });
    const [head, ...rows] = parse((await csv('/transactions?rows=keys')).text);
    expect(head!.slice(-6)).toEqual(['validationCode', 'namespace', 'key', 'change', 'value', 'valueEncoding']);
    const [deleted, ...created] = rows.slice(0, 4).map((row) => row.slice(-5));
    expect(deleted).toEqual(['basic', 'key-b', 'deleted', '', '']);
    expect(created.map(([, key, change, , encoding]) => [key, change, encoding])).toEqual(
      ids.map((id) => [id, 'written', 'utf8']),
    );
    expect(JSON.parse(created[0]![3]!)).toMatchObject({ ID: 'key-a', owner: '=Kay' });
    expect(new Set(rows.slice(1, 4).map(([id]) => id)).size).toBe(1);
    // Every asset that was ever created, whichever way; block 0 changed no key.
    const createdKeys = rows.filter(([, , , , , , , name]) => name!.startsWith('CreateAsset')).map((row) => row.at(-4));
    const assets = parse((await csv('/assets')).text).slice(1);
    expect(new Set(createdKeys)).toEqual(new Set([...assets.map(([id]) => id), 'key-b']));
    expect(rows.at(-1)!.slice(-5)).toEqual(['', '', '', '', '']);
    const filtered = parse((await csv('/transactions?rows=keys&function=DeleteAsset')).text);
    expect(filtered).toHaveLength(2);
    expect((await csv('/transactions?rows=writes')).status).toBe(400);
    expect((await api.api('GET', '/transactions?rows=keys')).json).toMatchObject({
      message: 'The query parameter rows applies to CSV only.',
    });
  });

  it('contain what the filters select', async () => {
    await api.api('PUT', '/assets/hostile-0/transfer', { body: { newOwner: 'Ann' } });
    const [, ...rows] = parse((await csv('/transactions?function=TransferAsset')).text);
    expect(rows.map((row) => row.slice(-3))).toEqual([['TransferAsset', 'hostile-0', 'VALID']]);
    const until = encodeURIComponent(rows[0]![2]!);
    const before = parse((await csv(`/transactions?until=${until}`)).text);
    expect(before.length).toBeGreaterThan(WRITES);
    expect(before.some(([id]) => id === rows[0]![0])).toBe(false);
    expect(parse((await csv('/transactions?creator=nobody')).text)).toHaveLength(1);
    expect(parse((await csv('/blocks?since=2100-01-01T00:00:00Z')).text)).toHaveLength(1);
  });

  it.each(['/transactions?limit=5', '/transactions?before=5', '/blocks?limit=5', '/blocks?before=5'])(
    'refuse %s',
    async (path) => {
      expect(await csv(path)).toMatchObject({ status: 400, headers: { 'x-error-code': 'API.INVALID_REQUEST' } });
    },
  );
});

describe('GET /assets/{id}/history with Accept: text/csv', () => {
  it('contains every version, also the deletion of an asset', async () => {
    const id = 'history "of, ä';
    const path = `/assets/${encodeURIComponent(id)}`;
    await api.create(id, { owner: 'Ana' });
    for (let n = 0; n < 250; n++) await api.api('PUT', `${path}/transfer`, { body: { newOwner: `=${n}` } });
    await api.api('POST', '/contracts/basic/submit', { body: { function: 'DeleteAsset', arguments: [id] } });
    const { status, headers, text } = await csv(`${path}/history`);
    expect([status, headers['content-disposition']]).toEqual([
      200,
      'attachment; filename="history-history__of___.csv"',
    ]);
    const [head, ...rows] = parse(text);
    expect(head!.join()).toBe(`transactionId,blockNumber,timestamp,creatorId,creatorMspId,deleted,${ASSET_HEAD}`);
    expect(rows).toHaveLength(252);
    expect(rows[0]!.slice(5)).toEqual(['true', '', '', '', '', '']);
    expect(rows[1]!.slice(5)).toEqual(['false', id, '300', 'blue', "'=249", '5']);
    expect(rows.at(-1)!.slice(5)).toEqual(['false', id, '300', 'blue', 'Ana', '5']);
    expect((await csv('/assets/never/history')).status).toBe(404);
  });
});
