import { ScriptedSocks5Server, replying } from '#socks5-protocol/testing';
import { exchange } from '../../../../test/support/raw-http.js';
import { until } from '../../../../test/support/until.js';
import { RunningProxy, type ProxySettings } from '../proxy/testing/running-proxy.js';
import { readAll } from '../tunnel/testing/open-tunnel.js';

let upstream: ScriptedSocks5Server;
let proxy: RunningProxy;

beforeAll(async () => {
  upstream = await new ScriptedSocks5Server(() => replying(5)).listen();
});

afterAll(async () => {
  await upstream.close();
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
});

const start = async (listener: ProxySettings['listener'] = {}) =>
  (proxy = await RunningProxy.start({
    upstream: { kind: 'socks5', host: '127.0.0.1', port: upstream.port, handshake: 'stepwise', warm: 0 },
    listener,
  }));

describe('a failure', () => {
  const browser = 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n';

  it.each([
    ['GET http://a.example:81/secret?q=secret', browser, true],
    ['POST http://a.example:81/secret', `${browser}Content-Length: 0\r\n`, true],
    ['GET /secret', `accept:text/html\r\n`, true],
    ['GET http://a.example:81/secret', '', false],
    ['GET http://a.example:81/secret', 'Accept: */*\r\n', false],
    ['GET http://a.example:81/secret', 'Accept: text/htmlx, application/json\r\n', false],
    ['GET http://a.example:81/secret', 'Accept: text/html;level=1;Q=0.0 , */*\r\n', false],
    ['GET http://a.example:81/secret', 'Accept: */*;q=0.1, Text/HTML ;q=0.01\r\n', true],
    ['CONNECT a.example:81', browser, false],
  ])('is a page for browsers only (%s, %j)', async (line, fields, isPage) => {
    await start();
    const text = `${line} HTTP/1.1\r\nHost: a.example:81\r\nCookie: secret\r\n${fields}Connection: close\r\n\r\n`;
    const [head = '', body = ''] = (await exchange(proxy.url, text)).split('\r\n\r\n');
    expect(head).toContain(`\r\nContent-Type: text/${isPage ? 'html' : 'plain'}; charset=utf-8\r\n`);
    expect(head).toMatch(/^HTTP\/1\.1 502 [^]*\r\nProxy-Status: proxy-client; error=connection_refused/);
    expect(body.includes('<code>a.example</code>')).toBe(isPage);
    expect(head + body).not.toContain('secret');
  });

  it('has no body for HEAD, page or not', async () => {
    await start();
    const text = `HEAD http://a.example/ HTTP/1.1\r\nHost: a.example\r\n${browser}Connection: close\r\n\r\n`;
    expect(await exchange(proxy.url, text)).toMatch(/^HTTP\/1\.1 502 [^]*\r\n\r\n$/);
  });
});

describe('a client that is refused and continues to send', () => {
  const START = 'POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n1;';

  it('is read for at most 1 MiB, however long it takes', async () => {
    proxy = await RunningProxy.start({ holdsTime: true });
    const socket = proxy.connect().on('error', () => undefined);
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
    socket.write(START);
    const piece = Buffer.alloc(65_536, 'x');
    const send = (): void => {
      if (!socket.destroyed) socket.write(piece, send);
    };
    send();
    await until(() => proxy.open === 0);
    expect(answer).toMatch(/^HTTP\/1\.1 400 |^$/);
    socket.destroy();
  });
});

describe('clients of a listener', () => {
  it.each(['http', 'socks5', 'mixed'] as const)('are taken where they are named (%s)', async (mode) => {
    await start({ mode, clients: ['10.0.0.0/8', '127.0.0.0/8'] });
    const socket = proxy.connect();
    socket.end(Buffer.from('0500', 'hex'));
    expect((await readAll(socket)).length).toBeGreaterThan(0);
  });

  it.each(['http', 'socks5', 'mixed', 'tunnel'] as const)('get no byte where they are not (%s)', async (mode) => {
    await start({ mode, clients: ['10.0.0.0/8', '::1'], to: { host: 'a.example', port: 80 } });
    const socket = proxy.connect();
    expect(await readAll(socket)).toHaveLength(0);
    await until(() => proxy.log.some(({ category }) => category === 'client_not_allowed'));
    expect([proxy.open, proxy.counted]).toEqual([0, [0, 0]]);
  });
});
