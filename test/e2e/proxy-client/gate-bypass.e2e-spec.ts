import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hostname } from 'node:os';
import { Dialler, Resolver } from '#socks5-protocol';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import { freePort } from '../../support/free-port.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { ALLOWED_HOST, allowedAndForbidden, RecordingOrigin } from '../../support/proxy/recording-origin.js';
import { RawConnection } from '../../support/raw-http.js';

/** The spellings of the forbidden address, and texts that another parser could read as it. ALLOWED is the allowed address. */
const ADDRESSES: readonly string[] = [
  // Decimal, octal, hexadecimal, with missing parts.
  ...['127.0.0.1', '2130706433', '017700000001', '0x7f000001', '0x7F000001', '0177.0.0.1', '0177.0.0.01', '0x7f.1'],
  ...[
    '0x7f.0x0.0x0.0x1',
    '127.1',
    '127.0.1',
    '127.0.0.0x1',
    '0x7f.0.0.1',
    '00177.0.0.1',
    '127.000.000.001',
    '127.0.0.01',
  ],
  ...['0', '0x0', '0.0.0.0', '00.0.0.0', '0.0', '127.0.0.1.', '2130706433.', '127.1.'],
  // Numbers that overflow.
  ...['6425673729', '0x17f000001', '383.0.0.1', '127.0.0.257', '127.0.256', '127.65536'],
  // IPv6 with IPv4 in it, zone ids, the unspecified address.
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:FFFF:127.0.0.1]'],
  ...['[::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::127.0.0.1]', '[::ffff:0:127.0.0.1]', '[2002:7f00:1::]'],
  ...['[::1%lo]', '[::1%25lo]', '[::1%1]', '[::ffff:127.0.0.1%lo]', '::1', '::ffff:127.0.0.1'],
  // Names of the loopback, case, trailing dots.
  ...[
    'localhost',
    'LOCALHOST',
    'LocalHost.',
    'localhost..',
    'a.localhost',
    'ip6-localhost',
    'ip6-loopback',
    hostname(),
  ],
  // Digits and dots outside ASCII, and characters that are dropped.
  ...[
    '①②⑦.0.0.1',
    '１２７.０.０.１',
    '127。0。0。1',
    '127．0．0．1',
    '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'local\u00adhost',
    'local\u200bhost',
  ],
  // Percent-encoding.
  ...[
    '127%2e0%2e0%2e1',
    '%31%32%37.0.0.1',
    '%6cocalhost',
    '127.0.0.1%00',
    'ALLOWED%00.127.0.0.1',
    'ALLOWED%2f@127.0.0.1',
  ],
  // User information, and other delimiters.
  ...['ALLOWED@127.0.0.1', 'user:pass@127.0.0.1', 'ALLOWED:80@127.0.0.1', '127.0.0.1@ALLOWED', 'ALLOWED#@127.0.0.1'],
  ...['ALLOWED\\@127.0.0.1', 'ALLOWED/@127.0.0.1', 'ALLOWED?@127.0.0.1', 'ALLOWED,127.0.0.1', 'ALLOWED;127.0.0.1'],
  ...[
    'ALLOWED 127.0.0.1',
    'ALLOWED\t127.0.0.1',
    'ALLOWED\0.127.0.0.1',
    '[ALLOWED]127.0.0.1',
    '[127.0.0.1]',
    'ALLOWED.'.repeat(20),
  ],
];
/** Names that look like the allowed one, or contain it. */
const NAMES: readonly string[] = [
  ...['аllowed.example', 'allоwed.example', 'allowеd.example', 'allowed.exаmple', 'ɑllowed.example', 'aⅼⅼowed.exаmple'],
  ...['xn--llowed-2ve.example', 'xn--allowed-.example', 'allowed.example.evil.example', 'evilallowed.example'],
  ...[
    'evil-allowed.example',
    'allowed-example',
    'allowed.examplе',
    'allowed.example-',
    'allowedexample',
    'llowed.example',
  ],
  ...['allowed.example%2eevil', 'allowed%2eexample', 'allowed.example%00.evil', 'allowed.example\0.evil.example'],
  ...[
    'allowed.example@evil.example',
    'evil.example#allowed.example',
    'evil.example?allowed.example',
    'allowed.example..',
  ],
  ...[
    '.allowed.example',
    'allowed..example',
    'sub.example',
    'xsub.example',
    'a.sub.example.evil',
    'sub.example.',
    '*.sub.example',
  ],
  ...[
    'α.sub.example.evil',
    'allowed.example\u2024evil',
    'allowed.example\u3002evil',
    'allowed.example／evil',
    'a\u0301llowed.example',
  ],
];

/** The address of an origin that only one user may reach. */
const PRIVATE_HOST = '127.0.0.3';

