import { RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';

const DATE = 'Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n';
/** A port without a listener. */
const UNREACHABLE = 'http://127.0.0.1:1';
/** A field that is written in another way than nearly all clients do. */
const ODD = 'X:odd\r\n';

/** An answer whose body names the path. */
const answerTo = (head: string) => {
  const [, method, path = ''] = /(\S+) (\S+)/.exec(head)!;
  return `HTTP/1.1 200 OK\r\n${DATE}Content-Length: ${path.length + 2}\r\n\r\n${method === 'HEAD' ? '' : `<${path}>`}`;
};

const startOrigin = async () => RawOrigin.start((side, head) => side.write(answerTo(head)));

const request = (url: string, { method = 'GET', fields = '', body = '' } = {}) =>
  `${method} ${url} HTTP/1.1\r\nHost: x.example\r\n${fields}\r\n${body}`;

/** The bodies and statuses of several answers, in their order. */
const order = (text: string) => text.match(/<[^>]*>|HTTP\/1\.1 (?!200)\d+/g);

const withoutDate = (text: string) => text.replaceAll(/^Date: .*\r\n/gm, '');

/** Does the same with a request of either form, and expects the same to be seen. */
async function expectSame(run: (fields: string) => Promise<unknown>): Promise<unknown> {
  const seen = await run('');
  expect(await run(ODD)).toEqual(seen);
  return seen;
}

describe('Forwarder: requests are handled the same in all spellings', () => {
  it('when all is well: the connection stays and is counted once', async () => {
    const seen = await expectSame(async (fields) => {
      await using origin = await startOrigin();
      await using proxy = await RunningProxy.start();
      const client = await RawConnection.open(proxy.url);
      for (const path of ['/1', '/2', '/3']) {
        await client.write(request(origin.url + path, { fields })).until(`<${path}>`);
        await proxy.idle();
      }
      client.socket.destroy();
      return [client.received, origin.used, proxy.counted, proxy.stats.snapshot().totalConnections];
    });
    expect(seen).toEqual([['/1', '/2', '/3'].map((path) => answerTo(`GET ${path}`)).join(''), 1, [3, 0], 1]);
  });

  it.each(['GET', 'HEAD'])('when the origin cannot be reached: %s', async (method) => {
    const seen = await expectSame(async (fields) => {
      await using origin = await startOrigin();
      await using proxy = await RunningProxy.start();
      const client = await RawConnection.open(proxy.url);
      await client.write(request(UNREACHABLE, { method, fields })).until('\r\n\r\n');
      await proxy.idle();
      await client.write(request(`${origin.url}/next`, { fields })).until('</next>');
      client.socket.destroy();
      const lines = proxy.log.map(({ category, status, target, message }) => [
        category,
        status,
        target === '127.0.0.1:1',
        message,
      ]);
      return [withoutDate(client.received), proxy.counted, lines];
    });
    expect(seen).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 502 [^]*\r\nConnection: keep-alive\r\n/),
      [1, 1],
      [
        ['direct_refused', 502, true, 'request failed'],
        [undefined, 200, false, 'request relayed'],
      ],
    ]);
  });

  it('when the origin is cut in the middle of its answer', async () => {
    const seen = await expectSame(async (fields) => {
      await using origin = await RawOrigin.start((side) => {
        side.write(`HTTP/1.1 200 OK\r\n${DATE}Content-Length: 9\r\n\r\nhalf`).socket.end();
      });
      await using proxy = await RunningProxy.start();
      const client = await RawConnection.open(proxy.url);
      return [await client.write(request(origin.url, { fields })).closed, proxy.counted];
    });
    expect(seen).toEqual([expect.stringMatching(/\r\n\r\nhalf$/), [0, 1]]);
  });

  it('when the origin times out', async () => {
    const seen = await expectSame(async (fields) => {
      await using origin = await RawOrigin.start(() => undefined);
      await using proxy = await RunningProxy.start({ timeouts: { response: 50 } });
      const client = await RawConnection.open(proxy.url);
      const text = await client.write(request(origin.url, { fields })).until('\r\n\r\n');
      client.socket.destroy();
      return [withoutDate(text), proxy.counted];
    });
    expect(seen).toEqual([expect.stringMatching(/^HTTP\/1\.1 504 /), [0, 1]]);
  });

  it('when the client disconnects: the connection to the origin is reset, nothing is counted', async () => {
    const seen = await expectSame(async (fields) => {
      await using origin = await RawOrigin.start(() => undefined);
      await using proxy = await RunningProxy.start();
      const client = await RawConnection.open(proxy.url);
      const side = await (client.write(request(origin.url, { fields })), origin.side(0));
      await side.until('\r\n\r\n');
      client.socket.destroy();
      await side.closed;
      return proxy.counted;
    });
    expect(seen).toEqual([0, 0]);
  });

  it('when the client has finished sending', async () => {
    const seen = await expectSame(async (fields) => {
      await using origin = await startOrigin();
      await using proxy = await RunningProxy.start();
      const client = await RawConnection.open(proxy.url);
      await client.write(request(`${origin.url}/1`, { fields })).until('</1>');
      await proxy.idle();
      return order(await client.half().closed);
    });
    expect(seen).toEqual(['</1>']);
  });

  it('when the client is idle: the connection is closed after timeouts.idle', async () => {
    const seen = await expectSame(async (fields) => {
      await using origin = await startOrigin();
      await using proxy = await RunningProxy.start({ timeouts: { idle: 50 } });
      const client = await RawConnection.open(proxy.url);
      return order(await client.write(request(`${origin.url}/1`, { fields })).closed);
    });
    expect(seen).toEqual(['</1>']);
  });

  it('when the proxy shuts down: requests are finished, idle connections are closed', async () => {
    const seen = await expectSame(async (fields) => {
      const held = Promise.withResolvers<() => void>();
      await using origin = await RawOrigin.start((side, head) => {
        if (head.includes(' /held ')) held.resolve(() => side.write(answerTo(head)));
        else side.write(answerTo(head));
      });
      const proxy = await RunningProxy.start({ timeouts: { drain: 0 } });
      const [idle, busy] = [await RawConnection.open(proxy.url), await RawConnection.open(proxy.url)];
      await idle.write(request(`${origin.url}/1`, { fields })).until('</1>');
      busy.write(request(`${origin.url}/held`, { fields }));
      const release = await held.promise;
      const ended = proxy.close();
      const first = await idle.closed;
      release();
      await ended;
      return [first, await busy.closed];
    });
    expect(seen).toEqual([answerTo('GET /1'), expect.stringMatching(/\r\nConnection: close\r\n\r\n<\/held>$/)]);
  });

  it('when the proxy shuts down during a response: the connection is closed after it', async () => {
    const seen = await expectSame(async (fields) => {
      await using origin = await RawOrigin.start((side) => {
        side.write(`HTTP/1.1 200 OK\r\n${DATE}Content-Length: 4\r\n\r\nab`);
      });
      const proxy = await RunningProxy.start({ timeouts: { drain: 0 } });
      const client = await RawConnection.open(proxy.url);
      await client.write(request(origin.url, { fields })).until('ab');
      const ended = proxy.close();
      (await origin.side(0)).write('cd');
      await ended;
      return await client.closed;
    });
    expect(seen).toEqual(expect.stringMatching(/\r\n\r\nabcd$/));
  });
});

