import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Networks } from '../rules/networks.js';
import { AddressGuard } from './address-guard.js';
import type { EmbeddedUpstream } from './embedded-upstream.js';
import { connectThrough } from './testing/connect-through.js';
import { type MadeUpstreams, upstreamsOf } from './testing/upstreams-of.js';
import type { Upstream } from './upstream.js';

const FROM_HERE = { remoteAddress: '127.0.0.1' };
const FROM_AFAR = { remoteAddress: '192.0.2.7' };

let origin: Server;
let port: number;
let proxy: Server;
let proxyPort: number;
let made: MadeUpstreams;
let upstream: EmbeddedUpstream;

beforeEach(async () => {
  origin = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
  proxy = createServer().listen(0, '127.0.0.1');
  await Promise.all([once(origin, 'listening'), once(proxy, 'listening')]);
  port = (origin.address() as AddressInfo).port;
  proxyPort = (proxy.address() as AddressInfo).port;
  made = upstreamsOf({
    upstreams: [{ name: 'here', kind: 'embedded' }],
    ownListeners: () => [{ host: '127.0.0.1', port: proxyPort }],
  });
  upstream = made.upstreams.byName.get('here') as EmbeddedUpstream;
});

afterEach(async () => {
  await made.upstreams.close();
  await Promise.all([origin, proxy].map((server) => new Promise((resolve) => server.close(resolve))));
});

async function hello(through: Upstream, host = 'localhost'): Promise<string> {
  const connection = await connectThrough(through, { host, port });
  const chunks: Buffer[] = [];
  connection.start({ read: (chunk) => chunks.push(Buffer.from(chunk)) > 0 });
  await once(connection.socket, 'end');
  connection.socket.end();
  return Buffer.concat(chunks).toString();
}

describe('the embedded upstream', () => {
  it('connects from this machine, and never to the proxy itself', async () => {
    const target = { host: 'localhost', port };
    const fromHere = upstream.forRequest({ target, client: FROM_HERE });
    expect(await hello(fromHere)).toBe('hello');
    await expect(connectThrough(fromHere, { host: 'localhost', port: proxyPort })).rejects.toMatchObject({
      category: 'not_allowed',
    });
    expect(made.upstreams.snapshot().servers).toMatchObject([{ name: 'here', state: 'up', opened: 1, failed: 1 }]);
  });

  it('opens what is served for this machine to its own programs only, and keeps their connections apart', async () => {
    const target = { host: 'localhost', port };
    const [here, afar] = [FROM_HERE, FROM_AFAR].map((client) => upstream.forRequest({ target, client }));
    expect(here!.key).not.toBe(afar!.key);
    expect(upstream.forRequest({ target, client: { remoteAddress: '::1' } })).toBe(here);
    await expect(hello(afar!)).rejects.toMatchObject({ category: 'not_allowed' });
    await expect(hello(upstream)).rejects.toMatchObject({ category: 'not_allowed' });
  });

  it('opens a network that a rule names to others as well, from when that rule holds', async () => {
    const query = { target: { host: 'localhost', port }, client: FROM_AFAR };
    const before = upstream.forRequest(query);
    upstream.guardBy(
      new AddressGuard([{ networks: new Networks(['127.0.0.0/8']), to: 'here' }, { to: 'here' }], () => []),
    );
    const after = upstream.forRequest(query);
    expect(after.key).not.toBe(before.key);
    expect(await hello(after)).toBe('hello');
    await expect(hello(before)).rejects.toMatchObject({ category: 'not_allowed' });
  });
});
