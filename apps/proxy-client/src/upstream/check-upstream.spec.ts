import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { granting, replying, ScriptedSocks5Server, type ScriptStep } from '#socks5-protocol/testing';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { loadConfig } from '../config/load-config.js';
import { parseTargetOrUndefined } from '../config/value-reader.js';
import { checkUpstreams } from './check-upstream.js';

const GREETED: readonly ScriptStep[] = [{ read: 'greeting' }, { write: Uint8Array.of(5, 0) }];
const WITH_PASSWORD: readonly ScriptStep[] = [
  { read: 'greeting' },
  { write: Uint8Array.of(5, 2) },
  { read: 'credentials' },
];
const target = { host: 'example.com', port: 443 };

/** The exit code and the lines, without their padding. */
async function check(upstream: string, to?: typeof target, handshake = 30_000) {
  const { config } = loadConfig({ options: {}, environment: { PROXY_UPSTREAM: upstream }, directory: '/nowhere' });
  const quick = { ...config, timeouts: { ...config.timeouts, connect: handshake, handshake } };
  const lines: string[] = [];
  const code = await checkUpstreams({ config: quick }, to, (line) => lines.push(line.replace(/ +/g, ' ').trim()));
  return { code, lines };
}

const OK = 'configuration ok defaults and environment';
/** A timeout that must expire, and even then long enough for a greeting on a busy machine. */
const HANG_MS = 3000;
const TLS_HINT = /in time.*\(TLS handshake: check that the port speaks TLS\)/;

describe('checkUpstreams', () => {
  it('ends after the authentication without a target', async () => {
    await using server = await new ScriptedSocks5Server(() => [...GREETED, { then: 'stall' }]).listen();
    expect(await check(`socks5://127.0.0.1:${server.port}`)).toEqual({
      code: 0,
      lines: [
        OK,
        `tcp ok 127.0.0.1:${server.port}`,
        'authentication ok none required',
        'connect skipped specify a target to test it: --check HOST:PORT',
      ],
    });
  });

  it('connects to the target, which the upstream resolves', async () => {
    await using server = await new ScriptedSocks5Server(() => granting()).listen();
    const { code, lines } = await check(`socks5://127.0.0.1:${server.port}`, target);
    expect([code, lines.at(-1)]).toEqual([0, 'connect ok example.com:443']);
    expect(server.connections[0]?.target).toMatchObject({ host: 'example.com', addressType: 3 });
  });

  it('reports that the password was accepted', async () => {
    const script = [...WITH_PASSWORD, { write: Uint8Array.of(1, 0) }, { then: 'stall' }] as const;
    await using server = await new ScriptedSocks5Server(() => script).listen();
    const { code, lines } = await check(`socks5://me:secret@127.0.0.1:${server.port}`);
    expect([code, lines[2]]).toEqual([0, 'authentication ok by user name and password']);
    expect(server.connections[0]?.credentials).toEqual({ username: 'me', password: 'secret' });
    expect(lines.join()).not.toContain('secret');
  });

  it('exits with 3 when no server listens', async () => {
    const { code, lines } = await check(`socks5://127.0.0.1:${CLOSED_PORT}`);
    expect(code).toBe(3);
    expect(lines).toEqual([
      OK,
      `tcp failed upstream (socks5://127.0.0.1:${CLOSED_PORT}): The upstream server cannot be reached. Check the upstream host and port of the proxy and that the server is running. (ECONNREFUSED)`,
    ]);
  });

  it.each<[string, string, readonly ScriptStep[], RegExp]>([
    ['closes', 'socks5+tls', [{ then: 'close' }], /Check that its port speaks TLS/],
    ['closes', 'https', [{ then: 'close' }], /Check that its port speaks TLS/],
    [
      'answers something else',
      'https',
      [{ write: Buffer.from('HTTP/1.1 400\r\n\r\n') }],
      /Check that its port speaks TLS/,
    ],
  ])('ends with 3 at the step tls when the server %s instead of %s', async (_, protocol, script, text) => {
    await using server = await new ScriptedSocks5Server(() => [...script, { then: 'stall' }]).listen();
    const { code, lines } = await check(`${protocol}://127.0.0.1:${server.port}`, target);
    expect([code, lines.slice(1)]).toEqual([3, [`tcp ok 127.0.0.1:${server.port}`, expect.stringMatching(text)]]);
    expect(lines[2]).toMatch(/^tls failed /);
  });

  it.each<[string, string, readonly ScriptStep[], RegExp]>([
    ['wants a password', '', [{ read: 'greeting' }, { write: Uint8Array.of(5, 255) }], /upstream\.username and/],
    [
      'takes nothing',
      'u:p@',
      [{ read: 'greeting' }, { write: Uint8Array.of(5, 255) }],
      /none of the offered authentication methods/,
    ],
    ['refuses the password', 'u:p@', [...WITH_PASSWORD, { write: Uint8Array.of(1, 1) }], /refused the user name/],
    ['closes', '', [{ read: 'greeting' }, { then: 'close' }], /closed the connection during the handshake\. Check/],
    ['is an HTTP server', '', [{ write: Buffer.from('HTTP/1.1 400\r\n\r\n') }], /an HTTP server or HTTP proxy, not/],
    ['is an SSH server', '', [{ write: Buffer.from('SSH-2.0-OpenSSH_9.2\r\n') }], /an SSH server, not/],
    ['is no SOCKS5 server', '', [{ write: Buffer.from('220 ftp.example\r\n') }], /not as SOCKS5/],
  ])('ends with 4 when the server %s', async (_, user, script, text) => {
    await using server = await new ScriptedSocks5Server(() => [...script, { then: 'stall' }]).listen();
    const { code, lines } = await check(`socks5://${user}127.0.0.1:${server.port}`, target);
    expect([code, lines.length]).toEqual([4, 3]);
    expect(lines[2]).toMatch(/^authentication failed /);
    expect(lines[2]).toMatch(text);
  });

  it.each<[string, readonly ScriptStep[], RegExp]>([
    ['cannot reach the host', replying(4), /\(reply 0x04\)/],
    ['is refused', replying(5), /\(reply 0x05\)/],
    ['answers what SOCKS5 does not define', replying(9), /answered with reply 0x09/],
    ['closes', [...GREETED, { read: 'request' }, { then: 'close' }], /ssh -D/],
  ])('ends with 5 when the server %s', async (_, script, text) => {
    await using server = await new ScriptedSocks5Server(() => script).listen();
    const { code, lines } = await check(`socks5://127.0.0.1:${server.port}`, target);
    expect([code, lines.length]).toEqual([5, 4]);
    expect(lines[3]).toMatch(/^connect failed /);
    expect(lines[3]).toMatch(text);
  });

  it.each<[number, string, string, ScriptStep, RegExp]>([
    [
      4,
      'authentication',
      'speaks another protocol',
      { write: Buffer.from('220 ftp.example\r\n') },
      /configured protocol/,
    ],
    [4, 'authentication', 'is no proxy', { write: Buffer.from('HTTP/1.1 404 No\r\n\r\n') }, /is an HTTP proxy that/],
    [
      4,
      'authentication',
      'requires a password',
      { write: Buffer.from('HTTP/1.1 407 No\r\n\r\n') },
      /requires a user name/,
    ],
    [4, 'authentication', 'closes', { then: 'close' }, /Check its protocol/],
    [5, 'connect', 'cannot reach the host', { write: Buffer.from('HTTP/1.1 502 No\r\n\r\n') }, /cannot connect/],
  ])('ends with %i at the step %s when an HTTP upstream %s', async (exit, step, _, action, text) => {
    await using server = await new ScriptedSocks5Server(() => [action, { then: 'stall' }]).listen();
    const { code, lines } = await check(`http://127.0.0.1:${server.port}`, target);
    expect([code, lines[2]]).toEqual([exit, expect.stringMatching(text)]);
    expect(lines[2]).toMatch(new RegExp(`^${step} failed `));
  });

  it('connects directly for the upstream "embedded"', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect((await check('embedded', { host: '127.0.0.1', port })).code).toBe(0);
    server.close();
    expect((await check('embedded', { host: '127.0.0.1', port: CLOSED_PORT })).code).toBe(5);
  });
});

