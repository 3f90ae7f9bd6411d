import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeBlock } from '#fabric-codec';
import { call, LedgerApi, type Answer } from '../../support/ledger-api.js';

let api: LedgerApi;
beforeAll(async () => {
  api = await LedgerApi.start();
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

interface Version {
  readonly transactionId: string;
  readonly blockNumber: number;
  readonly creatorId: string;
  readonly deleted: boolean;
  readonly asset: { readonly owner: string } | null;
}
interface Transaction {
  readonly transactionId: string;
  readonly blockNumber: number;
  readonly function: string;
}
interface Block {
  readonly number: number;
  readonly hash: string;
  readonly previousHash: string;
  readonly transactions: readonly Transaction[];
}

const data = ({ json }: Answer): unknown => (json as { data: unknown }).data;

/** The path and query of the next page. */
function nextOf({ headers }: Answer): string | undefined {
  const { link } = headers;
  return typeof link === 'string' ? /^<\/api\/v1(.+)>; rel="next"$/.exec(link)?.[1] : undefined;
}

/** All items of a list, page by page. */
async function walk<T>(path: string, between: () => Promise<unknown> = () => Promise.resolve()): Promise<T[]> {
  const items: T[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const answer = await api.api('GET', next);
    expect(answer.status).toBe(200);
    items.push(...(data(answer) as T[]));
    next = nextOf(answer);
    await between();
  }
  return items;
}

const transfer = (id: string, newOwner: string) =>
  api.api('PUT', `/assets/${encodeURIComponent(id)}/transfer`, { body: { newOwner } });

describe('GET /assets/{id}/history', () => {
  it('lists an asset’s history, newest first, page by page while it changes', async () => {
    const id = 'life/of "ä 🚀>';
    await api.create(id, { owner: 'Ana' });
    for (const owner of ['Ben', 'Cyd', 'Dee']) await transfer(id, owner);
    const path = `/assets/${encodeURIComponent(id)}/history`;
    let later = 0;
    const versions = await walk<Version>(`${path}?limit=3`, () => transfer(id, `later ${later++}`));
    expect(versions.map(({ asset }) => asset?.owner)).toEqual(['Dee', 'Cyd', 'Ben', 'Ana']);
    expect(data(await api.api('GET', `${path}?limit=1`))).toEqual([
      {
        transactionId: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        blockNumber: expect.any(Number) as unknown,
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
        creatorId: 'User1@org1.example.com',
        creatorMspId: 'Org1MSP',
        deleted: false,
        asset: { ID: id, appraisedValue: '300', color: 'blue', owner: 'later 1', size: '5' },
      },
    ]);
    for (const { transactionId, blockNumber, creatorId } of versions) {
      expect(data(await api.api('GET', `/transactions/${transactionId}`))).toMatchObject({ blockNumber, creatorId });
    }
  });

  it('is a 404 for an asset that never was, and for one that cannot be', async () => {
    const never = await api.api('GET', '/assets/never/history');
    expect([never.status, never.headers['x-error-code']]).toEqual([404, 'LEDGER.ASSET_NOT_FOUND']);
    expect((await api.api('GET', '/assets/%00/history')).status).toBe(404);
    expect((await api.api('POST', '/assets/never/history')).headers['allow']).toBe('GET, HEAD');
  });
});

describe('GET /assets/{id}?at=', () => {
  it('returns the asset as it was after a block', async () => {
    const id = 'as of "ä 🚀>';
    const path = `/assets/${encodeURIComponent(id)}`;
    const blocks: number[] = [];
    const note = async (write: Promise<Answer>) => {
      const transaction = String((await write).headers['x-transaction-id']);
      blocks.push((data(await api.api('GET', `/transactions/${transaction}`)) as Transaction).blockNumber);
    };
    await note(api.create(id, { owner: 'Ana' }));
    await note(transfer(id, 'Ben'));
    await note(transfer(id, 'Cyd'));
    const at = (block: number) => api.api('GET', `${path}?at=${block}`);
    for (const [index, owner] of ['Ana', 'Ben', 'Cyd'].entries()) {
      expect((await at(blocks[index]!)).json).toEqual({
        success: true,
        message: 'Asset found.',
        data: { ID: id, appraisedValue: '300', color: 'blue', owner, size: '5' },
      });
    }
    const before = await at(blocks[0]! - 1);
    expect([before.status, before.headers['x-error-code']]).toEqual([404, 'LEDGER.ASSET_NOT_FOUND']);
    const current = await api.api('GET', path);
    expect(data(await at(blocks[2]!))).toEqual(data(current));
    // A condition on the current asset does not apply to an earlier version.
    const headers = { 'if-none-match': String(current.headers['etag']) };
    expect((await api.api('GET', path, { headers })).status).toBe(304);
    const then = await api.api('GET', `${path}?at=${blocks[2]!}`, { headers });
    expect([then.status, then.headers['etag']]).toEqual([200, undefined]);
  });

  it('refuses a block beyond the newest one, and anything but one block number', async () => {
    await api.create('head');
    const { height } = data(await api.api('GET', '/blockchain/height')) as { height: number };
    expect((await api.api('GET', `/assets/head?at=${height - 1}`)).status).toBe(200);
    for (const query of [`at=${height}`, 'at=999999999999999', 'at=', 'at=-1', 'at=1e3', 'at=0x1', 'at=1&at=2']) {
      const answer = await api.api('GET', `/assets/head?${query}`);
      expect([query, answer.status]).toEqual([query, 400]);
      expect(answer.json).toMatchObject({ message: expect.stringContaining('parameter at') as unknown });
    }
    for (const id of ['never', '%00']) expect((await api.api('GET', `/assets/${id}?at=1`)).status).toBe(404);
  });
});

describe('GET /blocks', () => {
  it('returns every block once, each with the previous one’s hash, also while others write', async () => {
    for (let n = 0; n < 5; n++) await api.create(`block-${n}`);
    let others = 0;
    const blocks = await walk<Block>('/blocks?limit=2', () => api.create(`meanwhile-${others++}`));
    const top = blocks[0]!.number;
    expect(blocks.map(({ number }) => number)).toEqual(Array.from({ length: top + 1 }, (_, n) => top - n));
    blocks.forEach(({ previousHash }, index) => {
      expect(previousHash).toBe(blocks[index + 1]?.hash ?? '');
    });
    expect(blocks.at(-1)!.transactions).toMatchObject([{ type: 'CONFIG', function: '', validationCode: 'VALID' }]);
  });

  it('returns one block, by its number', async () => {
    const [newest] = data(await api.api('GET', '/blocks?limit=1')) as Block[];
    const answer = await api.api('GET', `/blocks/${newest!.number}`);
    expect(answer.json).toEqual({ success: true, message: 'Block found.', data: newest });
    expect(data(await api.api('GET', '/blockchain/info'))).toMatchObject({ blockHash: newest!.hash });
  });

  it('returns its bytes, which have its hash', async () => {
    const accept = 'application/octet-stream';
    for (const { number, hash, transactions } of await walk<Block>('/blocks')) {
      const response = await fetch(`${api.origin}/api/v1/blocks/${number}`, { headers: { accept } });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': accept,
        vary: 'Accept',
        'content-disposition': `attachment; filename="mychannel_${number}.block"`,
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const block = decodeBlock(bytes);
      expect(Buffer.from(block.hash).toString('hex')).toBe(hash);
      expect(block.envelopes).toHaveLength(transactions.length);
      expect(response.headers.get('etag')).toBe(`"${createHash('sha256').update(bytes).digest('base64url')}"`);
    }
  });

  it.each(['application/json', 'application/octet-stream'])('spares who has a block as %s', async (accept) => {
    const get = (headers: Record<string, string>) =>
      fetch(`${api.origin}/api/v1/blocks/1`, { headers: { accept, ...headers } });
    const first = await get({});
    const etag = first.headers.get('etag')!;
    const body = await first.arrayBuffer();
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const again = await get({ 'if-none-match': etag });
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
    const other = await get({ 'if-none-match': '"another"' });
    expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, body.byteLength]);
  });

  it.each([
    ['application/octet-stream;q=0', 'application/json; charset=utf-8'],
    ['application/json, application/octet-stream;q=0.5', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['text/html', 'application/json; charset=utf-8'],
    ['application/json;q=0.5, Application/Octet-Stream', 'application/octet-stream'],
    ['application/octet-stream, */*;q=0.1', 'application/octet-stream'],
  ])('to Accept: %s answers with %s', async (accept, type) => {
    const answer = await fetch(`${api.origin}/api/v1/blocks/0`, { method: 'HEAD', headers: { accept } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
  });

  it.each([
    ['/blocks/99999', 404, 'API.NOT_FOUND'],
    ['/blocks/999999999999999', 404, 'API.NOT_FOUND'],
    ['/blocks/-1', 400, 'API.INVALID_REQUEST'],
    ['/blocks/1e3', 400, 'API.INVALID_REQUEST'],
    ['/blocks/007', 400, 'API.INVALID_REQUEST'],
    ['/blocks/18446744073709551615', 400, 'API.INVALID_REQUEST'],
    ['/blocks/newest', 400, 'API.INVALID_REQUEST'],
    ['/blocks?before=x', 400, 'API.INVALID_REQUEST'],
    ['/blocks?limit=201', 400, 'API.INVALID_REQUEST'],
    ['/blocks?after=5', 400, 'API.INVALID_REQUEST'],
    ['/transactions?creater=x', 400, 'API.INVALID_REQUEST'],
    ['/transactions?before=1:2:3', 400, 'API.INVALID_REQUEST'],
    ['/transactions?function=', 400, 'API.INVALID_REQUEST'],
  ])('refuses %s with %i', async (path, status, code) => {
    for (const accept of ['application/json', 'application/octet-stream']) {
      const answer = await call(api.origin, 'GET', `/api/v1${path}`, { headers: { accept } });
      expect([answer.status, answer.headers['x-error-code']]).toEqual([status, code]);
      expect(answer.json).toEqual({ success: false, message: expect.stringMatching(/\S/) as unknown });
    }
  });
});

describe('GET /transactions', () => {
  it('lists all that the blocks hold, newest first, while others write', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, n) => api.create(`many-${n}`)));
    const blocks = await walk<Block>('/blocks');
    const top = blocks[0]!.number + 1;
    const wanted = blocks.flatMap(({ transactions }) => transactions.toReversed());
    let others = 0;
    const walked = await walk<Transaction>(`/transactions?limit=7&before=${top}`, () => api.create(`more-${others++}`));
    expect(walked).toEqual(wanted);
  });

  it('narrows the list down', async () => {
    const transfers = await walk<Transaction>('/transactions?function=TransferAsset&limit=2');
    const all = await walk<Transaction>('/transactions');
    expect(transfers).toEqual(all.filter((it) => it.function === 'TransferAsset'));
    expect(transfers.length).toBeGreaterThan(4);
    expect(await walk('/transactions?creator=User1%40org1.example.com&function=CreateAsset')).toEqual(
      all.filter((it) => it.function === 'CreateAsset'),
    );
    expect(await walk('/transactions?creator=nobody')).toEqual([]);
  });
});
