import { LocalSocks5Server } from '#socks5-protocol/testing';
import { RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin, type OriginScript } from '../../../../test/support/raw-origin.js';
import { fieldLines, settled, requestTo, sent, statusOf } from './testing/proxied.js';
import { HostNames } from '../routing/rules/host-names.js';
import { Networks } from '../routing/rules/addresses.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';
import { until } from '../../../../test/support/until.js';

const head = (fields: string, status = '200 OK') => `HTTP/1.1 ${status}\r\n${fields}\r\n`;
const OK = head('Content-Length: 2\r\n') + 'hi';
const CLOSE = 'Connection: close\r\n';
/** A port without a listener. */
const UNREACHABLE = 'http://127.0.0.1:1';
const READ_MS = 30_000;
/** Longer than any limit. */
const HOUR_MS = 3_600_000;

describe('Forwarder: faults of the origin (RFC 9110, section 15.6; RFC 9209, section 2.3)', () => {
  it.each<[string, string, number, OriginScript]>([
    ['that closes before an answer', 'http_response_incomplete', 502, (side) => side.socket.end()],
    ['that resets before an answer', 'http_response_incomplete', 502, (side) => side.socket.resetAndDestroy()],
    [
      'that closes in the header',
      'http_response_incomplete',
      502,
      (side) => side.write('HTTP/1.1 200 OK\r\nX: ').socket.end(),
    ],
    [
      'that closes behind an interim answer',
      'http_response_incomplete',
      502,
      (side) => side.write('HTTP/1.1 103 X\r\n\r\n').socket.end(),
    ],
    ['that speaks something else', 'http_protocol_error', 502, (side) => side.write('SSH-2.0-OpenSSH_9.2p1\r\n')],
    ['that speaks TLS', 'http_protocol_error', 502, (side) => side.write('\x15\x03\x01\x00\x02\x02\x28')],
    ['that folds a line', 'http_protocol_error', 502, (side) => side.write(head('X: a\r\n b\r\n'))],
    [
      'with two lengths',
      'http_protocol_error',
      502,
      (side) => side.write(head('Content-Length: 2\r\nContent-Length: 3\r\n') + 'hi'),
    ],
    [
      'with length and chunks',
      'http_protocol_error',
      502,
      (side) => side.write(head('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n') + 'hi'),
    ],
    [
      'that answers 101 unasked',
      'http_protocol_error',
      502,
      (side) => side.write(head('Upgrade: x\r\nConnection: upgrade\r\n', '101 X')),
    ],
    [
      'whose header is too large',
      'http_response_header_section_size',
      502,
      (side) => side.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(20_000)}`),
    ],
  ])('%s: %s, %i', async (_, error, status, script) => {
    await using origin = await RawOrigin.start(script);
    await using proxy = await RunningProxy.start({ limits: { headerBytes: 16_384 } });
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin));
    const text = await client.until(`; error=${error}`);
    expect([statusOf(text), proxy.counted]).toEqual([status, [0, 1]]);
    expect(proxy.log.filter(({ message }) => message === 'request failed')).toEqual([
      expect.objectContaining({ error, status, method: 'GET', target: origin.authority, client: '127.0.0.1' }),
    ]);
    // The connection of the client stays open.
    await using other = await RawOrigin.answering(OK);
    client.write(requestTo(other, { fields: CLOSE }));
    expect(await client.closed).toMatch(/HTTP\/1\.1 200 OK[^]*\r\n\r\nhi$/);
    expect(proxy.counted).toEqual([1, 1]);
  });

  it('that refuses the connection: the reply of the upstream', async () => {
    const socks = new LocalSocks5Server();
    await socks.listen();
    await using proxy = await RunningProxy.start({
      upstream: { kind: 'socks5', ...socks.address, handshake: 'auto', warm: 0 },
    });
    const text = await sent(proxy, `GET ${UNREACHABLE}/ HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`);
    expect([statusOf(text), proxy.counted, proxy.stats.snapshot().socks5Errors.connection_refused]).toEqual([
      502,
      [0, 1],
      1,
    ]);
    expect(text).toContain('; error=connection_refused');
    await socks.close();
  });

  it('that is silent for timeouts.response returns 504; slow progress is allowed', async () => {
    await using silent = await RawOrigin.start(() => undefined);
    await using proxy = await RunningProxy.start({ timeouts: { response: 60_000 }, holdsTime: true });
    const answer = sent(proxy, requestTo(silent, { fields: CLOSE }));
    await (await silent.side(0)).until('\r\n\r\n');
    await proxy.pass(HOUR_MS);
    const text = await answer;
    expect([statusOf(text), proxy.counted]).toEqual([504, [0, 1]]);
    expect(text).toContain('; error=http_response_timeout');
    await silent.sides[0]!.closed;
  });

  it('does not repeat the request in an error (CVE-2025-62168)', async () => {
    await using origin = await RawOrigin.start((side) => side.socket.end());
    await using proxy = await RunningProxy.start();
    const fields = `${CLOSE}Authorization: Basic s3cret\r\nCookie: s3cret\r\nProxy-Authorization: s3cret\r\n`;
    const text = await sent(proxy, requestTo(origin, { fields, path: '/s3cret?s3cret' }));
    expect(statusOf(text)).toBe(502);
    expect(text + JSON.stringify(proxy.log)).not.toContain('s3cret');
  });

  it('does not make the client wait for the end of a body that cannot be sent', async () => {
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(`POST ${UNREACHABLE}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello`);
    await client.until('error=connection_refused');
    await using origin = await RawOrigin.answering(OK);
    client.write(`later${requestTo(origin, { fields: CLOSE })}`);
    expect(await client.closed).toMatch(/HTTP\/1\.1 200 OK[^]*\r\n\r\nhi$/);
  });
});

describe('Forwarder: truncated responses (RFC 9112, section 8)', () => {
  it.each([
    ['a counted one', 'Content-Length: 10\r\n', 'half'],
    ['a chunked one', 'Transfer-Encoding: chunked\r\n', '4\r\nhalf\r\n'],
    ['a chunked one inside a chunk', 'Transfer-Encoding: chunked\r\n', 'a\r\nhalf'],
  ])('%s: the client gets the received part, and detects that it is incomplete', async (_, fields, body) => {
    await using origin = await RawOrigin.start((side) => side.write(head(fields) + body));
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin));
    await client.until('half');
    origin.sides[0]!.socket.end();
    const text = await client.closed;
    expect([text.endsWith('half') || text.endsWith('4\r\nhalf\r\n'), proxy.counted]).toEqual([true, [0, 1]]);
    expect(text).not.toContain('\r\n0\r\n\r\n');
    expect(proxy.log).toContainEqual(expect.objectContaining({ category: 'response_cut' }));
  });

  it('a response with garbage in the middle is truncated too', async () => {
    await using origin = await RawOrigin.start((side) =>
      side.write(`${head('Transfer-Encoding: chunked\r\n')}4\r\nhalf\r\n`),
    );
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin));
    await client.until('half');
    origin.sides[0]!.write('garbage\r\n');
    expect((await client.closed).endsWith('4\r\nhalf\r\n')).toBe(true);
    expect(proxy.counted).toEqual([0, 1]);
  });

  it('resets an HTTP/1.0 client, for which an orderly end is the end of the body', async () => {
    await using origin = await RawOrigin.start((side) =>
      side.write(`${head('Transfer-Encoding: chunked\r\n')}4\r\nhalf\r\n`),
    );
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    let reset: NodeJS.ErrnoException | undefined;
    client.socket.on('error', (error) => (reset = error));
    client.write(requestTo(origin, { minor: 0 }));
    await client.until('half');
    origin.sides[0]!.socket.end();
    await client.closed;
    expect(reset?.code).toBe('ECONNRESET');
  });

  it('a response that is malformed from its first byte is a 502', async () => {
    await using origin = await RawOrigin.answering(`${head('Transfer-Encoding: chunked\r\n')}garbage\r\n`);
    await using proxy = await RunningProxy.start();
    expect(statusOf(await sent(proxy, requestTo(origin, { fields: CLOSE })))).toBe(502);
  });
});

describe('Forwarder: clients that disconnect', () => {
  it.each<[string, Parameters<typeof requestTo>[1], string]>([
    ['while they wait', {}, ''],
    ['in the middle of the answer', {}, `${head('Content-Length: 10\r\n')}half`],
    ['in the middle of their request', { method: 'POST', fields: 'Content-Length: 10\r\n', body: 'half' }, ''],
  ])('%s reset the connection to the origin, and are not counted', async (_, request, answer) => {
    await using origin = await RawOrigin.start((side) => side.write(answer));
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin, request));
    const side = await origin.side(0);
    await (answer === '' ? side.until(request?.body ?? '\r\n\r\n') : client.until('half'));
    client.socket.destroy();
    await side.closed;
    expect(proxy.counted).toEqual([0, 0]);
    expect(proxy.stats.snapshot().totalConnections).toBe(1);
    await until(() => proxy.stats.snapshot().activeConnections === 0);
  });

  it('end the attempt if there is no connection yet', async () => {
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    // Reserved for documentation: nothing answers there, or the network refuses at once.
    client.write('GET http://192.0.2.1/ HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => proxy.stats.snapshot().activeConnections === 1);
    client.socket.destroy();
    await until(() => proxy.stats.snapshot().activeConnections === 0);
    expect(proxy.counted[0]).toBe(0);
  });
});

describe('Forwarder: limits', () => {
  it('returns 408 if the body makes no progress for timeouts.read', async () => {
    await using origin = await RawOrigin.start((side) => {
      side.onceItHas('0123456789', () => side.write(OK));
    });
    await using proxy = await RunningProxy.start({ timeouts: { read: READ_MS }, holdsTime: true });
    const slow = await RawConnection.open(proxy.url);
    slow.write(requestTo(origin, { method: 'POST', fields: `${CLOSE}Content-Length: 10\r\n` }));
    const side = await origin.side(0);
    await side.until('\r\n\r\n');
    const stalled = sent(proxy, requestTo(origin, { method: 'POST', fields: 'Content-Length: 10\r\n', body: 'half' }));
    await (await origin.side(1)).until('half');
    for (const digit of '0123456789') {
      slow.write(digit);
      await side.until(`\r\n\r\n${'0123456789'.slice(0, Number(digit) + 1)}`);
      await proxy.pass(READ_MS / 2);
    }
    expect(statusOf(await stalled)).toBe(408);
    expect(statusOf(await slow.closed)).toBe(200);
    expect(proxy.counted).toEqual([1, 1]);
  });

  it('does not time out a client that waits for 100 (RFC 9110, section 10.1.1)', async () => {
    await using origin = await RawOrigin.start((side) => {
      side.onceItHas('0123456789', () => side.write(OK));
    });
    await using proxy = await RunningProxy.start({ timeouts: { read: READ_MS }, holdsTime: true });
    const client = await RawConnection.open(proxy.url);
    const fields = 'Content-Length: 10\r\n';
    client.write(requestTo(origin, { method: 'POST', fields: `${CLOSE}Expect: 100-continue\r\n${fields}` }));
    const side = await origin.side(0);
    const hurried = sent(proxy, requestTo(origin, { method: 'POST', fields }));
    await (await origin.side(1)).until('\r\n\r\n');
    await proxy.pass(2 * READ_MS);
    expect(statusOf(await hurried)).toBe(408);
    side.write('HTTP/1.1 100 Continue\r\n\r\n');
    await client.until('100 Continue');
    client.write('0123456789');
    expect(statusOf(await client.closed)).toBe(200);
  });

  it('stops reading while too many pipelined requests wait', async () => {
    const held: (() => void)[] = [];
    let open = false;
    await using origin = await RawOrigin.start((side) => {
      if (open) side.write(OK);
      else held.push(() => side.write(OK));
    });
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    const request = `GET ${origin.url}/ HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(60_000)}\r\n\r\n`;
    const count = 350;
    let taken = 0;
    const next = (): void => {
      taken += 1;
      if (taken < count) client.socket.write(request, next);
    };
    client.socket.write(request, next);
    await until(() => held.length === 1);
    expect(await settled(() => taken)).toBeLessThan(count);
    open = true;
    held[0]!();
    await until(() => proxy.counted[0] === count);
    client.socket.destroy();
  });

  it('cuts a client that reads nothing for timeouts.write', async () => {
    const body = 'x'.repeat(65_536);
    await using origin = await RawOrigin.start((side) => {
      side.write(head(`Content-Length: ${256 * body.length}\r\n`));
      for (let index = 0; index < 256; index += 1) side.write(body);
    });
    await using proxy = await RunningProxy.start({ holdsTime: true });
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin));
    await client.until('\r\n\r\n');
    client.socket.pause();
    // What the kernel moves from one of its buffers to another counts as taken.
    await until(async () => {
      await proxy.pass(HOUR_MS);
      return proxy.stats.snapshot().activeConnections === 0;
    });
    await (
      await origin.side(0)
    ).closed;
    expect(proxy.counted).toEqual([0, 1]);
    client.socket.destroy();
  });

  it('waits for the origin without a limit, before its response and in the middle of it', async () => {
    await using origin = await RawOrigin.start(() => undefined);
    await using proxy = await RunningProxy.start({ holdsTime: true });
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin, { fields: CLOSE }));
    const side = await origin.side(0);
    await side.until('\r\n\r\n');
    await proxy.pass(HOUR_MS);
    side.write(head('Content-Length: 4\r\n') + 'hi');
    await client.until('hi');
    await proxy.pass(HOUR_MS);
    side.write('!!');
    expect(await client.closed).toMatch(/\r\n\r\nhi!!$/);
    expect(proxy.counted).toEqual([1, 0]);
  });
});

describe('Forwarder: rules', () => {
  it('are applied before a dial; a rejected request is not a failure', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start({
      rules: [
        { hosts: new HostNames(['a.example']), to: 'upstream' },
        { networks: new Networks(['127.0.0.0/8']), to: 'reject' },
      ],
    });
    const text = await sent(proxy, requestTo(origin, { fields: CLOSE }));
    expect([statusOf(text), origin.used]).toEqual([403, 0]);
    expect(fieldLines(text)).toContain('Proxy-Status: proxy-client; error=http_request_denied; details="rule 2"');
    expect([proxy.counted, proxy.stats.snapshot().rejectedRequests]).toEqual([[0, 0], 1]);
  });
});
