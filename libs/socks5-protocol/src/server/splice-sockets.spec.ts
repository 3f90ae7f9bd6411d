import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { spliceSockets } from './splice-sockets.js';

describe('two sockets that are joined', () => {
  let server: Server;
  let joined: [Socket, Socket];
  let outer: [Socket, Socket];

  beforeEach(async () => {
    server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const pair = async (): Promise<[Socket, Socket]> => {
      const { port } = server.address() as AddressInfo;
      const accepted = once(server, 'connection');
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const [other] = (await accepted) as [Socket];
      socket.on('error', () => undefined);
      other.on('error', () => undefined);
      return [socket, other];
    };
    const [one, two] = [await pair(), await pair()];
    outer = [one[0], two[0]];
    joined = [one[1], two[1]];
    spliceSockets(...joined);
  });
  afterEach(async () => {
    for (const socket of [...outer, ...joined]) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  it('pass bytes and ends both ways', async () => {
    const [left, right] = outer;
    left.end('to the right');
    right.setEncoding('utf8');
    expect((await right.toArray()).join('')).toBe('to the right');
    right.end('to the left');
    left.setEncoding('utf8');
    expect((await left.toArray()).join('')).toBe('to the left');
  });

  it('break together', async () => {
    const [left, right] = outer;
    const broken = new Promise((resolve) => right.once('close', resolve));
    left.write('x');
    await once(right, 'data');
    left.resetAndDestroy();
    await broken;
    expect(right.errored).toMatchObject({ code: 'ECONNRESET' });
  });

  it('do not stay open when one breaks while the other waits to send its end', async () => {
    const [broken, waiting] = joined;
    const closed = once(waiting, 'close');
    waiting.end();
    broken.destroy(new Error('reset by the peer'));
    await closed;
    expect(waiting.errored).toBeNull();
  });
});
