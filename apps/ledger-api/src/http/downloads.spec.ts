import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fastify, type FastifyReply } from 'fastify';
import type { Page } from '#ledger-gateway';
import { RawConnection } from '../../../../test/support/raw-http.js';
import { until } from '../../../../test/support/until.js';
import { attachment, csvAnswer } from './downloads.js';

const PAGE = { requireWhole: () => undefined };

interface Item {
  readonly name: string;
  readonly count?: number;
}

/** A reply to a client that is connected until `leave` is called. */
function replyTo(method = 'GET') {
  const socket = { destroyed: false, timeout: 150, setTimeout: (milliseconds: number) => restarted.push(milliseconds) };
  const restarted: number[] = [];
  const access = { isRevoked: false };
  const requireAccess = (): void => {
    if (access.isRevoked) throw new Error('revoked');
  };
  const reply = { request: { method, socket, requireAccess } } as unknown as FastifyReply;
  return {
    reply,
    restarted,
    leave: () => (socket.destroyed = true),
    revoke: () => (access.isRevoked = true),
  };
}

const table = (read: (cursor?: number) => Promise<Page<Item, number>>) => ({
  file: 'list.csv',
  columns: ['name', 'count'] as const,
  row: (item: Item) => item,
  read,
});
const listing = (items: readonly Item[]) => table(() => Promise.resolve({ items }));

async function csvOf(items: readonly Item[]): Promise<string> {
  const answer = await csvAnswer(replyTo().reply, PAGE, listing(items));
  return text(answer.getStream());
}
const lines = async (names: readonly string[]) => {
  const csv = await csvOf(names.map((name) => ({ name, count: 1 })));
  return csv.slice('name,count\r\n'.length);
};

describe('a list as CSV', () => {
  it('has a header row, also when it is empty', async () => {
    expect(await csvOf([])).toBe('name,count\r\n');
    expect(await csvOf([{ name: 'a', count: -2 }, { name: 'b' }])).toBe('name,count\r\na,-2\r\nb,\r\n');
  });

  it.each([
    ['plain', 'plain'],
    ['with blanks ', 'with blanks '],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "a"', '"say ""a"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['ä 🚀 \u0000', 'ä 🚀 \u0000'],
  ])('writes %j as %j', async (name, cell) => {
    expect(await lines([name])).toBe(`${cell},1\r\n`);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\r=x', '"\'\r=x"'],
    ['\n=x', '"\'\n=x"'],
    ['＝1', "'＝1"],
    ['=cmd|\' /C calc\'!A0,"x"', '"\'=cmd|\' /C calc\'!A0,""x"""'],
    ['a=1', 'a=1'],
  ])('a spreadsheet does not execute %j', async (name, cell) => {
    expect(await lines([name])).toBe(`${cell},1\r\n`);
  });

  it('defect: a page continued after its caller was revoked', async () => {
    const { reply, revoke } = replyTo();
    async function* expand(): AsyncGenerator<readonly Item[]> {
      for (let part = 1; part < 100; part++) {
        if (part === 3) revoke();
        await new Promise(setImmediate);
        yield [{ name: String(part) }];
      }
    }
    const answer = await csvAnswer(reply, PAGE, { ...listing([{ name: 'page' }]), expand });
    let received = '';
    await expect(
      (async () => {
        for await (const chunk of answer.getStream()) received += String(chunk);
      })(),
    ).rejects.toThrow('revoked');
    expect(received).toBe('name,count\r\n1,\r\n2,\r\n');
  });

  it('ends when its caller is revoked', async () => {
    const { reply, revoke } = replyTo();
    let pages = 0;
    const endless = table((cursor = 0) => {
      pages += 1;
      if (pages === 3) revoke();
      return Promise.resolve({ items: [{ name: 'a' }], next: cursor + 1 });
    });
    await expect(text((await csvAnswer(reply, PAGE, endless)).getStream())).rejects.toThrow('revoked');
    expect(pages).toBe(3);
  });

  it('reads pages at the pace of the client', async () => {
    let pages = 0;
    const items = Array.from({ length: 200 }, () => ({ name: 'x'.repeat(100) }));
    const endless = table((cursor = 0) => {
      pages += 1;
      return Promise.resolve({ items, next: cursor + 1 });
    });
    const stream = (await csvAnswer(replyTo().reply, PAGE, endless)).getStream();
    for await (const chunk of stream) {
      expect(String(chunk)).toMatch(/^name,count\r\n/);
      break;
    }
    expect(stream.destroyed).toBe(true);
    // A stream buffers 64 KiB, a few of these pages.
    expect(pages).toBeLessThan(10);
  });

  it('ends when the connection of the client ends', async () => {
    const items = Array.from({ length: 200 }, () => ({ name: 'x'.repeat(100) }));
    const endless = table((cursor = 0) => Promise.resolve({ items, next: cursor + 1 }));
    let stream: Readable | undefined;
    const server = fastify();
    server.decorateRequest('requireAccess', () => undefined);
    server.get('/', async (_, reply) => (stream = (await csvAnswer(reply, PAGE, endless)).getStream()));
    const connection = await RawConnection.open(await server.listen({ host: '127.0.0.1', port: 0 }));
    await connection.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n').until('name,count');
    expect(stream?.destroyed).toBe(false);
    connection.socket.destroy();
    await until(() => stream?.destroyed === true);
    await server.close();
  });

  it('ends when the client leaves while no page has an item, and keeps the connection open until then', async () => {
    const client = replyTo();
    let pages = 0;
    const empty = table((cursor = 0) => {
      pages += 1;
      if (pages === 5) client.leave();
      return Promise.resolve({ items: [], next: cursor + 1 });
    });
    const answer = await csvAnswer(client.reply, PAGE, empty);
    expect(await text(answer.getStream())).toBe('name,count\r\n');
    expect(pages).toBe(5);
    expect(client.restarted).toEqual([150, 150, 150, 150, 150]);
  });

  it('fails before the answer when the first page cannot be read, and later cuts it', async () => {
    const never = table(() => Promise.reject(new Error('unavailable')));
    await expect(csvAnswer(replyTo().reply, PAGE, never)).rejects.toThrow('unavailable');
    const once = table((cursor) =>
      cursor === undefined ? Promise.resolve({ items: [], next: 1 }) : Promise.reject(new Error('gone')),
    );
    const answer = await csvAnswer(replyTo().reply, PAGE, once);
    await expect(text(answer.getStream())).rejects.toThrow('gone');
  });

  it('reads nothing for HEAD', async () => {
    const never = table(() => Promise.reject(new Error('read')));
    const answer = await csvAnswer(replyTo('HEAD').reply, PAGE, never);
    expect(await text(answer.getStream())).toBe('');
  });
});

describe('the name of a file', () => {
  it.each([
    ['history-car-7.csv', 'history-car-7.csv'],
    ['history-"; filename=\r\n/../ä🚀.csv', 'history-___filename____..____.csv'],
  ])('of %j is %s', (name, file) => {
    expect(attachment(name)).toBe(`attachment; filename="${file}"`);
  });
});
