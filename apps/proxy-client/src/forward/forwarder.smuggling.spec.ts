import { RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { requestTo, sent, statusOf } from './testing/proxied.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';
import { ODD_TRANSFER_ENCODINGS, PLAIN_TRANSFER_ENCODINGS } from '../../../../test/support/transfer-encodings.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';
/** A request that an attacker hides in a body. */
const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n';

let origin: RawOrigin;
let proxy: RunningProxy;

beforeAll(async () => {
  origin = await RawOrigin.answering(OK);
  proxy = await RunningProxy.start();
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await origin[Symbol.asyncDispose]();
});

/** Expects 400 and the end of the connection, and that the origin saw nothing. */
async function expectRefusal(text: string, failed = 0): Promise<void> {
  const [heads, [relayed, before]] = [origin.heads.length, proxy.counted];
  const answer = await sent(proxy, text);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toMatch(/\r\nConnection: close\r\n/i);
  expect(answer).toMatch(/\r\nProxy-Status: proxy-client; error=http_request_error/);
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect([origin.heads.length, proxy.counted]).toEqual([heads, [relayed, before + failed]]);
}

const post = (fields: string, body = '') => requestTo(origin, { method: 'POST', fields, body });
const line = (text: string, fields?: string) => `${text}\r\n${fields ?? `Host: ${origin.authority}\r\n`}\r\n`;

describe('Forwarder: ambiguous framing (RFC 9112, sections 6.1 to 6.3, 11.2)', () => {
  it.each(ODD_TRANSFER_ENCODINGS)('refuses Transfer-Encoding %j, alone and with Content-Length', async (value) => {
    const body = `0\r\n\r\n${HIDDEN}`;
    await expectRefusal(post(`Transfer-Encoding: ${value}\r\n`, body));
    await expectRefusal(post(`Transfer-Encoding: ${value}\r\nContent-Length: ${body.length}\r\n`, body));
    await expectRefusal(post(`Content-Length: ${body.length}\r\nTransfer-Encoding: ${value}\r\n`, body));
  });

  it.each(PLAIN_TRANSFER_ENCODINGS)(
    'normalises Transfer-Encoding %j, and refuses it with Content-Length',
    async (value) => {
      const answer = await sent(
        proxy,
        post(`Connection: close\r\nTransfer-Encoding:${value}\r\n`, '2\r\nhi\r\n0\r\n\r\n'),
      );
      expect(statusOf(answer)).toBe(200);
      expect(origin.heads.at(-1)).toContain('\r\nTransfer-Encoding: chunked\r\n');
      await expectRefusal(post(`Content-Length: 5\r\nTransfer-Encoding:${value}\r\n`, `0\r\n\r\n${HIDDEN}`));
      await expectRefusal(post(`Transfer-Encoding:${value}\r\nContent-Length: 5\r\n`, `0\r\n\r\n${HIDDEN}`));
    },
  );

  it.each([
    ['that differ (CVE-2026-54388)', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['that agree', 'Content-Length: 5\r\nContent-Length: 5\r\n'],
    ['in a list', 'Content-Length: 5, 5\r\n'],
    ['in a list that differs', 'Content-Length: 5, 6\r\n'],
    ['with a sign', 'Content-Length: +5\r\n'],
    ['below nothing', 'Content-Length: -5\r\n'],
    ['in hexadecimal', 'Content-Length: 0x5\r\n'],
    ['that are empty', 'Content-Length: \r\n'],
    ['of 2^53', 'Content-Length: 9007199254740992\r\n'],
    ['of 2^64', 'Content-Length: 18446744073709551616\r\n'],
    ['with a blank before the colon (section 5.1)', 'Content-Length : 5\r\n'],
    ['on a folded line (section 5.2)', 'Content-Length:\r\n 5\r\n'],
  ])('refuses lengths %s', async (_, fields) => {
    await expectRefusal(post(fields, `hello${HIDDEN}`));
  });

  it('refuses Transfer-Encoding in HTTP/1.0 (section 6.1)', async () => {
    const fields = 'Transfer-Encoding: chunked\r\n';
    await expectRefusal(requestTo(origin, { method: 'POST', minor: 0, fields, body: `0\r\n\r\n${HIDDEN}` }));
  });

  it('refuses a body with TRACE (RFC 9110, section 9.3.8)', async () => {
    await expectRefusal(requestTo(origin, { method: 'TRACE', fields: 'Content-Length: 5\r\n', body: 'hello' }));
  });
});

describe('Forwarder: request lines and fields (RFC 9112, sections 2 to 5)', () => {
  it.each([
    ['HTTP/0.9', (url: string) => line(`GET ${url}/ HTTP/0.9`)],
    ['HTTP/2.0', (url: string) => line(`GET ${url}/ HTTP/2.0`)],
    ['HTTP/1.2', (url: string) => line(`GET ${url}/ HTTP/1.2`)],
    ['two blanks behind the method (section 3)', (url: string) => line(`GET  ${url}/ HTTP/1.1`)],
    ['two blanks behind the target', (url: string) => line(`GET ${url}/  HTTP/1.1`)],
    ['a blank before the method', (url: string) => line(` GET ${url}/ HTTP/1.1`)],
    ['RTSP', (url: string) => line(`GET ${url}/ RTSP/1.0`)],
    ['ICE', (url: string) => line(`SOURCE ${url}/ ICE/1.0`)],
    ['no version', (url: string) => `GET ${url}/\r\n`],
    ['no target', () => line('GET HTTP/1.1')],
    ['LF before the request line (section 2.2)', (url: string) => `\n${line(`GET ${url}/ HTTP/1.1`)}`],
    ['CR before the request line', (url: string) => `\r\r\n${line(`GET ${url}/ HTTP/1.1`)}`],
    ['a tab in the request line', (url: string) => line(`GET\t${url}/ HTTP/1.1`)],
    ['a blank behind the version', (url: string) => line(`GET ${url}/ HTTP/1.1 `)],
    ['an unknown method', (url: string) => line(`FOO ${url}/ HTTP/1.1`)],
    ['a method in lower case', (url: string) => line(`get ${url}/ HTTP/1.1`)],
    ['a byte above 127 in the path', (url: string) => line(`GET ${url}/\xe9 HTTP/1.1`)],
    ['a fragment (section 3.2)', (url: string) => line(`GET ${url}/#x HTTP/1.1`)],
    [
      'userinfo (RFC 9110, section 4.2.4)',
      (url: string) => line(`GET ${url.replace('//', '//user:secret@')}/ HTTP/1.1`),
    ],
    ['port 0', () => line('GET http://127.0.0.1:0/ HTTP/1.1')],
    ['port 65536', () => line('GET http://127.0.0.1:65536/ HTTP/1.1')],
    ['port 2^32 + 5000 (tinyproxy#586)', () => line('GET http://127.0.0.1:4294972296/ HTTP/1.1')],
    ['an empty port', () => line('GET http://127.0.0.1:/ HTTP/1.1')],
    ['a signed port', () => line('GET http://127.0.0.1:+80/ HTTP/1.1')],
    ['an empty host (CVE-2016-1983)', () => line('GET http:///x HTTP/1.1')],
    ['a zone id (CVE-2025-22870)', () => line('GET http://[::1%25eth0]/ HTTP/1.1')],
    ['a name over 255 bytes (CVE-2023-38545)', () => line(`GET http://${'a'.repeat(256)}/ HTTP/1.1`)],
    ['two Hosts (section 3.2)', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host: a\r\nHost: b\r\n')],
    ['the same Host twice', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host: a\r\nHost: a\r\n')],
    ['no Host', (url: string) => line(`GET ${url}/ HTTP/1.1`, '')],
    ['an empty Host', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host:\r\n')],
    ['a Host with a path', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host: a/b\r\n')],
    ['a Host with a blank', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host: a b\r\n')],
    ['a bare LF behind the request line (section 2.2)', (url: string) => `GET ${url}/ HTTP/1.1\nHost: a\r\n\r\n`],
    ['a bare LF behind a field', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host: a\nX: y\r\n')],
    ['a bare LF as the empty line', (url: string) => `GET ${url}/ HTTP/1.1\r\nHost: a\r\n\n${HIDDEN}`],
    ['a bare CR', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host: a\rX: y\r\n')],
    ['a folded field (section 5.2)', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host: a\r\nX: a\r\n b\r\n')],
    ['a blank before the first field (section 2.2)', (url: string) => line(`GET ${url}/ HTTP/1.1`, ' Host: a\r\n')],
    ['NUL', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host: a\r\nX: a\0b\r\n')],
    ['a control character', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host: a\r\nX: a\x01b\r\n')],
    ['a field name that is no token', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host: a\r\nX(: y\r\n')],
    ['an empty field name', (url: string) => line(`GET ${url}/ HTTP/1.1`, 'Host: a\r\n: y\r\n')],
  ])('refuses %s', async (_, text) => {
    await expectRefusal(text(origin.url));
  });

  it.each(['https://a/', 'ftp://a/', 'ws://a/', 'file:///etc/passwd'])(
    'answers %s with 501 (RFC 9110, section 7.4)',
    async (url) => {
      const heads = origin.heads.length;
      const answer = await sent(proxy, line(`GET ${url} HTTP/1.1`));
      expect([statusOf(answer), origin.heads.length]).toEqual([501, heads]);
    },
  );

  it('accepts empty lines before the request line (section 2.2)', async () => {
    const answer = await sent(proxy, `\r\n\r\n${requestTo(origin, { fields: 'Connection: close\r\n' })}`);
    expect(statusOf(answer)).toBe(200);
  });

  it('never forwards a body whose first bytes are malformed: the request fails, since it had a target', async () => {
    const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body);
    for (const size of ['10000000000000000', '00000000000000000000g', '0x5', '-5', '5 ', ' 5', '5\n', 'g', '']) {
      await expectRefusal(chunked(`${size}\r\nhello\r\n0\r\n\r\n`), 1);
    }
    await expectRefusal(chunked('5\r\nhello\n0\r\n\r\n'), 1);
    await expectRefusal(chunked('5\r\nhello!\r\n0\r\n\r\n'), 1);
    await expectRefusal(chunked(`5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`), 1);
    await expectRefusal(chunked('0\r\nContent-Length: 5\r\n\r\nhello'), 1);
  });
});

describe('Forwarder: bodies that become malformed later (RFC 9112, section 7.1)', () => {
  it.each([
    ['a chunk size that overflows (CVE-2026-3945)', '10000000000000000\r\n'],
    ['a chunk that is longer than its size', '5\r\nhello!\r\n'],
    ['a bare LF', '5\nhello\r\n'],
    ['extensions that never end (CVE-2024-22019)', `5;${'a'.repeat(20_000)}`],
  ])('returns 400 for %s and cuts the connection to the origin before the end of the request', async (_, bad) => {
    await using slow = await RawOrigin.start(() => undefined);
    await using own = await RunningProxy.start();
    const client = await RawConnection.open(own.url);
    client.write(requestTo(slow, { method: 'POST', fields: 'Transfer-Encoding: chunked\r\n', body: '2\r\nhi\r\n' }));
    await (await slow.side(0)).until('\r\n2\r\nhi\r\n');
    client.write(bad);
    expect(statusOf(await client.closed)).toBe(400);
    await slow.sides[0]!.closed;
    expect(slow.sides[0]!.received.endsWith('0\r\n\r\n')).toBe(false);
    expect(own.counted).toEqual([0, 1]);
    expect(own.log.filter(({ message }) => message === 'request failed')).toMatchObject([
      { category: 'request_body_malformed', status: 400 },
    ]);
  });

  it.each(['80000000', 'FFFFFFFF', '100000000', '1FFFFFFFFFFFFF', '20000000000000', 'FFFFFFFFFFFFFFFF'])(
    'refuses a chunk of %s bytes at once',
    async (size) => {
      await using slow = await RawOrigin.start(() => undefined);
      await using own = await RunningProxy.start();
      const client = await RawConnection.open(own.url);
      client.write(requestTo(slow, { method: 'POST', fields: 'Transfer-Encoding: chunked\r\n', body: '2\r\nhi\r\n' }));
      await (await slow.side(0)).until('\r\n2\r\nhi\r\n');
      client.write(`${size}\r\n`);
      expect(statusOf(await client.closed)).toBe(400);
      await slow.sides[0]!.closed;
      expect(slow.sides[0]!.received.endsWith('\r\n\r\n2\r\nhi\r\n')).toBe(true);
    },
  );

  it('times out if the rest of a chunk of 2^31 - 1 bytes does not arrive', async () => {
    await using slow = await RawOrigin.start(() => undefined);
    await using own = await RunningProxy.start({ timeouts: { read: 200 } });
    const body = '7FFFFFFF\r\nhello';
    const answer = await sent(own, requestTo(slow, { method: 'POST', fields: 'Transfer-Encoding: chunked\r\n', body }));
    expect(statusOf(answer)).toBe(408);
    await slow.sides[0]!.closed;
    expect(slow.sides[0]!.received.endsWith('\r\n\r\n5\r\nhello\r\n')).toBe(true);
    expect(own.counted).toEqual([0, 1]);
  });
});
