import type { Socket } from 'node:net';
import { Method, Reply } from '#socks5-protocol';
import { greeted, granting, replying, ScriptedSocks5Server, type ScriptStep } from '#socks5-protocol/testing';
import { ESTABLISHED, openTunnel, readAll, readUntil } from './testing/open-tunnel.js';
import { HostNames } from '../routing/rules/host-names.js';
import { RunningProxy, type ProxySettings } from '../proxy/testing/running-proxy.js';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { until } from '../../../../test/support/until.js';

type Script = (index: number) => readonly ScriptStep[];

const SUCCESS = Buffer.from('05000001000000000000', 'hex');
const TARGET = 'example.com:443';

let server: ScriptedSocks5Server;
let proxy: RunningProxy;

async function start(script: Script, options: Partial<ProxySettings> = {}): Promise<void> {
  server = await new ScriptedSocks5Server(script).listen();
  proxy = await RunningProxy.start({
    upstream: { kind: 'socks5', host: '127.0.0.1', port: server.port, handshake: 'stepwise', warm: 0 },
    ...options,
  });
}

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await server.close();
});

/** The bytes that the target got, and the target's side of the tunnel. */
function target(index = 0): { readonly socket: Socket; readonly bytes: () => string } {
  const connection = server.connections[index]!;
  const handshake = connection.received.indexOf(Buffer.from([0x01, 0xbb])) + 2;
  return { socket: connection.socket, bytes: () => connection.received.subarray(handshake).toString() };
}

/** The bytes of a text in UTF-8, as latin1. */
const inUtf8 = (text: string) => Buffer.from(text).toString('latin1');