// In one block, where they wait at the same time.
describe('checkUpstreams, of a server that does not answer', () => {
  it.concurrent.each<[number, string, string, string, readonly ScriptStep[], RegExp]>([
    [3, 'tls', 'a TLS handshake', 'socks5+tls', [], TLS_HINT],
    [3, 'tls', 'a TLS handshake', 'https', [], TLS_HINT],
    [4, 'authentication', 'the greeting', 'socks5', [], /in time\. Check that/],
    [5, 'connect', 'the request', 'socks5', GREETED, /in time/],
    [5, 'connect', 'the request', 'http', [], /in time/],
  ])('ends with %i at the step %s after %s of %s', async (exit, step, _, protocol, script, text) => {
    await using server = await new ScriptedSocks5Server(() => [...script, { then: 'stall' }]).listen();
    const { code, lines } = await check(`${protocol}://127.0.0.1:${server.port}`, target, HANG_MS);
    expect([code, lines.at(-1)]).toEqual([exit, expect.stringMatching(text)]);
    expect(lines.at(-1)).toMatch(new RegExp(`^${step} failed `));
  });
});

describe('readTarget', () => {
  it.each([
    ['example.com:443', { host: 'example.com', port: 443 }],
    ['127.0.0.1:1', { host: '127.0.0.1', port: 1 }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
  ])('reads %s', (text, target) => {
    expect(parseTargetOrUndefined(text)).toEqual(target);
  });

  it.each([
    '',
    'example.com',
    'example.com:',
    ':443',
    'example.com:0',
    'example.com:65536',
    '::1:443',
    'a b:1',
    'http://h:1',
  ])('refuses %j', (text) => {
    expect(parseTargetOrUndefined(text)).toBeUndefined();
  });
});
