import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { fieldLines, requestTo, sent, statusOf } from './testing/proxied.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';

const DATE = 'Date: Sat, 21 Nov 2026 12:00:00 GMT\r\n';
const OK = `HTTP/1.1 200 OK\r\n${DATE}Content-Length: 2\r\n\r\nhi`;
const CLOSE = 'Connection: close\r\n';

/** What the origin gets of a request, and the client of the answer. */
async function through(
  request: Parameters<typeof requestTo>[1],
  answer = OK,
  settings: Parameters<typeof RunningProxy.start>[0] = {},
) {
  await using origin = await RawOrigin.answering(answer);
  await using proxy = await RunningProxy.start(settings);
  const closing = { ...request, fields: `${CLOSE}${request?.fields ?? ''}` };
  const text = await sent(proxy, requestTo(origin, closing));
  return {
    requestedTarget: origin.heads[0]?.replaceAll(origin.authority, 'ORIGIN'),
    text,
    counted: proxy.counted,
    log: proxy.log,
  };
}

describe('Forwarder: requests', () => {
  it('sends the path on byte for byte (RFC 9112, section 3.2.2)', async () => {
    const path = '/a/../b/./c//%7e%2F%zz;x?q=http://z/../y&"<>\\^`{|}';
    const { requestedTarget, text } = await through({ path });
    expect(requestedTarget).toBe(`GET ${path} HTTP/1.1\r\nHost: ORIGIN\r\n\r\n`);
    expect(text).toBe(OK.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  });

  it('uses the Host of the target (RFC 9112, section 3.2.2)', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start();
    await sent(proxy, `GET ${origin.url} HTTP/1.1\r\nHost: other.example\r\n${CLOSE}\r\n`);
    expect(origin.heads).toEqual([`GET / HTTP/1.1\r\nHost: ${origin.authority}\r\n\r\n`]);
  });

  it('forwards origin-form to its Host (RFC 9112, section 3.2.1)', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start();
    const text = await sent(proxy, `GET /x?y HTTP/1.1\r\nHost: ${origin.authority}\r\n${CLOSE}\r\n`);
    expect([statusOf(text), origin.heads]).toEqual([200, [`GET /x?y HTTP/1.1\r\nHost: ${origin.authority}\r\n\r\n`]]);
  });

  it('asks about the whole server in asterisk-form (RFC 9112, section 3.2.4)', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start();
    await sent(proxy, `OPTIONS ${origin.url} HTTP/1.1\r\nHost: ${origin.authority}\r\n${CLOSE}\r\n`);
    expect(origin.heads).toEqual([`OPTIONS * HTTP/1.1\r\nHost: ${origin.authority}\r\n\r\n`]);
  });

  it('keeps order, case and bytes above 127, and drops what ends here (RFC 9110, sections 5.3 and 7.6.1)', async () => {
    const { requestedTarget } = await through({
      fields:
        'x-B: 1\r\nConnection: X-Hop\r\nX-hop: 2\r\nX-b: \xe9\xff\r\nProxy-Authorization: Basic c2VjcmV0\r\n' +
        'Proxy-Connection: keep-alive\r\nKeep-Alive: 5\r\nTE: gzip\r\nUpgrade: h2c\r\nCookie: a\r\nx-B: 3\r\n',
    });
    expect(fieldLines(requestedTarget!)).toEqual(['Host: ORIGIN', 'x-B: 1', 'X-b: \xe9\xff', 'Cookie: a', 'x-B: 3']);
  });

  it('drops none of 3,000 fields, in either direction', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: ${index}`);
    const fields = many.map((line) => `${line}\r\n`).join('');
    const { requestedTarget, text } = await through({ fields }, OK.replace('\r\n\r\n', `\r\n${fields}\r\n`));
    expect(fieldLines(requestedTarget!).slice(1)).toEqual(many);
    expect(fieldLines(text).filter((line) => line.startsWith('X-'))).toEqual(many);
  });

  it('passes no Proxy-* field on from a client (CVE-2024-24758)', async () => {
    const { requestedTarget } = await through({
      fields: 'Proxy-Authorization: x\r\nPROXY-status: x\r\nProxy-Whatever: x\r\n',
    });
    expect(requestedTarget).not.toMatch(/^proxy-/im);
  });
});

describe('Forwarder: Via (RFC 9110, section 7.6.3)', () => {
  const TOKEN = /^Via: 1\.1 ([0-9a-f]{16})$/m;

  it('is appended to what others added, in both directions', async () => {
    const { requestedTarget, text } = await through(
      { fields: 'Via: 1.0 first\r\n' },
      OK.replace('\r\n\r\n', '\r\nVia: 1.1 last\r\n\r\n'),
      {
        via: true,
      },
    );
    const added = TOKEN.exec(requestedTarget!)![1];
    expect(fieldLines(requestedTarget!)).toEqual(['Host: ORIGIN', 'Via: 1.0 first', `Via: 1.1 ${added}`]);
    expect(fieldLines(text).filter((line) => line.startsWith('Via'))).toEqual(['Via: 1.1 last', `Via: 1.1 ${added}`]);
  });

  it('cannot be taken away by naming it in Connection (CVE-2025-48865)', async () => {
    const { requestedTarget } = await through({ fields: 'Connection: via\r\n' }, OK, { via: true });
    expect(requestedTarget).toMatch(TOKEN);
  });

  it('finds a request that comes back: 502, proxy_loop_detected (RFC 9209, section 2.3)', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start({ via: true });
    await sent(proxy, requestTo(origin, { fields: CLOSE }));
    const token = TOKEN.exec(origin.heads[0]!)![1]!;
    const text = await sent(proxy, requestTo(origin, { fields: `${CLOSE}Via: 1.1 a, 1.1 ${token}, 1.1 b\r\n` }));
    expect(text).toMatch(/^HTTP\/1\.1 502 [^]*\r\nProxy-Status: proxy-client; error=proxy_loop_detected\r\n/);
    expect([origin.heads.length, proxy.counted]).toEqual([1, [1, 1]]);
  });
});

describe('Forwarder: Max-Forwards (RFC 9110, section 7.6.2)', () => {
  it('is counted down for OPTIONS and TRACE, and left alone for others', async () => {
    const fields = 'Max-Forwards: 3\r\n';
    expect((await through({ method: 'TRACE', fields })).requestedTarget).toContain('\r\nMax-Forwards: 2\r\n');
    expect((await through({ method: 'OPTIONS', fields })).requestedTarget).toContain('\r\nMax-Forwards: 2\r\n');
    expect((await through({ method: 'GET', fields })).requestedTarget).toContain('\r\nMax-Forwards: 3\r\n');
  });

  it('0 is answered here, and reflects nothing; no origin is asked and nothing counted (RFC 9110, section 9.3.8)', async () => {
    const fields = 'Max-Forwards: 0\r\nX: secret\r\nAuthorization: secret\r\n';
    const trace = await through({ method: 'TRACE', fields });
    expect(trace.text).toMatch(/^HTTP\/1\.1 405 [^]*\r\nAllow: GET, /);
    expect(trace.text).not.toContain('secret');
    const options = await through({ method: 'OPTIONS', fields });
    expect([statusOf(options.text), trace.requestedTarget, options.requestedTarget, options.counted]).toEqual([
      200,
      undefined,
      undefined,
      [0, 0],
    ]);
  });
});

describe('Forwarder: answers', () => {
  const answered = (fields: string, body = 'hi', status = '200 OK') =>
    `HTTP/1.1 ${status}\r\n${DATE}${fields}\r\n${body}`;

  it('drops what ends here and what Connection names (RFC 9110, section 7.6.1)', async () => {
    const { text } = await through(
      {},
      answered(
        'x-B: 1\r\nConnection: keep-alive, X-Hop, content-length\r\nKeep-Alive: timeout=5\r\nX-HOP: 2\r\nUpgrade: h2\r\n' +
          'Content-Length: 2\r\nProxy-Connection: x\r\nProxy-Authentication-Info: x\r\nX-e: y\r\n' +
          'X: \xe9\xff \r\n',
      ),
    );
    expect(fieldLines(text)).toEqual([
      DATE.trim(),
      'x-B: 1',
      'Content-Length: 2',
      'X-e: y',
      'X: \xe9\xff ',
      'Connection: close',
    ]);
    expect(text.endsWith('\r\n\r\nhi')).toBe(true);
  });

  it("relays an origin's 407 without Proxy-Authenticate (CVE-2013-2503)", async () => {
    const { text, counted } = await through(
      {},
      answered(
        'Proxy-Authenticate: Basic realm="x"\r\nContent-Length: 2\r\n',
        'hi',
        '407 Proxy Authentication Required',
      ),
    );
    expect(text).toMatch(/^HTTP\/1\.1 407 Proxy Authentication Required\r\n/);
    expect([/proxy-authenticate/i.test(text), counted]).toEqual([false, [1, 0]]);
  });

  it("keeps an origin's Proxy-Status (RFC 9209, section 2), in the header, interim answers and trailers", async () => {
    const status = 'Proxy-Status: other; error=dns_error\r\n';
    const { text } = await through(
      {},
      `HTTP/1.1 103 X\r\n${status}\r\n` +
        answered(`${status}Transfer-Encoding: chunked\r\n`).replace(/hi$/, `2\r\nhi\r\n0\r\n${status}\r\n`),
    );
    expect(text.match(/^proxy-status:.*$/gim)).toEqual(new Array(3).fill(status.trim()));
  });

  it('adds Date to an answer that has none (RFC 9110, section 6.6.1)', async () => {
    const { text } = await through({}, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
    expect(text).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
    expect((await through({})).text.match(/^Date:/gm)).toHaveLength(1);
  });

  it('keeps the reason phrase and unknown statuses as they are (RFC 9112, section 4)', async () => {
    expect((await through({}, answered('Content-Length: 2\r\n', 'hi', '299 caf\xe9 au lait'))).text).toMatch(
      /^HTTP\/1\.1 299 caf\xe9 au lait\r\n/,
    );
    expect((await through({}, answered('Content-Length: 2\r\n', 'hi', '999'))).text).toMatch(/^HTTP\/1\.1 999 \r\n/);
  });

  it('forwards the required protocol of a 426 (RFC 9110, section 15.5.22)', async () => {
    const { text } = await through(
      {},
      answered('Upgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 2\r\n', 'hi', '426 Upgrade Required'),
    );
    expect(fieldLines(text)).toContain('Upgrade: websocket');
    expect(fieldLines(text)).toContain('Connection: Upgrade');
  });
});
