import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ProxyStats } from '#metrics';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import { BufferPool } from '../relay/buffer-pool.js';
import { createUpstreams } from './create-upstreams.js';
import { connectThrough } from './testing/connect-through.js';

const config = {
  upstreams: [{ name: 'here', kind: 'embedded' }],
  timeouts: { connect: 1000, handshake: 1000 },
} as unknown as ProxyClientConfig;

describe('the embedded upstream', () => {
  it('connects from this machine, in one flight, and never to the proxy itself', async () => {
    const origin = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    const proxy = createServer().listen(0, '127.0.0.1');
    await Promise.all([once(origin, 'listening'), once(proxy, 'listening')]);
    const originPort = (origin.address() as AddressInfo).port;
    const proxyPort = (proxy.address() as AddressInfo).port;
    const stats = new ProxyStats();
    const upstreams = createUpstreams(config, {
      stats,
      pool: new BufferPool(),
      ownListeners: () => [{ host: '127.0.0.1', port: proxyPort }],
    });
    const upstream = upstreams.byName.get('here')!;
    const connection = await connectThrough(upstream, { host: 'localhost', port: originPort });
    const chunks = [] as Buffer[];
    connection.start({ read: (chunk) => chunks.push(Buffer.from(chunk)) > 0 });
    await once(connection.socket, 'end');
    expect(Buffer.concat(chunks).toString()).toBe('hello');
    connection.socket.end();
    await expect(connectThrough(upstream, { host: 'localhost', port: proxyPort })).rejects.toMatchObject({
      category: 'not_allowed',
    });
    await upstreams.close();
    await Promise.all([origin, proxy].map((server) => new Promise((resolve) => server.close(resolve))));
  });
});
