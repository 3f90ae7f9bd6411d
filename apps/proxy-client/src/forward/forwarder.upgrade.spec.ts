import { RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { fieldLines, requestTo, sent, statusOf } from './testing/proxied.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';
import { until } from '../../../../test/support/until.js';

const head = (fields: string, status = '200 OK') => `HTTP/1.1 ${status}\r\n${fields}\r\n`;
const OK = head('Content-Length: 2\r\n') + 'hi';
const SWITCHING = head(
  'Sec-WebSocket-Accept: x\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n',
  '101 Switching Protocols',
);
const UPGRADE = {
  path: '/chat',
  fields: 'Sec-WebSocket-Key: k\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n',
};

describe('Forwarder: Upgrade: websocket (RFC 9110, section 7.8; RFC 6455, section 4)', () => {
  it('switches on 101, then passes bytes both ways, those that came early first', async () => {
    await using origin = await RawOrigin.start((side) => side.write(`${SWITCHING}first frame`));
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(`${requestTo(origin, UPGRADE)}early frame`);
    const text = await client.until('first frame');
    expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(fieldLines(text)).toEqual(['Sec-WebSocket-Accept: x', 'Connection: Upgrade', 'Upgrade: WebSocket']);
    const side = origin.sides[0]!;
    await side.until('\r\n\r\nearly frame');
    expect(fieldLines(origin.heads[0]!)).toEqual([
      `Host: ${origin.authority}`,
      'Sec-WebSocket-Key: k',
      'Connection: Upgrade',
      'Upgrade: websocket',
    ]);
    client.write('ping');
    await side.until('early frameping');
    side.write('pong');
    await client.until('first framepong');
    expect(proxy.counted).toEqual([1, 0]);
    expect(proxy.stats.snapshot()).toMatchObject({ totalConnections: 1, activeConnections: 1 });
    client.half();
    await client.closed;
    await side.closed;
    await until(() => proxy.stats.snapshot().activeConnections === 0);
  });

  it('holds early bytes back until the origin has switched', async () => {
    await using origin = await RawOrigin.start(() => undefined);
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(`${requestTo(origin, UPGRADE)}GET /smuggled HTTP/1.1\r\n`);
    const side = await origin.side(0);
    await side.until('\r\n\r\n');
    client.write('Host: a\r\n\r\n');
    side.write(head('Content-Length: 2\r\n', '403 Forbidden') + 'no');
    expect(await client.closed).toBe(
      `${head('Content-Length: 2\r\nDATE\r\nConnection: close\r\n', '403 Forbidden')}no`.replace(
        'DATE',
        /Date: .*/.exec(client.received)![0],
      ),
    );
    expect([side.received.includes('smuggled'), proxy.counted]).toEqual([false, [1, 0]]);
  });

  it.each([
    ['200 (CVE-2024-23326)', OK, 200],
    ['426', head('Upgrade: websocket\r\nContent-Length: 0\r\n', '426 Upgrade Required'), 426],
    ['101 for another protocol', SWITCHING.replace('Upgrade: WebSocket', 'Upgrade: h2c'), 502],
    ['101 without Upgrade', head('', '101 Switching Protocols'), 502],
  ])('does not switch on %s', async (_, answer, status) => {
    await using origin = await RawOrigin.answering(answer);
    await using proxy = await RunningProxy.start();
    const text = await sent(proxy, `${requestTo(origin, UPGRADE)}frame`);
    expect([statusOf(text), fieldLines(text).some((line) => line.startsWith('Connection: '))]).toEqual([status, true]);
    if (status === 502) await origin.sides[0]!.closed;
    expect(origin.sides[0]!.received).not.toContain('frame');
    expect(proxy.counted).toEqual(status === 502 ? [0, 1] : [1, 0]);
  });

  it('serves a request for another protocol as if it had not asked', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start();
    const fields = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n';
    expect(statusOf(await sent(proxy, requestTo(origin, { fields })))).toBe(200);
    expect(fieldLines(origin.heads[0]!)).toEqual([`Host: ${origin.authority}`]);
  });

  it('refuses one with a body', async () => {
    await using origin = await RawOrigin.answering(SWITCHING);
    await using proxy = await RunningProxy.start();
    const text = await sent(
      proxy,
      requestTo(origin, { fields: `${UPGRADE.fields}Content-Length: 4\r\n`, body: 'body' }),
    );
    expect([statusOf(text), origin.used, proxy.counted]).toEqual([400, 0, [0, 0]]);
  });

  it('waits for the answers to the requests before it (RFC 9112, section 9.3.2)', async () => {
    await using slow = await RawOrigin.start(() => undefined);
    await using origin = await RawOrigin.answering(SWITCHING);
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(`${requestTo(slow)}${requestTo(slow)}${requestTo(origin, UPGRADE)}frame`);
    const side = await slow.side(0);
    await side.until('\r\n\r\n');
    expect(origin.used).toBe(0);
    side.write(OK);
    await until(() => slow.heads.length === 2);
    side.write(OK);
    await client.until('HTTP/1.1 101 ');
    expect(client.received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 101']);
    await origin.sides[0]!.until('\r\n\r\nframe');
    client.socket.destroy();
    await origin.sides[0]!.closed;
  });

  it('ends the attempt when the client leaves', async () => {
    await using origin = await RawOrigin.start(() => undefined);
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin, UPGRADE));
    const side = await origin.side(0);
    await side.until('\r\n\r\n');
    client.half();
    await side.closed;
    expect(proxy.counted).toEqual([0, 0]);
    client.socket.destroy();
  });

  it('answers a failure of the upstream', async () => {
    await using proxy = await RunningProxy.start();
    await using origin = await RawOrigin.answering(OK);
    const request = requestTo(origin, UPGRADE);
    await origin[Symbol.asyncDispose]();
    const text = await sent(proxy, request);
    expect(text).toMatch(/^HTTP\/1\.1 502 [^]*error=connection_refused/);
    expect(proxy.counted).toEqual([0, 1]);
  });
});