describe('Forwarder: many requests on one connection', () => {
  it.each([1, 7, 64, 100_000])('answers in the order of the requests, in pieces of %d bytes', async (size) => {
    await using origin = await startOrigin();
    await using proxy = await RunningProxy.start();
    const to = (path: string, options = {}) => request(origin.url + path, options);
    const text =
      to('/1') +
      to('/2') +
      to('/3', { fields: ODD }) +
      to('/4') +
      to('/5', { method: 'POST', fields: 'Content-Length: 5\r\n', body: 'GET /' }) +
      to('/6', { method: 'POST', fields: 'Transfer-Encoding: chunked\r\n', body: '5\r\nGET /\r\n0\r\n\r\n' }) +
      to('/7') +
      `\r\n${to('/8')}` +
      to('/9', { fields: 'Connection: close\r\n' });
    const client = await RawConnection.open(proxy.url);
    for (let at = 0; at < text.length; at += size) {
      client.socket.write(text.slice(at, at + size), 'latin1');
      if (size < 100) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(order(await client.closed)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `</${number}>`));
    expect([origin.heads.length, proxy.counted]).toEqual([9, [9, 0]]);
  });

  it('alternates between proxied requests and own pages', async () => {
    await using origin = await startOrigin();
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    for (const [path, fields] of [
      ['/1', ODD],
      ['/2', ''],
      ['/3', ODD],
      ['/4', ''],
    ] as const) {
      await client.write(request(origin.url + path, { fields })).until(`<${path}>`);
      await proxy.idle();
    }
    client.socket.destroy();
    expect(proxy.counted).toEqual([4, 0]);
  });

  it('rejects malformed bytes after a request once it was answered', async () => {
    await using origin = await startOrigin();
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    const text = await client.write(`${request(`${origin.url}/1`)}G@T / HTTP/1.1\r\n\r\n`).closed;
    expect(order(text)).toEqual(['</1>', 'HTTP/1.1 400']);
    expect([origin.heads.length, proxy.counted]).toEqual([1, [1, 0]]);
  });

  it('reads no more than 64 KiB after a request that waits for its response', async () => {
    const held = Promise.withResolvers<() => void>();
    await using origin = await RawOrigin.start((side, head) => {
      if (head.includes(' /held ')) held.resolve(() => side.write(answerTo(head)));
      else side.write(answerTo(head));
    });
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    const one = request(`${origin.url}/x`, { fields: `X: ${'x'.repeat(60_000)}\r\n` });
    const count = 250;
    client.write(request(`${origin.url}/held`) + one.repeat(count) + request(`${origin.url}/last`));
    const release = await held.promise;
    await proxy.idle();
    expect(client.socket.writableLength).toBeGreaterThan(0);
    release();
    const text = await client.until('</last>');
    client.socket.destroy();
    expect(order(text)).toHaveLength(count + 2);
    expect(proxy.counted).toEqual([count + 2, 0]);
  });

  it('delivers bytes that followed an upgrade to the new protocol', async () => {
    await using origin = await RawOrigin.start((side, head) => {
      if (!head.includes('Upgrade')) side.write(answerTo(head));
      else side.write('HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    });
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    const upgrade = request(`${origin.url}/2`, { fields: 'Connection: Upgrade\r\nUpgrade: websocket\r\n' });
    client.write(`${request(`${origin.url}/1`)}${upgrade}early`);
    await client.until('101 X');
    await (await origin.side(0)).until('early');
    client.socket.destroy();
    expect(origin.sides[0]!.requests).toBe(2);
  });
});
