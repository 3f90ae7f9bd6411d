import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { Reply } from '../codec/constants.js';
import { connectSocks5, type Socks5Tunnel } from '../connector/connect-socks5.js';
import { EmbeddedSocks5Server, type EmbeddedSocks5ServerOptions } from './embedded-socks5-server.js';

const credentials = { username: 'me', password: 'secret' };

let origin: Server;
let originPort: number;
let onConnection: (socket: Socket) => void;
let server: EmbeddedSocks5Server;

beforeEach(async () => {
  origin = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  originPort = (origin.address() as AddressInfo).port;
});

afterEach(async () => {
  await server.close();
  await new Promise((resolve) => origin.close(resolve));
});

async function start(options: EmbeddedSocks5ServerOptions = {}): Promise<void> {
  server = new EmbeddedSocks5Server(options);
  await server.listen();
}

function dial(host: string, port = originPort, auth?: typeof credentials): Promise<Socks5Tunnel> {
  return connectSocks5({ server: server.address, target: { host, port }, credentials: auth, oneFlight: false });
}

describe('EmbeddedSocks5Server', () => {
  it.each(['127.0.0.1', 'localhost'])('connects to %s and keeps the half-close', async (host) => {
    onConnection = (socket) => {
      void socket.toArray().then((chunks) => socket.end(`got ${Buffer.concat(chunks as Buffer[]).toString()}`));
    };
    await start();
    const { socket } = await dial(host);
    socket.end('all of it');
    expect(Buffer.concat((await socket.toArray()) as Buffer[]).toString()).toBe('got all of it');
  });

  it('passes on bytes that came with the request, in order', async () => {
    onConnection = (socket) => socket.pipe(socket);
    await start();
    const socket = connect({ ...server.address, allowHalfOpen: true });
    const port = originPort.toString(16).padStart(4, '0');
    socket.end(Buffer.concat([Buffer.from(`050100050100017f000001${port}`, 'hex'), Buffer.from('early')]));
    const all = Buffer.concat((await socket.toArray()) as Buffer[]);
    expect(all.subarray(-5).toString()).toBe('early');
    expect(all.subarray(0, 5).toString('hex')).toBe('0500050000');
  });

  it('passes a reset on to the other side', async () => {
    onConnection = (socket) => socket.once('data', () => socket.resetAndDestroy());
    await start();
    const { socket } = await dial('127.0.0.1');
    socket.write('x');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
  });

  it('lets in who knows the password, and nobody else', async () => {
    onConnection = (socket) => socket.end();
    await start({ authenticate: ({ username, password }) => username === 'me' && password === 'secret' });
    (await dial('127.0.0.1', originPort, credentials)).socket.destroy();
    const wrong = { ...credentials, password: 'other' };
    await expect(dial('127.0.0.1', originPort, wrong)).rejects.toMatchObject({ code: 'SOCKS5.CREDENTIALS_REFUSED' });
    await expect(dial('127.0.0.1')).rejects.toMatchObject({ code: 'SOCKS5.METHOD_REFUSED' });
  });

  it('answers a refused connection and an unknown host with their codes', async () => {
    await start();
    await expect(dial('127.0.0.1', CLOSED_PORT)).rejects.toMatchObject({ replyCode: Reply.connectionRefused });
    await expect(dial('no.such.host.invalid')).rejects.toMatchObject({ replyCode: Reply.hostUnreachable });
  });

  it('never connects to itself, by address or by name', async () => {
    await start();
    for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '::ffff:127.0.0.1', '::']) {
      await expect(dial(host, server.address.port)).rejects.toMatchObject({ replyCode: Reply.notAllowed });
    }
  });

  it('connects to the addresses only that it may, by whatever name, for the one who asks', async () => {
    onConnection = (socket) => socket.end();
    const asked: unknown[] = [];
    await start({
      authenticate: () => true,
      admit: (address, request) => {
        asked.push([address, request]);
        return request.username === 'me';
      },
    });
    (await dial('localhost', originPort, credentials)).socket.destroy();
    const other = { username: 'other', password: 'secret' };
    await expect(dial('localhost', originPort, other)).rejects.toMatchObject({ replyCode: Reply.notAllowed });
    const target = { host: 'localhost', port: originPort };
    expect(asked).toContainEqual(['127.0.0.1', { target, username: 'me' }]);
    expect(asked.at(-1)).toEqual([expect.any(String), { target, username: 'other' }]);
  });

  it('drops who does not finish the handshake, and ends its connections with itself', async () => {
    await start({ handshakeTimeout: 50 });
    const silent = connect(server.address).resume();
    await once(silent, 'close');
    onConnection = (accepted) => accepted.resume().on('end', () => accepted.end());
    await server.close();
    await start();
    const { socket } = await dial('127.0.0.1');
    await server.close();
    socket.resume();
    await once(socket.end(), 'close');
    await start();
  });

  it('abandons a target when its client leaves first', async () => {
    await start();
    const arrived = new Promise<Socket>((resolve) => (onConnection = resolve));
    const { socket } = await dial('127.0.0.1');
    socket.destroy();
    const target = await arrived;
    target.resume().on('end', () => target.end());
    await once(target, 'close');
  });
});
