import { createHash } from 'node:crypto';
import { NodeOrigin } from '../../../../test/support/node-origin.js';
import { RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { settled, fieldLines, requestTo, sent, statusOf } from './testing/proxied.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';
import { until } from '../../../../test/support/until.js';

const DATE = 'Date: Sat, 21 Nov 2026 12:00:00 GMT\r\n';
const OK = `HTTP/1.1 200 OK\r\n${DATE}Content-Length: 2\r\n\r\nhi`;
const CLOSE = 'Connection: close\r\n';
const head = (fields: string, status = '200 OK') => `HTTP/1.1 ${status}\r\n${DATE}${fields}\r\n`;

async function answered(answer: string, request: Parameters<typeof requestTo>[1] = {}): Promise<string> {
  await using origin = await RawOrigin.start((side) => {
    side.write(answer);
    if (!/Content-Length|chunked/.test(answer)) side.socket.end();
  });
  await using proxy = await RunningProxy.start();
  const text = await sent(proxy, requestTo(origin, { ...request, fields: `${CLOSE}${request.fields ?? ''}` }));
  expect(proxy.counted).toEqual([1, 0]);
  return text;
}

describe('Forwarder: bodies of responses (RFC 9112, section 6)', () => {
  it('relays a chunked body chunked, with trailers except those that are not allowed (RFC 9110, section 6.5)', async () => {
    const text = await answered(
      head('Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n') +
        '2;ext=1\r\nhi\r\n3\r\nyou\r\n0\r\nX-Sum: \xe9\r\nConnection: x\r\nAuthorization: y\r\n\r\n',
    );
    expect(fieldLines(text)).toEqual([
      DATE.trim(),
      'Trailer: X-Sum',
      'Transfer-Encoding: chunked',
      'Connection: close',
    ]);
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe('2\r\nhi\r\n3\r\nyou\r\n0\r\nX-Sum: \xe9\r\n\r\n');
  });

  it('does not relay trailers that Connection names (RFC 9110, section 7.6.1)', async () => {
    const text = await answered(
      head('Connection: X-Hop, keep-alive\r\nTransfer-Encoding: chunked\r\n') +
        '2\r\nhi\r\n0\r\nx-hop: 1\r\nX-Sum: 2\r\nX-Hop: 3\r\n\r\n',
    );
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe('2\r\nhi\r\n0\r\nX-Sum: 2\r\n\r\n');
  });

  it('chunks a body that ends with its connection, so that the client detects its end (section 6.3)', async () => {
    const text = await answered(`${head('')}to the end`);
    expect(fieldLines(text)).toContain('Transfer-Encoding: chunked');
    expect(text.endsWith('\r\n\r\na\r\nto the end\r\n0\r\n\r\n')).toBe(true);
  });

  it.each([
    ['a chunked one', `${head('Transfer-Encoding: chunked\r\n')}2\r\nhi\r\n0\r\nX: y\r\n\r\n`],
    ['one without a length', `${head('')}hi`],
  ])('relays %s to an HTTP/1.0 client up to the end of the connection (section 6.1)', async (_, answer) => {
    await using origin = await RawOrigin.start((side) => {
      side.write(answer);
      if (!answer.includes('chunked')) side.socket.end();
    });
    await using proxy = await RunningProxy.start();
    const text = await sent(proxy, requestTo(origin, { minor: 0, fields: 'Connection: keep-alive\r\n' }));
    expect(text).toBe(`HTTP/1.1 200 OK\r\n${DATE}Connection: close\r\n\r\nhi`);
    expect(origin.heads[0]).toMatch(/^GET \/ HTTP\/1\.1\r\n/);
  });

  it('keeps the connection of an HTTP/1.0 client that asks for it if the length is known (section 9.3)', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin, { minor: 0, fields: 'Connection: keep-alive\r\n' }));
    await client.until('\r\nConnection: keep-alive\r\n\r\nhi');
    client.write(requestTo(origin, { minor: 0 }));
    expect((await client.closed).match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  it.each([
    ['HEAD', '200 OK', 'Content-Length: 99\r\n', ['Content-Length: 99']],
    ['HEAD', '200 OK', 'Transfer-Encoding: chunked\r\n', []],
    ['HEAD', '200 OK', '', []],
    ['GET', '204 No Content', '', []],
    ['GET', '204 No Content', 'Content-Length: 0\r\n', []],
    ['GET', '304 Not Modified', 'Content-Length: 99\r\n', ['Content-Length: 99']],
  ])(
    'knows that %s with %s has no body (RFC 9110, sections 9.3.2, 15.3.5 and 15.4.5): %j',
    async (method, status, fields, kept) => {
      await using origin = await RawOrigin.answering(head(fields, status));
      await using proxy = await RunningProxy.start();
      const client = await RawConnection.open(proxy.url);
      client.write(requestTo(origin, { method }));
      await client.until('\r\n\r\n');
      client.write(requestTo(origin, { method, fields: CLOSE }));
      const text = await client.closed;
      expect(text.match(/HTTP\/1\.1/g)).toHaveLength(2);
      expect(fieldLines(text)).toEqual([DATE.trim(), ...kept]);
      expect(proxy.counted).toEqual([2, 0]);
    },
  );

  it('relays 64 MiB unchanged to a client that stalls, without buffering it in memory', async () => {
    const size = 64 * 1024 * 1024;
    const block = Buffer.from(Array.from({ length: 65_537 }, (_, index) => (index * 31) % 251));
    const expected = createHash('sha256');
    await using origin = await NodeOrigin.start((_request, response) => {
      response.writeHead(200, { 'Content-Length': size });
      let left = size;
      const more = (): void => {
        while (left > 0) {
          const part = block.subarray(0, Math.min(left, block.length));
          expected.update(part);
          left -= part.length;
          if (!response.write(part) && left > 0) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.socket.removeAllListeners('data').setEncoding('latin1');
    const seen = createHash('sha256');
    let body = -1;
    client.socket.on('data', (text: string) => {
      const start = body === -1 ? text.indexOf('\r\n\r\n') + 4 : 0;
      body = Math.max(body, 0) + text.length - start;
      seen.update(text.slice(start), 'latin1');
    });
    client.write(`GET ${origin.url}/ HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`);
    await until(() => body > 0);
    client.socket.pause();
    const before = await settled(() => proxy.stats.snapshot().bytesReceived);
    client.socket.resume();
    await client.closed;
    expect(before).toBeLessThan(size / 2);
    expect([body, seen.digest('hex')]).toEqual([size, expected.digest('hex')]);
    expect(proxy.counted).toEqual([1, 0]);
  });
});

describe('Forwarder: bodies of requests (RFC 9112, section 6)', () => {
  it('forwards a body with a length', async () => {
    await using origin = await RawOrigin.start((side) => {
      side.onceItHas('\r\n\r\nhello', () => side.write(OK));
    });
    await using proxy = await RunningProxy.start();
    const fields = `${CLOSE}Content-Length: 5\r\n`;
    expect(statusOf(await sent(proxy, requestTo(origin, { method: 'POST', fields, body: 'hello' })))).toBe(200);
    expect(origin.sides[0]!.received).toBe(
      `POST / HTTP/1.1\r\nHost: ${origin.authority}\r\nContent-Length: 5\r\n\r\nhello`,
    );
  });

  it('forwards a chunked body chunked, with trailers (RFC 9110, section 6.5)', async () => {
    await using origin = await RawOrigin.start((side) => {
      side.onceItHas('\r\n0\r\n', () => side.write(OK));
    });
    await using proxy = await RunningProxy.start();
    const fields = `${CLOSE}Transfer-Encoding: CHUNKED\r\nTE: trailers\r\nTrailer: X-Sum\r\n`;
    const body = '5;x=y\r\nhello\r\n2\r\n!!\r\n0\r\nX-Sum: \xe9\r\nHost: evil\r\n\r\n';
    expect(statusOf(await sent(proxy, requestTo(origin, { method: 'PUT', fields, body })))).toBe(200);
    expect(origin.sides[0]!.received).toBe(
      `PUT / HTTP/1.1\r\nHost: ${origin.authority}\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n` +
        'Connection: TE\r\nTE: trailers\r\n\r\n5\r\nhello\r\n2\r\n!!\r\n0\r\nX-Sum: \xe9\r\n\r\n',
    );
  });

  it('does not forward trailers that Connection names (RFC 9110, section 7.6.1)', async () => {
    await using origin = await RawOrigin.start((side) => {
      side.onceItHas('\r\n0\r\n', () => side.write(OK));
    });
    await using proxy = await RunningProxy.start();
    const fields = 'Connection: close, X-Hop\r\nTransfer-Encoding: chunked\r\n';
    const body = '5\r\nhello\r\n0\r\nx-hop: 1\r\nX-Sum: 2\r\nX-HOP: 3\r\n\r\n';
    expect(statusOf(await sent(proxy, requestTo(origin, { method: 'POST', fields, body })))).toBe(200);
    expect(origin.sides[0]!.received).toMatch(/\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 2\r\n\r\n$/);
  });

  it('forwards Content-Length: 0', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start();
    await sent(proxy, requestTo(origin, { method: 'POST', fields: `${CLOSE}Content-Length: 0\r\n` }));
    expect(fieldLines(origin.heads[0]!)).toContain('Content-Length: 0');
  });

  it('forwards 64 MiB to an origin that stalls, without buffering it in memory', async () => {
    const size = 64 * 1024 * 1024;
    let taken = 0;
    await using origin = await RawOrigin.start((side, request) => {
      side.socket.pause();
      taken = side.received.length - request.length;
      side.socket.removeAllListeners('data');
      side.socket.on('data', (chunk: Buffer) => {
        taken += chunk.length;
        if (taken >= size) side.write(OK);
      });
    });
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin, { method: 'POST', fields: `${CLOSE}Content-Length: ${size}\r\n` }));
    client.socket.write(Buffer.alloc(size, 'x'));
    const side = await origin.side(0);
    await until(() => origin.heads.length === 1);
    // What neither the kernel, on its two hops behind the proxy, nor the proxy takes stays with the client.
    expect(await settled(() => proxy.stats.snapshot().bytesSent)).toBeLessThan(size / 2);
    side.socket.resume();
    expect(statusOf(await client.closed)).toBe(200);
    expect(taken).toBe(size);
    expect(proxy.counted).toEqual([1, 0]);
  });

  it('continues to send after an early response, and reuses the connection', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin, { method: 'POST', fields: 'Content-Length: 10\r\n', body: 'first' }));
    await client.until('\r\n\r\nhi');
    client.write('later');
    await origin.sides[0]!.until('firstlater');
    client.write(requestTo(origin, { path: '/2' }));
    await client.until(OK + OK);
    expect([origin.used, proxy.counted]).toEqual([1, [2, 0]]);
    client.socket.destroy();
  });

  it('discards the rest when the origin answered and disconnected', async () => {
    await using origin = await RawOrigin.start((side, request) => {
      side.write(
        request.startsWith('POST') ? head('Content-Length: 2\r\nConnection: close\r\n', '413 Too Large') + 'no' : OK,
      );
      if (request.startsWith('POST')) side.socket.end();
    });
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin, { method: 'POST', fields: 'Content-Length: 10\r\n', body: 'first' }));
    await client.until('\r\n\r\nno');
    client.write('later');
    client.write(requestTo(origin, { path: '/2' }));
    await client.until('\r\n\r\nhi');
    expect([origin.heads.length, proxy.counted]).toEqual([2, [2, 0]]);
    client.socket.destroy();
  });
});

