import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const COUNT = 1203;
const text = expect.stringMatching(/\S/) as unknown;

interface Asset {
  readonly ID: string;
}

let api: LedgerApi;
const ids = Array.from({ length: COUNT }, (_, n) => `${n % 2 === 0 ? 'é' : 'z'}-${String(n).padStart(5, '0')}`);
const sorted = ids
  .map((id) => Buffer.from(id))
  .sort((a, b) => Buffer.compare(a, b))
  .map(String);

beforeAll(async () => {
  api = await LedgerApi.start();
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

const list = (answer: Answer): readonly Asset[] => (answer.json as { data: Asset[] }).data;
const idsOf = (answer: Answer): string[] => list(answer).map(({ ID }) => ID);

/** The path and query of the next page. */
function nextOf(answer: Answer): string | undefined {
  const link = answer.headers['link'];
  return typeof link === 'string' ? /^<\/api\/v1(.+)>; rel="next"$/.exec(link)?.[1] : undefined;
}

describe('GET /assets', () => {
  it('answers an empty ledger with an empty array', async () => {
    expect(await api.api('GET', '/assets')).toMatchObject({
      status: 200,
      json: { success: true, message: text, data: [] },
    });
    expect(await api.api('GET', '/assets?limit=5')).toMatchObject({ status: 200, json: { data: [] } });
  });

  it('lists all assets, several pages of them, in byte order of their ids', async () => {
    await api.createMany(ids);
    const answer = await api.api('GET', '/assets');
    expect(answer.headers).toMatchObject({
      'transfer-encoding': 'chunked',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(answer.json).toEqual({ success: true, message: text, data: expect.any(Array) as unknown });
    expect(idsOf(answer)).toEqual(sorted);
    expect(Object.keys(list(answer)[0]!).sort()).toEqual(['ID', 'appraisedValue', 'color', 'owner', 'size']);
  });

  it('lists nothing for HEAD', async () => {
    for (const path of ['/assets', '/assets?limit=5']) {
      expect(await api.api('HEAD', path)).toMatchObject({ status: 200, text: '' });
    }
  });

  it.each([1, 7, 100, 1000])('returns every asset once in pages of %i', async (limit) => {
    const found: string[] = [];
    let path: string | undefined = `/assets?limit=${limit}`;
    for (let page = 0; path !== undefined && page < 300; page++) {
      const answer: Answer = await api.api('GET', path);
      expect(answer.status).toBe(200);
      found.push(...idsOf(answer));
      path = nextOf(answer);
      if (path !== undefined) expect(list(answer)).toHaveLength(limit);
    }
    expect(found).toEqual(sorted.slice(0, found.length));
    expect(found).toHaveLength(limit === 1 ? 300 : COUNT);
  });

  it('returns 100 if only a token is given', async () => {
    const next = nextOf(await api.api('GET', '/assets?limit=3'))!;
    const answer = await api.api('GET', next.replace('limit=3&', ''));
    expect(idsOf(answer)).toEqual(sorted.slice(3, 103));
  });

  it('continues after the token if assets were written before it', async () => {
    const next = nextOf(await api.api('GET', '/assets?limit=3'))!;
    await api.create('0-first');
    expect(idsOf(await api.api('GET', next))).toEqual(sorted.slice(3, 6));
  });

  it('serves others between the pages of lists', async () => {
    /** How often another is answered while many read the list. */
    const answeredMeanwhile = async (): Promise<number> => {
      const lists = await Promise.all(Array.from({ length: 40 }, async () => RawConnection.open(api.origin)));
      const other = await RawConnection.open(api.origin);
      let unread = lists.length;
      for (const connection of lists) {
        connection.write('GET /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
        void connection.closed.then(() => (unread -= 1));
      }
      let answered = 0;
      while (unread > 0) {
        other.received = '';
        await other.write('GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n').until('healthy');
        if (unread > 0) answered += 1;
      }
      other.socket.destroy();
      for (const { received } of lists) expect(received.match(/"ID":/g)).toHaveLength(COUNT + 1);
      return answered;
    };
    // A client that the machine lets wait meanwhile cannot ask.
    await until(async () => (await answeredMeanwhile()) > 20);
  });

  it('waits for a client that does not read, while others are served, and ends when it leaves', async () => {
    const slow = await RawConnection.open(api.origin);
    slow.socket.pause();
    slow.write('GET /api/v1/assets HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(50));
    expect((await api.create('0-meanwhile')).status).toBe(201);
    slow.socket.destroy();
    expect((await api.api('GET', '/assets?limit=1')).status).toBe(200);
  });
});

describe('GET /assets?owner=', () => {
  /** Ids of all pages of a list. */
  const walk = async (path: string): Promise<string[]> => {
    const found: string[] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const answer = await api.api('GET', next);
      expect(answer.status).toBe(200);
      found.push(...idsOf(answer));
      next = nextOf(answer);
    }
    return found;
  };

  it('filters the list, also right after a write, with any name of an owner', async () => {
    const owners = ['Jin Soo', 'Ö & "Söhne"=?#', '__proto__'];
    for (const [n, owner] of owners.entries()) {
      for (const size of ['1', '2', '3']) await api.create(`owned-${n}-${size}`, { owner, size });
      const query = `owner=${encodeURIComponent(owner)}`;
      expect(await walk(`/assets?${query}&limit=2`)).toEqual([1, 2, 3].map((size) => `owned-${n}-${size}`));
      expect(await walk(`/assets?${query}&size=2&color=blue`)).toEqual([`owned-${n}-2`]);
      await api.api('PUT', `/assets/owned-${n}-2/transfer`, { body: { newOwner: 'nobody else' } });
      expect(await walk(`/assets?${query}`)).toEqual([1, 3].map((size) => `owned-${n}-${size}`));
    }
    expect(await walk('/assets?owner=nobody%20else&limit=1')).toEqual([0, 1, 2].map((n) => `owned-${n}-2`));
    expect(await walk('/assets?owner=nobody')).toEqual([]);
    expect(await walk('/assets?size=3&limit=1')).toEqual([0, 1, 2].map((n) => `owned-${n}-3`));
  });

  it('selects ids by their beginning, with the other filters', async () => {
    for (const id of ['car 1', 'car 10', 'car 2', 'Car 1', 'café & Söhne?', 'caf']) {
      await api.create(id, { owner: id.startsWith('car') ? 'Ann' : 'Bob' });
    }
    const under = (prefix: string, rest = '') => walk(`/assets?prefix=${encodeURIComponent(prefix)}${rest}`);
    expect(await under('car 1')).toEqual(['car 1', 'car 10']);
    expect(await under('car ', '&limit=1')).toEqual(['car 1', 'car 10', 'car 2']);
    expect(await under('ca', '&owner=Bob')).toEqual(['caf', 'café & Söhne?']);
    expect(await under('café & Söhne?')).toEqual(['café & Söhne?']);
    expect(await under('é-0012')).toEqual(['0', '2', '4', '6', '8'].map((n) => `é-0012${n}`));
    expect(await under('no such')).toEqual([]);
  });

  it.each(['?prefix=', '?prefix=a&prefix=b', '?owner=', '?owner=a&owner=b', '?Owner=a', `?color=${'x'.repeat(4097)}`])(
    'refuses %.20s',
    async (query) => {
      expect(await api.api('GET', `/assets${query}`)).toMatchObject({ status: 400 });
    },
  );
});