let attempts = 0;
let withUsers: string;
let origins: Awaited<ReturnType<typeof allowedAndForbidden>>;
let direct: RunningProxy;
let behind: RunningProxy;
/** A SOCKS5 server to which every name but the allowed ones is the forbidden origin. */
const resolver = new Resolver((host, _, answer) => {
  // The proxy forwards names as they were sent.
  const isAllowed = /^(?:allowed|.*\.sub)\.example\.?$/i.test(host);
  setImmediate(answer, null, [{ address: isAllowed ? ALLOWED_HOST : '127.0.0.1', family: 4 }]);
});
const server = new LocalSocks5Server({ dialler: new Dialler(resolver) });

beforeAll(async () => {
  origins = await allowedAndForbidden();
  await server.listen();
  const ports = [origins.port];
  const listeners = [{ mode: 'mixed', port: 0 }];
  const common = { listen: undefined, listeners, default: 'reject' };
  const usersPort = await freePort();
  withUsers = `http://127.0.0.1:${usersPort}`;
  const users = ['ann', 'ben'].map((name) => ({ name, password: name }));
  direct = await ProxyProgram.start({
    ...common,
    listeners: [...listeners, { port: usersPort, users }],
    rules: [
      { networks: [ALLOWED_HOST], ports, to: 'direct' },
      // Names whose owner lets them resolve to an address of this machine.
      { hosts: [hostname()], ports, to: 'direct' },
      { networks: [PRIVATE_HOST], ports, users: ['ann'], to: 'direct' },
    ],
  });
  behind = await ProxyProgram.start({
    ...common,
    upstream: server.address,
    rules: [{ hosts: ['allowed.example', '*.sub.example'], ports, to: 'upstream' }],
  });
});
afterAll(async () => {
  await Promise.all([direct, behind].map(async (proxy) => proxy[Symbol.asyncDispose]()));
  await server.close();
  await Promise.all([origins.allowed, ...origins.forbidden].map(async (origin) => origin[Symbol.asyncDispose]()));
});

/** What was sent to the forbidden origin. */
function reached(): readonly string[] {
  return origins.forbidden.flatMap(({ connections }) => connections);
}

/** Sends bytes and returns all that comes back until the proxy closes, or has answered that much. */
async function send(
  { url }: Pick<RunningProxy, 'url'>,
  bytes: Buffer,
  enough: (text: string) => boolean,
): Promise<string> {
  attempts += 1;
  const connection = await RawConnection.open(url);
  connection.socket.write(bytes);
  while (!enough(connection.received) && !connection.socket.destroyed) {
    await Promise.race([new Promise((resolve) => connection.socket.once('data', resolve)), connection.closed]);
  }
  connection.socket.destroy();
  return connection.received;
}

const hasHead = (text: string): boolean => text.includes('\r\n\r\n');

/** The status of the first answer. A CONNECT that is accepted is used. */
async function statusOf(proxy: RunningProxy, request: string): Promise<number> {
  return Number((await send(proxy, Buffer.from(request), hasHead)).slice(9, 12));
}

/** The SOCKS5 reply, or undefined if the request is malformed. */
async function socksReply(proxy: RunningProxy, type: number, address: Uint8Array): Promise<number | undefined> {
  const { port } = origins;
  const request = Buffer.concat([Buffer.of(5, 1, 0, 5, 1, 0, type), address, Buffer.of(port >> 8, port & 255)]);
  return Buffer.from(await send(proxy, request, (text) => text.length >= 4), 'latin1')[3];
}

/** Asks for a host in every form, as if it were allowed where the form has room for another name. */
async function tryHost(proxy: RunningProxy, host: string, allowedHost: string): Promise<void> {
  const { port } = origins;
  const [authority, allowed] = [`${host}:${port}`, `${allowedHost}:${port}`];
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  const statuses = [
    await statusOf(proxy, `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`),
    await statusOf(proxy, `CONNECT ${authority} HTTP/1.1\r\nHost: ${allowed}\r\n\r\n`),
    await statusOf(proxy, `GET http://${authority}/ HTTP/1.1\r\nHost: ${allowed}\r\n\r\n`),
    await statusOf(proxy, `GET http://${authority}/ HTTP/1.1\r\nHost: ${authority}\r\n${upgrade}\r\n`),
    await statusOf(proxy, `GET / HTTP/1.1\r\nHost: ${authority}\r\n\r\n`),
  ];
  // 403 by the gate, 400 for what is no host, 502 for a name without an address.
  expect([host, statuses.filter((status) => ![400, 403, 404, 502].includes(status))]).toEqual([host, []]);
  const bare = Buffer.from(host.replace(/^\[|\]$/g, ''));
  expect([host, await socksReply(proxy, 3, Buffer.concat([Buffer.of(bare.length), bare]))]).not.toEqual([host, 0]);
}

