import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hostname } from 'node:os';
import { Dialler, Resolver } from '#socks5-protocol';
import { connectSocks5, LocalSocks5Server } from '#socks5-protocol/testing';
import { freePort } from '../../support/free-port.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { RawConnection } from '../../support/raw-http.js';

/** The loopback, and one of each kind of what resolvers take for it; own-addresses.spec and rule.spec have all of them. */
const LOOPBACKS = ['127.0.0.1', '0x7f.1', '①②⑦.0.0.1', '64:ff9b::7f00:1', 'localhost.'];
/** Addresses that clients of this machine use for the same service, though the listener is bound to 127.0.0.1. */
const OTHER_LOOPBACKS = ['::1', '::', '::ffff:0.0.0.0'];
/** The same for IPv6. */
const LOOPBACKS_6 = ['::1', '0:0::0:1', 'localhost'];
const OTHER = 5;
/** A name that only the upstream resolves, to this machine. */
const INNER = 'inner.example';

/** Resolves names and connects from this machine, as a server next to the proxy would. */
const resolver = new Resolver((host, _, answer) => {
  setImmediate(answer, null, [{ address: host === INNER ? '127.0.0.1' : '192.0.2.1', family: 4 }]);
});
const upstream = new LocalSocks5Server({ dialler: new Dialler(resolver) });
let onIpv6: number;
let proxy: RunningProxy;
let socks: { readonly host: string; readonly port: number };
beforeAll(async () => {
  await upstream.listen();
  onIpv6 = await freePort();
  proxy = await ProxyProgram.start({
    listen: undefined,
    upstream: upstream.address,
    listeners: [
      { mode: 'mixed', port: 0 },
      { port: onIpv6, host: '::1', users: [{ name: 'ann', password: 'secret' }] },
    ],
    admin: { port: 0 },
    rules: [{ networks: ['127.0.0.0/8', '::1'], ports: [OTHER], to: 'reject' }],
  });
  socks = { host: '127.0.0.1', port: Number(new URL(proxy.url).port) };
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await upstream.close();
});

function authorityOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The status of the answer, however the target is asked for. */
async function statusOf(request: string, url = proxy.url): Promise<number> {
  const connection = await RawConnection.open(url);
  connection.socket.write(request);
  const answer = await connection.until('\r\n\r\n');
  connection.socket.destroy();
  return Number(answer.slice(9, 12));
}

async function replyOf(host: string, port: number): Promise<unknown> {
  const answer = connectSocks5({
    server: socks,
    target: { host, port },
    timeout: 10_000,
  });
  return answer.then(
    ({ socket }) => {
      socket.destroy();
      return 0;
    },
    (error: unknown) => (error as { readonly replyCode?: number }).replyCode,
  );
}

const isAscii = (host: string) => /^[\x20-\x7e]+$/.test(host);
const PLACES: readonly (readonly [string, () => number])[] = [
  ['its own port', () => socks.port],
  ["the admin's port", () => Number(new URL(proxy.admin!).port)],
  ['a port that a rule about networks rejects', () => OTHER],
];

describe.each(PLACES)('%s', (_, port) => {
  it.each(LOOPBACKS)('is no target as %s by CONNECT, absolute-form and SOCKS5', async (host) => {
    const authority = authorityOf(host, port());
    expect(await statusOf(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)).toBe(403);
    expect(await replyOf(host, port())).toBe(2);
    // Only CONNECT and SOCKS5 accept names that are not ASCII.
    const refused = isAscii(host) ? 403 : 400;
    // Exactly its own name is read as origin-form: there is nothing at that path.
    const own = `GET http://${authority}/metrics HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`;
    expect(await statusOf(own)).toBe(host === '127.0.0.1' && port() === socks.port ? 404 : refused);
  });
});

it.each(OTHER_LOOPBACKS)('its own port is no target as %s by CONNECT, absolute-form and SOCKS5', async (host) => {
  const authority = authorityOf(host, socks.port);
  expect(await statusOf(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)).toBe(403);
  expect(await statusOf(`GET http://${authority}/ HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)).toBe(403);
  expect(await replyOf(host, socks.port)).toBe(2);
});

describe.each<readonly [string, () => number]>([
  ['its own port', () => onIpv6],
  ['a port that a rule about networks rejects', () => OTHER],
])('%s, on IPv6', (_, port) => {
  it.each(LOOPBACKS_6)('is no target as %s by CONNECT, absolute-form and SOCKS5', async (host) => {
    const authority = authorityOf(host, port());
    expect(await statusOf(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)).toBe(403);
    expect(await replyOf(host, port())).toBe(2);
    expect(await statusOf(`GET http://${authority}/ HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)).toBe(403);
  });
});

it('leads to the admin listener by a name that only the upstream resolves, which asks for its token there', async () => {
  const { host, port } = new URL(proxy.admin!);
  const connection = await RawConnection.open(proxy.url);
  const authority = `${INNER}:${port}`;
  await connection.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`).until(' 200 ');
  connection.write(`GET /connections HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(await connection.closed).toContain('HTTP/1.1 401 ');
});

it('counts rejected requests separately', async () => {
  const connection = await RawConnection.open(proxy.url);
  connection.write('GET /stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await connection.closed).toMatch(/"successful_requests":1,"failed_requests":0,.*"not_allowed":0/);
  const metrics = await RawConnection.open(proxy.admin!);
  metrics.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await metrics.closed).toMatch(/proxy_client_requests_total\{outcome="rejected"\} [1-9]/);
});

it('defect: a rule * of a gate forwarded names of the own machine and of metadata services', async () => {
  const forwarded: string[] = [];
  await using server = await namesServer(forwarded);
  await using gate = await ProxyProgram.start({
    upstream: server.address,
    mode: 'mixed',
    default: 'reject',
    rules: [{ hosts: ['*', 'host.lima.internal', 'ip6-loopback'], to: 'upstream' }],
  });
  const names = ['localhost.localdomain', 'localhost4', 'ip6-localhost', '127.0.0.1..', '[fec0::1]', hostname()];
  const clouds = ['metadata', 'metadata.google.internal', 'METADATA.google.internal.', 'instance-data'];
  for (const host of [...names, ...clouds, 'host.docker.internal', 'host.containers.internal']) {
    expect([host, await statusOf(`CONNECT ${host}:80 HTTP/1.1\r\nHost: x\r\n\r\n`, gate.url)]).toEqual([host, 403]);
    expect([host, await statusOf(`GET http://${host}/ HTTP/1.1\r\nHost: x\r\n\r\n`, gate.url)]).toEqual([host, 403]);
  }
  const allowed = ['host.lima.internal', 'ip6-loopback', 'a.example'];
  for (const host of allowed) await statusOf(`CONNECT ${host}:80 HTTP/1.1\r\nHost: x\r\n\r\n`, gate.url);
  expect(forwarded).toEqual(allowed);
});

/** A SOCKS5 server that records the names that it is asked to resolve. */
async function namesServer(names: string[]) {
  const server = new LocalSocks5Server({
    dialler: new Dialler(
      new Resolver((host, _, answer) => {
        names.push(host);
        setImmediate(answer, null, [{ address: '192.0.2.1', family: 4 }]);
      }),
    ),
  });
  await server.listen();
  return {
    address: server.address,
    async [Symbol.asyncDispose]() {
      await server.close();
    },
  };
}