describe('Forwarder: interim responses (RFC 9110, section 15.2) and Expect (section 10.1.1)', () => {
  const expecting = { method: 'POST', fields: 'Expect: 100-continue\r\nContent-Length: 5\r\n' };

  it('relays 1xx as they arrive', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nX-Hop: y\r\n\r\n';
    const text = await answered(interim.replace('X-Hop', 'Keep-Alive') + interim + OK);
    expect(text.startsWith(interim.replace('X-Hop: y\r\n', '') + interim + 'HTTP/1.1 200 OK')).toBe(true);
  });

  it('does not relay 1xx to HTTP/1.0 clients', async () => {
    const text = await answered(`HTTP/1.1 103 Early Hints\r\n\r\n${OK}`, { minor: 0 });
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it('forwards Expect, relays 100, then forwards the body', async () => {
    await using origin = await RawOrigin.start((side) => {
      side.write('HTTP/1.1 100 Continue\r\n\r\n');
      side.onceItHas('\r\n\r\nhello', () => side.write(OK));
    });
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin, expecting));
    await client.until('HTTP/1.1 100 Continue\r\n\r\n');
    expect(fieldLines(origin.heads[0]!)).toContain('Expect: 100-continue');
    expect(origin.sides[0]!.received).not.toContain('hello');
    client.write('hello');
    await client.until(OK);
    client.write(requestTo(origin, { fields: CLOSE }));
    expect((await client.closed).match(/200 OK/g)).toHaveLength(2);
  });

  it('sends the body of a client that does not wait for 100', async () => {
    await using origin = await RawOrigin.start((side) => {
      side.onceItHas('\r\n\r\nhello', () => side.write(OK));
    });
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin, { ...expecting, body: 'hello' }));
    await client.until(OK);
    client.socket.destroy();
  });

  it('closes after a final response without 100: the body may follow or not', async () => {
    await using origin = await RawOrigin.answering(head('Content-Length: 2\r\n', '417 Expectation Failed') + 'no');
    await using proxy = await RunningProxy.start();
    const text = await sent(proxy, requestTo(origin, expecting));
    expect([statusOf(text), fieldLines(text).includes('Connection: close'), proxy.counted]).toEqual([
      417,
      true,
      [1, 0],
    ]);
    expect(origin.sides[0]!.received).not.toContain('hello');
  });

  it('leaves other expectations to the origin', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start();
    await sent(proxy, requestTo(origin, { fields: `${CLOSE}Expect: something\r\n` }));
    expect(fieldLines(origin.heads[0]!)).toContain('Expect: something');
  });
});

