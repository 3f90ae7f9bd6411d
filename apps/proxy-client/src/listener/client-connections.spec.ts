import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, connect, Socket, type AddressInfo } from 'node:net';
import { ProxyStats } from '#metrics';
import { PlainSource } from '../relay/plain-source.js';
import { ClientConnections } from './client-connections.js';

function setUp(limit = 100) {
  const stats = new ProxyStats();
  return { stats, connections: new ClientConnections(stats, limit) };
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
    const connection = connections.add(new PlainSource(socket));
    expect(connections.get(socket)).toBe(connection);
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
    connections.add(new PlainSource(socket));
    expect(connections.open).toBe(1);
    await close(socket);
    expect(counts(stats)).toEqual([0, 0]);
  });

  it('counts nothing for a socket that it does not know', () => {
    const { stats, connections } = setUp();
    connections.proxied(new Socket());
    expect(counts(stats)).toEqual([0, 0]);
  });

  it('holds a connection over the limit for as long as the limit is reached', async () => {
    const { connections } = setUp(1);
    const socket = new Socket();
    const first = connections.add(new PlainSource(socket));
    const second = connections.add(new PlainSource(new Socket()));
    expect([first, second].map((each) => connections.isOverLimit(each))).toEqual([false, true]);
    await close(socket);
    expect(connections.isOverLimit(second)).toBe(false);
  });

  it('knows the answers that are under way', () => {
    const { connections } = setUp();
    const socket = new Socket();
    const connection = connections.add(new PlainSource(socket));
    connections.add(new PlainSource(new Socket()));
    expect(connections.answers).toEqual([]);
    connection.response = new ServerResponse(new IncomingMessage(socket));
    expect(connections.answers).toEqual([connection.response]);
  });

  it('ends silent connections only', async () => {
    const { connections } = setUp();
    const server = createServer((socket) => {
      connections.add(new PlainSource(socket));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const speaking = connect(port, '127.0.0.1');
    speaking.write('G');
    const [accepted] = (await once(server, 'connection')) as [Socket];
    await once(accepted, 'data');
    const silent = connect(port, '127.0.0.1');
    await once(server, 'connection');
    connections.destroySilent();
    silent.resume();
    await once(silent, 'close');
    expect(connections.open).toBe(1);
    speaking.destroy();
    await connections.closed();
    server.close();
  });

  it('tells when the last one has closed', async () => {
    const { connections } = setUp();
    await connections.closed();
    connections.add(new PlainSource(new Socket()));
    connections.add(new PlainSource(new Socket()));
    const closed = connections.closed();
    connections.destroyAll();
    await closed;
    expect(connections.open).toBe(0);
  });

  it('ends those that have waited for another request too long, and no others', async () => {
    const { connections } = setUp();
    const [fresh, answered, waiting] = [new Socket(), new Socket(), new Socket()];
    connections.add(new PlainSource(fresh));
    const response = (socket: Socket) => new ServerResponse(new IncomingMessage(socket));
    connections.add(new PlainSource(answered)).response = response(answered);
    const last = (connections.add(new PlainSource(waiting)).response = response(waiting));
    const done = once(last, 'close');
    last.destroy();
    await done;
    connections.destroyIdle(1000, 0);
    connections.destroyIdle(60, 100);
    expect(waiting.destroyed).toBe(false);
    connections.destroyIdle(60, 100);
    expect([fresh, answered, waiting].map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
    connections.destroyAll();
  });
});