describe('an egress gate', () => {
  it('is no wall: what is allowed is reached, in each form', async () => {
    const { port, allowed } = origins;
    const authority = `${ALLOWED_HOST}:${port}`;
    const before = allowed.connections.length;
    expect(await statusOf(direct, `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)).toBe(200);
    expect(await statusOf(direct, `GET http://${authority}/ HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)).toBe(200);
    expect(await socksReply(direct, 1, Buffer.of(127, 0, 0, 2))).toBe(0);
    for (const name of ['allowed.example', 'ALLOWED.example.', 'al\u00adlowed.example', 'a.sub.example']) {
      expect(await statusOf(behind, `CONNECT ${name}:${port} HTTP/1.1\r\nHost: a\r\n\r\n`)).toBe(200);
    }
    expect(allowed.connections.length).toBeGreaterThan(before);
    expect(reached()).toEqual([]);
  });

  it.each(ADDRESSES)('does not lead to the forbidden origin at %j', async (spelling) => {
    await tryHost(direct, spelling.replaceAll('ALLOWED', ALLOWED_HOST), ALLOWED_HOST);
    expect(reached()).toEqual([]);
  });

  it.each(NAMES)('does not accept %j as an allowed name', async (name) => {
    await tryHost(behind, name, 'allowed.example');
    expect(reached()).toEqual([]);
  });

  it.each([
    ['IPv4', 1, [127, 0, 0, 1]],
    ['unspecified IPv4', 1, [0, 0, 0, 0]],
    ['IPv6', 4, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
    ['unspecified IPv6', 4, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['IPv4-mapped', 4, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]],
    ['NAT64', 4, [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 127, 0, 0, 1]],
    ['a name with NUL', 3, [11, ...Buffer.from('127.0.0.1\0a')]],
    ['an address as a name', 3, [9, ...Buffer.from('127.0.0.1')]],
    ['an IPv6 address as a name', 3, [3, ...Buffer.from('::1')]],
  ])('does not lead there by a SOCKS5 address: %s', async (_, type, address) => {
    for (const proxy of [direct, behind]) expect(await socksReply(proxy, type, Buffer.from(address))).not.toBe(0);
    expect(reached()).toEqual([]);
  });

  it('decides by the target, whatever the Host names', async () => {
    const { port, allowed } = origins;
    const forbidden = `127.0.0.1:${port}`;
    const get = `GET http://${ALLOWED_HOST}:${port}/host HTTP/1.1\r\nHost: ${forbidden}\r\n\r\n`;
    expect(await statusOf(direct, get)).toBe(200);
    const connect = `CONNECT ${ALLOWED_HOST}:${port} HTTP/1.1\r\nHost: ${forbidden}\r\n\r\n`;
    expect(await statusOf(direct, connect)).toBe(200);
    expect(allowed.connections.find((text) => text.includes('/host'))).toContain(`Host: ${ALLOWED_HOST}:${port}`);
    expect(reached()).toEqual([]);
  });

  it('decides about each request of a connection', async () => {
    const { port } = origins;
    const get = (host: string) => `GET http://${host}:${port}/ HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`;
    for (const host of ['127.0.0.1', '127.1', '[::1]', 'localhost', '[::ffff:127.0.0.1]']) {
      const both = Buffer.from(get(ALLOWED_HOST) + get(host));
      const answer = await send(direct, both, (text) => text.split('HTTP/1.1 ').length > 2);
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
    }
    expect(reached()).toEqual([]);
  });

  it('follows no redirect to a forbidden origin', async () => {
    const { port } = origins;
    const target = `http://127.0.0.1:${port}/`;
    // The proxy relays answers; a client that follows is refused like any other.
    const answer = `HTTP/1.1 302 Found\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`;
    await using redirecting = await RecordingOrigin.listen('127.0.0.4', port, answer);
    await using proxy = await ProxyProgram.start({
      default: 'reject',
      rules: [{ networks: ['127.0.0.4'], ports: [port], to: 'direct' }],
    });
    expect(await statusOf(proxy, `GET http://127.0.0.4:${port}/ HTTP/1.1\r\nHost: a\r\n\r\n`)).toBe(302);
    expect(await statusOf(proxy, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)).toBe(403);
    expect(redirecting.connections).toHaveLength(1);
    expect(reached()).toEqual([]);
  });

  it('does not lend one user the connections of another', async () => {
    const { port } = origins;
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    await using guarded = await RecordingOrigin.listen(PRIVATE_HOST, port, answer);
    const ask = async (user: string, path: string) => {
      const authorization = `Proxy-Authorization: Basic ${Buffer.from(`${user}:${user}`).toString('base64')}`;
      const get = `GET http://${PRIVATE_HOST}:${port}${path} HTTP/1.1\r\nHost: a\r\n${authorization}\r\n\r\n`;
      return Number((await send({ url: withUsers }, Buffer.from(get), hasHead)).slice(9, 12));
    };
    for (let round = 0; round < 5; round += 1) {
      expect([await ask('ann', '/ann'), await ask('ben', '/ben'), await ask('eve', '/eve')]).toEqual([200, 403, 407]);
    }
    expect(guarded.connections.join('')).toMatch(/^(?:(?!\/(?:ben|eve))[^])*$/);
    expect(reached()).toEqual([]);
  });

  it('was tried at least 300 times', () => {
    expect(attempts).toBeGreaterThanOrEqual(300);
    expect(reached()).toEqual([]);
  });
});