describe('Forwarder: connections to clients (RFC 9112, section 9.3)', () => {
  it('answers pipelined requests in their order, whatever the origins do', async () => {
    await using slow = await RawOrigin.start(() => undefined);
    await using fast = await RawOrigin.answering(head('Content-Length: 4\r\n') + 'fast');
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(
      requestTo(slow) + requestTo(fast) + requestTo(slow, { path: '/2' }) + requestTo(fast, { fields: CLOSE }),
    );
    (await slow.side(0)).write(head('Content-Length: 4\r\n') + 'slo');
    await client.until('slo');
    expect(fast.heads).toEqual([]);
    slow.sides[0]!.write('1');
    await slow.sides[0]!.until('/2');
    slow.sides[0]!.write(head('Content-Length: 4\r\n') + 'slo2');
    const bodies = [...(await client.closed).matchAll(/\r\n\r\n(slo1|slo2|fast)/g)].map(([, body]) => body);
    expect([bodies, proxy.counted]).toEqual([
      ['slo1', 'fast', 'slo2', 'fast'],
      [4, 0],
    ]);
  });

  it('answers pipelined requests for own pages in order too', async () => {
    await using slow = await RawOrigin.start(() => undefined);
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(
      `${requestTo(slow)}GET /stats HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n${requestTo(slow, { fields: CLOSE })}`,
    );
    (await slow.side(0)).write(OK);
    await client.until('socks5_errors');
    await slow.sides[0]!.until('GET / HTTP/1.1\r\nHost');
    await until(() => slow.heads.length === 2);
    slow.sides[0]!.write(OK);
    expect(await client.closed).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nhiHTTP[^]*socks5_errors[^]*HTTP[^]*\r\n\r\nhi$/,
    );
  });

  it('keeps the connection of the client when the origin closes, and vice versa', async () => {
    await using origin = await RawOrigin.start((side) => {
      side.write(head('Connection: close\r\nContent-Length: 2\r\n') + 'hi');
      side.socket.end();
    });
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin));
    await client.until(OK);
    client.write(requestTo(origin));
    await client.until(OK + OK);
    expect(origin.used).toBe(2);
    client.socket.destroy();
  });
});