describe('CONNECT', () => {
  it('opens a tunnel, sends one 200 and relays bytes both ways (RFC 9110, section 9.3.6)', async () => {
    await start(() => granting('echo'));
    const { socket, answer } = await openTunnel(proxy, TARGET);
    expect(answer).toBe(ESTABLISHED);
    expect(server.connections[0]!.target).toEqual({ host: 'example.com', port: 443, addressType: 3 });
    socket.write('ping');
    expect(await readUntil(socket, (text) => text.length === 4)).toBe('ping');
    expect(proxy.stats.snapshot()).toMatchObject({
      totalConnections: 1,
      activeConnections: 1,
      successfulRequests: 1,
      failedRequests: 0,
      bytesSent: 4,
      bytesReceived: 4,
    });
    socket.destroy();
    await until(() => proxy.stats.snapshot().activeConnections === 0);
  });

  it.each([
    ['bücher.example', 'xn--bcher-kva.example'],
    ['A.CORP.Example', 'A.CORP.Example'],
  ])('asks the upstream for %s as %s, not as other bytes or in lower case', async (name, requestedTarget) => {
    await start(() => granting('stall'));
    const { socket, answer } = await openTunnel(proxy, `${inUtf8(name)}:443`);
    expect(answer).toBe(ESTABLISHED);
    expect(server.connections[0]!.target).toEqual({ host: requestedTarget, port: 443, addressType: 3 });
    socket.destroy();
  });

  it('applies rules for a name in A-labels to CONNECT with the same name in UTF-8', async () => {
    const rules = [{ hosts: new HostNames(['xn--bcher-kva.example']), to: 'reject' }];
    await start(() => granting(), { rules });
    const { socket, answer } = await openTunnel(proxy, `${inUtf8('BÜCHER.example')}:443`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    socket.destroy();
  });

  it('sends no response before the upstream has replied', async () => {
    await start(() => [...greeted(), { then: 'stall' }]);
    const socket = proxy.connect();
    socket.write(`CONNECT ${TARGET} HTTP/1.1\r\nHost: ${TARGET}\r\n\r\n`);
    await until(() => server.connections[0]?.target !== undefined);
    let answered = false;
    socket.once('data', () => (answered = true));
    expect(proxy.stats.snapshot()).toMatchObject({ activeConnections: 1, successfulRequests: 0 });
    server.connections[0]!.socket.write(SUCCESS);
    await until(() => answered);
    socket.destroy();
  });

  it('holds bytes that arrived with CONNECT until the tunnel is open, then delivers them first (RFC 9931)', async () => {
    await start(() => [...greeted(), { then: 'stall' }]);
    const socket = proxy.connect();
    socket.write(`CONNECT ${TARGET} HTTP/1.1\r\nHost: ${TARGET}\r\n\r\nearly `);
    await until(() => server.connections[0]?.target !== undefined);
    socket.write('and later ');
    await until(() => socket.writableLength === 0);
    expect(target().bytes()).toBe('');
    server.connections[0]!.socket.write(SUCCESS);
    expect(await readUntil(socket, (text) => text.endsWith('\r\n\r\n'))).toBe(ESTABLISHED);
    socket.write('and last');
    await until(() => target().bytes() === 'early and later and last');
    socket.destroy();
  });

  it('never parses what follows a refused CONNECT (RFC 9931)', async () => {
    await start(() => replying(Reply.connectionRefused));
    const smuggled = `CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n`;
    const { socket, answer } = await openTunnel(proxy, TARGET, smuggled);
    const rest = await readAll(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 502 /);
    expect(answer).toContain('\r\nConnection: close\r\n');
    expect(rest.toString()).not.toContain('HTTP/1.1');
    expect(server.connections).toHaveLength(1);
  });

  it('delivers bytes that followed the SOCKS reply before everything else', async () => {
    await start(() => [...greeted(), { write: Buffer.concat([SUCCESS, Buffer.from('banner')]) }, { then: 'echo' }]);
    const socket = proxy.connect();
    socket.write(`CONNECT ${TARGET} HTTP/1.1\r\nHost: ${TARGET}\r\n\r\n`);
    expect(await readUntil(socket, (text) => text.endsWith('banner'))).toBe(`${ESTABLISHED}banner`);
    expect(proxy.stats.snapshot().bytesReceived).toBe(6);
    socket.destroy();
  });

  it('accepts CONNECT on a connection that was used before', async () => {
    await start(() => granting('echo'));
    const socket = proxy.connect();
    socket.write('GET /stats HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await readUntil(socket, (text) => text.includes('\r\n\r\n'));
    socket.write(`CONNECT ${TARGET} HTTP/1.1\r\nHost: ${TARGET}\r\n\r\n`);
    expect(await readUntil(socket, (text) => text.endsWith('\r\n\r\n'))).toContain(' 200 ');
    socket.destroy();
  });

  it.each([
    ['[2001:db8::1]:443', '2001:db8::1', 4],
    ['192.0.2.1:443', '192.0.2.1', 1],
    ['127.1:443', '127.1', 3],
    [`${'a'.repeat(251)}.com:443`, `${'a'.repeat(251)}.com`, 3],
  ])('asks for %s as it is meant', async (authority, host, addressType) => {
    await start(() => granting('stall'));
    const { socket } = await openTunnel(proxy, authority);
    expect(server.connections[0]!.target).toEqual({ host, port: 443, addressType });
    socket.destroy();
  });

  it.each([
    ['example.com', 'no port'],
    ['example.com:', 'an empty port'],
    ['example.com:0', 'port 0'],
    ['example.com:65536', 'a port over 65535'],
    ['example.com:4294967739', 'a port that wraps to 443'],
    ['example.com:+443', 'a signed port'],
    ['example.com:443/', 'a path'],
    [':443', 'no host'],
    ['user@example.com:443', 'userinfo'],
    ['::1:443', 'an IPv6 address without brackets'],
    ['[::1%25eth0]:443', 'a zone id'],
    ['[::1%25.example.com]:443', 'a zone id that fools matching'],
    ['[example.com]:443', 'a name in brackets'],
    ['[127.0.0.1]:443', 'an IPv4 address in brackets'],
    ['exa%6dple.com:443', 'percent-encoding'],
    [`${'a'.repeat(256)}:443`, 'a name over 255 bytes'],
    ['http://example.com:443', 'another form'],
    ['*', 'asterisk-form'],
  ])('refuses %s (%s) without asking the upstream', async (authority) => {
    await start(() => granting());
    const { socket, answer } = await openTunnel(proxy, authority);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    await readAll(socket);
    expect(server.connections).toHaveLength(0);
    expect(proxy.stats.snapshot()).toMatchObject({ failedRequests: 0, successfulRequests: 0 });
  });

  it.each([
    ['no Host (RFC 9112, section 3.2)', `CONNECT ${TARGET} HTTP/1.1\r\n\r\n`],
    ['two Hosts (RFC 9112, section 3.2)', `CONNECT ${TARGET} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`],
    ['content (RFC 9110, section 9.3.6)', `CONNECT ${TARGET} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`],
    ['chunked content', `CONNECT ${TARGET} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['another version', `CONNECT ${TARGET} HTTP/2.0\r\nHost: a\r\n\r\n`],
  ])('refuses CONNECT with %s', async (_what, text) => {
    await start(() => granting());
    const socket = proxy.connect();
    socket.write(text);
    expect((await readAll(socket)).toString()).toMatch(/^HTTP\/1\.1 400 /);
    expect(server.connections).toHaveLength(0);
  });

  it.each([
    ['HTTP/1.0 without Host', `CONNECT ${TARGET} HTTP/1.0\r\n\r\n`],
    ['Content-Length: 0', `CONNECT ${TARGET} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`],
  ])('accepts CONNECT with %s', async (_what, text) => {
    await start(() => granting('stall'));
    const socket = proxy.connect();
    socket.write(text);
    expect(await readUntil(socket, (answer) => answer.endsWith('\r\n\r\n'))).toBe(ESTABLISHED);
    socket.destroy();
  });
});

describe('a client that disconnects before the tunnel is open', () => {
  it.each([
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ['closes', (socket: Socket) => socket.end()],
  ])('ends the attempt when it %s, which is neither a success nor a failure', async (_what, leave) => {
    await start(() => [...greeted(), { then: 'stall' }]);
    const socket = proxy.connect().on('error', () => undefined);
    socket.write(`CONNECT ${TARGET} HTTP/1.1\r\nHost: ${TARGET}\r\n\r\n`);
    await until(() => server.connections[0]?.target !== undefined);
    leave(socket);
    await until(() => server.connections[0]!.socket.readableEnded);
    await until(() => proxy.stats.snapshot().activeConnections === 0);
    expect(proxy.stats.snapshot()).toMatchObject({ totalConnections: 1, successfulRequests: 0, failedRequests: 0 });
    expect(proxy.log).toEqual([]);
    socket.destroy();
  });

  it('is served if it has only finished sending: its bytes are for the target', async () => {
    await start(() => granting('echo'));
    const socket = proxy.connect();
    socket.end(`CONNECT ${TARGET} HTTP/1.1\r\nHost: ${TARGET}\r\n\r\nall I have to say`);
    expect((await readAll(socket)).toString()).toBe(`${ESTABLISHED}all I have to say`);
  });
});

describe('the failures of a tunnel, in response, statistics and log', () => {
  const refusing = (...bytes: number[]): readonly ScriptStep[] => [
    { read: 'greeting' },
    { write: Uint8Array.from(bytes) },
    { then: 'close' },
  ];
  const rows: [string, readonly ScriptStep[], number, string, string, string][] = [
    ['reply 0x01', replying(1), 503, 'destination_unavailable', 'general_failure', 'general_failure'],
    ['reply 0x02', replying(2), 502, 'destination_ip_prohibited', 'not_allowed', 'not_allowed'],
    ['reply 0x03', replying(3), 502, 'destination_ip_unroutable', 'network_unreachable', 'network_unreachable'],
    ['reply 0x04', replying(4), 503, 'destination_unavailable', 'host_unreachable', 'host_unreachable'],
    ['reply 0x05', replying(5), 502, 'connection_refused', 'connection_refused', 'connection_refused'],
    ['reply 0x06', replying(6), 504, 'connection_timeout', 'ttl_expired', 'ttl_expired'],
    ['reply 0x07', replying(7), 502, 'proxy_configuration_error', 'command_not_supported', 'command_not_supported'],
    ['reply 0x08', replying(8), 502, 'proxy_configuration_error', 'address_not_supported', 'address_not_supported'],
    ['reply 0x09', replying(9), 502, 'connection_terminated', 'protocol_error', 'protocol_error'],
    ['reply 0xff', replying(255), 502, 'connection_terminated', 'protocol_error', 'protocol_error'],
    ['method refused', refusing(5, 0xff), 502, 'proxy_configuration_error', 'auth_failed', 'auth_failed'],
    ['method not offered', refusing(5, 1), 502, 'proxy_configuration_error', 'auth_failed', 'auth_failed'],
    ['wrong version', refusing(4, 0), 502, 'connection_terminated', 'protocol_error', 'protocol_error'],
    [
      'malformed reply',
      [...greeted(), { write: Uint8Array.of(5, 0, 0, 9) }],
      502,
      'connection_terminated',
      'protocol_error',
      'protocol_error',
    ],
    ['close at once', [{ then: 'close' }], 502, 'connection_terminated', 'connection_failed', 'upstream_closed'],
    [
      'reset at the request',
      [...greeted(), { then: 'reset' }],
      502,
      'connection_terminated',
      'connection_failed',
      'upstream_closed',
    ],
    ['no answer', [...greeted(), { then: 'stall' }], 504, 'connection_timeout', 'timeout', 'timeout'],
  ];

  it.each(rows)('%s', async (_what, script, status, proxyStatus, socksKey, category) => {
    await start(() => script, category === 'timeout' ? { timeouts: { handshake: 150 } } : {});
    const { socket, answer } = await openTunnel(proxy, TARGET);
    await readAll(socket);
    expectFailure(answer, { status, proxyStatus, socksKey, category });
  });

  it('wrong credentials', async () => {
    await start(
      () => [
        { read: 'greeting' },
        { write: Uint8Array.of(5, 2) },
        { read: 'credentials' },
        { write: Uint8Array.of(1, 1) },
        { then: 'close' },
      ],
      {},
    );
    await proxy[Symbol.asyncDispose]();
    const credentials = { username: 'me', password: 'very-secret' };
    proxy = await RunningProxy.start({
      upstream: { kind: 'socks5', host: '127.0.0.1', port: server.port, handshake: 'auto', warm: 0, credentials },
    });
    const { socket, answer } = await openTunnel(proxy, TARGET);
    await readAll(socket);
    expectFailure(answer, {
      status: 502,
      proxyStatus: 'proxy_configuration_error',
      socksKey: 'auth_failed',
      category: 'auth_failed',
    });
    expect(server.connections[0]!.methods).toEqual([Method.none, Method.password]);
    expect(answer + JSON.stringify(proxy.log)).not.toContain('secret');
  });

  it('upstream unreachable', async () => {
    await start(() => granting(), {
      upstream: { kind: 'socks5', host: '127.0.0.1', port: CLOSED_PORT, handshake: 'auto', warm: 0 },
    });
    const { socket, answer } = await openTunnel(proxy, TARGET);
    await readAll(socket);
    expectFailure(answer, {
      status: 502,
      proxyStatus: 'connection_refused',
      socksKey: 'connection_failed',
      category: 'upstream_unreachable',
    });
  });

  it('a malformed request is logged and not counted', async () => {
    await start(() => granting());
    const { socket, answer } = await openTunnel(proxy, 'no-port');
    await readAll(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*Proxy-Status: proxy-client; error=http_request_error; details="/);
    expect(proxy.log).toEqual([expect.objectContaining({ level: 'warn', category: 'bad_request', status: 400 })]);
    const { failedRequests, socks5Errors } = proxy.stats.snapshot();
    expect([failedRequests, ...Object.values(socks5Errors)].every((count) => count === 0)).toBe(true);
  });

  function expectFailure(
    answer: string,
    {
      status,
      proxyStatus,
      socksKey,
      category,
    }: { status: number; proxyStatus: string; socksKey: string; category: string },
  ): void {
    expect(answer.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
    expect(answer).toMatch(new RegExp(`\\r\\nProxy-Status: proxy-client; error=${proxyStatus}(;|\\r)`));
    const { failedRequests, successfulRequests, socks5Errors } = proxy.stats.snapshot();
    const counted = Object.entries(socks5Errors).filter(([, count]) => count > 0);
    expect({ failedRequests, successfulRequests, counted }).toEqual({
      failedRequests: 1,
      successfulRequests: 0,
      counted: [[socksKey, 1]],
    });
    expect(proxy.log).toEqual([
      expect.objectContaining({
        level: 'warn',
        category,
        status,
        error: proxyStatus,
        method: 'CONNECT',
        target: TARGET,
      }),
    ]);
  }
});

describe('the debug log', () => {
  it('logs when a tunnel opened and how it ended, with its own bytes only', async () => {
    await start(() => granting('echo'), { logLevel: 'debug' });
    const { socket } = await openTunnel(proxy, '[2001:db8::1]:443');
    socket.end('bye');
    await readAll(socket);
    await until(() => proxy.log.length === 2);
    expect(proxy.log).toMatchObject([
      { level: 'debug', target: '[2001:db8::1]:443', message: 'tunnel opened' },
      { level: 'debug', target: '[2001:db8::1]:443', message: 'tunnel ended', end: 'finished', sent: 3, received: 3 },
    ]);
  });
});
