import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { BufferPool } from '../relay/buffer-pool.js';
import { PooledSource } from '../relay/pooled-source.js';
import { server, upstreamsOf } from '../upstream/testing/upstreams-of.js';
import { OriginConnection } from './origin-connection.js';
import { OriginPool } from './origin-pool.js';

const MAIN = upstreamsOf({ upstreams: [server('main', 1)] }).upstreams.byName.get('main')!;
const LIMITS = { idle: 30_000, perTarget: 2, total: 3 };

let origin: RawOrigin;
let pool: OriginPool;
let isUsed: boolean;

beforeEach(async () => {
  origin = await RawOrigin.answering('');
  pool = new OriginPool(LIMITS, () => isUsed);
  isUsed = true;
  pool.sweep(0);
});

afterEach(async () => {
  pool.close();
  await origin[Symbol.asyncDispose]();
});

function connect(key = 'target'): OriginConnection {
  const source = PooledSource.connect(new BufferPool(), { host: '127.0.0.1', port: origin.port });
  return new OriginConnection(source, { key, upstream: MAIN, forwarding: undefined }, 1024, pool.remove);
}

describe('OriginPool', () => {
  it('keeps a fresh connection rather than old ones, for requests that cannot be repeated', () => {
    const [first, second, fresh] = [connect(), connect(), connect()];
    pool.put(first, '');
    pool.put(second, '');
    pool.sweep(10_000);
    expect(pool.take('target', false)).toBeUndefined();
    pool.put(fresh, '');
    expect(first.isUsable).toBe(false);
    expect(pool.take('target', false)).toBe(fresh);
    expect(pool.take('target', true)).toBe(second);
    expect(pool.take('target', true)).toBeUndefined();
    for (const connection of [second, fresh]) connection.close();
  });

  it('closes the connections of an upstream that is no longer in use, and accepts no more of them', () => {
    const [idle, own, late, lateOwn] = [connect(), connect('own'), connect(), connect('own')];
    const client = { socket: connect().socket, ownOrigins: undefined };
    pool.put(idle, '');
    own.isPinned = lateOwn.isPinned = true;
    pool.putFor(client, own, []);
    pool.closeUnused();
    expect([idle.isUsable, own.isUsable]).toEqual([true, true]);
    isUsed = false;
    pool.closeUnused();
    pool.put(late, '');
    pool.putFor(client, lateOwn, []);
    expect([idle, own, late, lateOwn].map((each) => each.isUsable)).toEqual([false, false, false, false]);
    expect(pool.takeFor(client, 'own', true)).toBeUndefined();
    client.socket.destroy();
  });

  it('closes the connection that was idle for the longest time over the limit of all targets', () => {
    const [oldest, other, third, newest] = [connect('a'), connect('b'), connect('c'), connect('d')];
    pool.put(oldest, '');
    pool.sweep(1000);
    for (const connection of [other, third, newest]) pool.put(connection, '');
    expect([oldest, other, third, newest].map(({ isUsable }) => isUsable)).toEqual([false, true, true, true]);
  });
});
