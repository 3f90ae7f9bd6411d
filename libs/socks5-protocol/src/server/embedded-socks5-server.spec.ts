import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Reply } from '../codec/constants.js';
import { connectSocks5, type Socks5Tunnel } from '../connector/connect-socks5.js';
import { EmbeddedSocks5Server, type EmbeddedSocks5ServerOptions } from './embedded-socks5-server.js';
import { reachesListener } from './own-address.js';
import { replyOfError } from './dial-target.js';

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
    await start({ credentials });
    (await dial('127.0.0.1', originPort, credentials)).socket.destroy();
    const wrong = { ...credentials, password: 'other' };
    await expect(dial('127.0.0.1', originPort, wrong)).rejects.toMatchObject({ code: 'SOCKS5.CREDENTIALS_REFUSED' });
    await expect(dial('127.0.0.1')).rejects.toMatchObject({ code: 'SOCKS5.METHOD_REFUSED' });
  });

  it('answers a refused connection and an unknown host with their codes', async () => {
    await start();
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    await expect(dial('127.0.0.1', port)).rejects.toMatchObject({ replyCode: Reply.connectionRefused });
    await expect(dial('no.such.host.invalid')).rejects.toMatchObject({ replyCode: Reply.hostUnreachable });
  });

  it('never connects to itself or to the listeners it is told of, by address or by name', async () => {
    let reached = 0;
    onConnection = () => {
      reached += 1;
    };
    await start({ refused: () => [{ host: '127.0.0.1', port: originPort }] });
    for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '::ffff:127.0.0.1', '::']) {
      await expect(dial(host)).rejects.toMatchObject({ replyCode: Reply.notAllowed });
      await expect(dial(host, server.address.port)).rejects.toMatchObject({ replyCode: Reply.notAllowed });
    }
    expect(reached).toBe(0);
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

describe('reachesListener', () => {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])[0]!.address;

  it.each([
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.2', '127.0.0.1', false],
    ['::ffff:127.0.0.1', '127.0.0.1', true],
    ['::ffff:7f00:1', '127.0.0.1', true],
    ['0.0.0.0', '127.0.0.1', true],
    ['::', '::1', true],
    ['0:0:0:0:0:0:0:1', '::1', true],
    ['127.0.0.2', '0.0.0.0', true],
    ['::1', '::', true],
    [own, '0.0.0.0', true],
    ['192.0.2.1', '0.0.0.0', false],
    ['192.0.2.1', '192.0.2.1', true],
    ['0.0.0.0', '192.0.2.1', false],
  ])('says of %s for a listener on %s: %s', (host, listener, expected) => {
    expect(reachesListener({ host, port: 8080 }, { host: listener, port: 8080 })).toBe(expected);
    expect(reachesListener({ host, port: 8081 }, { host: listener, port: 8080 })).toBe(false);
  });
});

describe('replyOfError', () => {
  it('takes the last of several attempts, and the general failure for what it does not know', () => {
    const refused = Object.assign(new Error(), { code: 'ECONNREFUSED' });
    expect(replyOfError(new AggregateError([new Error(), refused]))).toBe(Reply.connectionRefused);
    expect(replyOfError(new AggregateError([]))).toBe(Reply.generalFailure);
    expect(replyOfError(new Error())).toBe(Reply.generalFailure);
  });
});
