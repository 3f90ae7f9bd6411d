import { once } from 'node:events';
import { Socket } from 'node:net';
import { ProxyStats } from '#metrics';
import { ClientConnections } from './client-connections.js';

function setUp() {
  const stats = new ProxyStats();
  return { stats, connections: new ClientConnections(stats) };
}

async function close(socket: Socket) {
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
}

const counts = (stats: ProxyStats) => {
  const { totalConnections, activeConnections } = stats.snapshot();
  return [totalConnections, activeConnections];
};

describe('ClientConnections', () => {
  it('counts a connection once, from its first proxied request until it closes', async () => {
    const { stats, connections } = setUp();
    const socket = new Socket();
    connections.add(socket);
    expect(counts(stats)).toEqual([0, 0]);
    connections.proxied(socket);
    connections.proxied(socket);
    expect(counts(stats)).toEqual([1, 1]);
    await close(socket);
    expect(counts(stats)).toEqual([1, 0]);
    expect(connections.open).toBe(0);
  });

  it('never counts one that only polls', async () => {
    const { stats, connections } = setUp();
    const socket = new Socket();
    connections.add(socket);
    expect(connections.open).toBe(1);
    await close(socket);
    expect(counts(stats)).toEqual([0, 0]);
  });

  it('follows a connection to another socket object', async () => {
    const { stats, connections } = setUp();
    const [before, after] = [new Socket(), new Socket()];
    connections.add(before);
    connections.proxied(before);
    connections.transfer(before, after);
    await close(before);
    expect(counts(stats)).toEqual([1, 1]);
    expect(connections.open).toBe(1);
    connections.proxied(after);
    await close(after);
    expect(counts(stats)).toEqual([1, 0]);
  });

  it('ignores sockets that it does not know', () => {
    const { stats, connections } = setUp();
    connections.proxied(new Socket());
    connections.transfer(new Socket(), new Socket());
    expect(counts(stats)).toEqual([0, 0]);
    expect(connections.open).toBe(0);
  });

  it('tells when the last one has closed', async () => {
    const { connections } = setUp();
    await connections.closed();
    connections.add(new Socket());
    connections.add(new Socket());
    const closed = connections.closed();
    connections.destroyAll();
    await closed;
    expect(connections.open).toBe(0);
  });
});
