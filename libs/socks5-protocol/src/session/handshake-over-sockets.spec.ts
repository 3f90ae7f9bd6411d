import { once } from 'node:events';
import type { Socket } from 'node:net';
import { jest } from '@jest/globals';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { until } from '../../../../test/support/until.js';
import { encodeReply, Method, Reply } from '../codec/messages.js';
import { Socks5Error } from '../codec/socks5-error.js';
import { granting, greeted, losingFlights, replying } from '../testing/scripts.js';
import { type ScriptedConnection, ScriptedSocks5Server, type ScriptStep } from '../testing/scripted-socks5-server.js';
import { connectSocks5, type ConnectSocks5Options, type Socks5Tunnel } from '../testing/connect-socks5.js';

const credentials = { username: 'me', password: 'secret' };

async function serverOf(script: (index: number) => readonly ScriptStep[]): Promise<ScriptedSocks5Server> {
  return new ScriptedSocks5Server(script).listen();
}

function dial(server: { port: number }, options: Partial<ConnectSocks5Options> = {}): Promise<Socks5Tunnel> {
  return connectSocks5({
    server: { host: '127.0.0.1', port: server.port },
    target: { host: 'example.com', port: 80 },
    ...options,
  });
}

async function failure(attempt: Promise<unknown>): Promise<Socks5Error> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Socks5Error);
  return error as Socks5Error;
}

/** Resolves when the peer of this socket has ended or broken the connection. */
async function gone(socket: Socket): Promise<void> {
  if (socket.readableEnded || socket.destroyed) return;
  await new Promise<void>((resolve) => {
    socket.once('end', resolve).once('close', () => {
      resolve();
    });
  });
}

describe('connectSocks5', () => {
  it('opens a tunnel that carries bytes', async () => {
    await using server = await serverOf(() => granting('echo'));
    const { socket, rest, method } = await dial(server);
    socket.resume().write('hello');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect({ text: chunk.toString(), rest: rest.length, method }).toEqual({ text: 'hello', rest: 0, method: 0 });
    expect(server.connections[0]).toMatchObject({ methods: [0], target: { host: 'example.com', port: 80 } });
  });

  it.each([
    ['192.0.2.1', 1],
    ['example.com', 3],
    ['127.1', 3],
    ['2001:db8::1', 4],
  ])('asks for %s with address type %d', async (host, addressType) => {
    await using server = await serverOf(() => granting());
    const { socket } = await dial(server, { target: { host, port: 8443 } });
    socket.destroy();
    expect(server.connections[0]!.target).toEqual({ host, port: 8443, addressType });
  });

  it('offers both methods with credentials and uses the one chosen', async () => {
    await using server = await serverOf(() => [
      ...greeted(Method.password),
      { write: encodeReply(Reply.succeeded) },
      { then: 'stall' },
    ]);
    const { socket, method } = await dial(server, { credentials });
    socket.destroy();
    expect(method).toBe(Method.password);
    expect(server.connections[0]).toMatchObject({ methods: [0, 2], credentials });
  });

  it('sends everything in one write in one flight', async () => {
    await using server = await serverOf(() => granting());
    const { socket } = await dial(server, { oneFlight: true });
    socket.destroy();
    expect(server.connections[0]!.received.toString('hex')).toBe('050100' + '050100030b6578616d706c652e636f6d0050');
  });

  it('returns what followed the reply, also when everything arrives byte by byte', async () => {
    for (const size of [1, 2, 5, 100]) {
      const write = Buffer.concat([Uint8Array.of(5, 0), encodeReply(0), Buffer.from('early')]);
      const cuts = [...write.keys()].filter((at) => at > 0 && at % size === 0);
      await using server = await serverOf(() => [{ read: 'greeting' }, { write, cuts }, { then: 'close' }]);
      const { socket, rest } = await dial(server, { oneFlight: true });
      const chunks = [rest, ...((await socket.toArray()) as Buffer[])];
      socket.destroy();
      expect(Buffer.concat(chunks).toString()).toBe('early');
    }
  });

  it('keeps every failing reply code', async () => {
    await using server = await serverOf((index) => replying(index + 1));
    for (let code = 1; code < 256; code += 1) {
      const error = await failure(dial(server));
      expect(error).toMatchObject({ code: 'SOCKS5.REPLY', phase: 'request', replyCode: code });
    }
  });

  it.each<[string, readonly ScriptStep[], Partial<Socks5Error>]>([
    [
      'refuses the method',
      [{ read: 'greeting' }, { write: Uint8Array.of(5, 255) }, { then: 'close' }],
      { code: 'SOCKS5.METHOD_REFUSED', phase: 'method' },
    ],
    [
      'chooses what was not offered',
      [{ read: 'greeting' }, { write: Uint8Array.of(5, 1) }],
      { code: 'SOCKS5.METHOD_NOT_OFFERED', phase: 'method' },
    ],
    [
      'refuses the password',
      [
        { read: 'greeting' },
        { write: Uint8Array.of(5, 2) },
        { read: 'credentials' },
        { write: Uint8Array.of(1, 1) },
        { then: 'close' },
      ],
      { code: 'SOCKS5.CREDENTIALS_REFUSED', phase: 'authentication' },
    ],
    [
      'speaks HTTP',
      [{ write: Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n') }, { then: 'close' }],
      { code: 'SOCKS5.PROTOCOL', phase: 'method' },
    ],
    [
      'sends more than a reply can hold',
      [{ read: 'greeting' }, { write: Buffer.alloc(100_000, 5) }],
      { code: 'SOCKS5.METHOD_NOT_OFFERED' },
    ],
    ['closes at once', [{ then: 'close' }], { code: 'SOCKS5.CLOSED', phase: 'method' }],
    ['resets at once', [{ read: 'greeting' }, { then: 'reset' }], { code: 'SOCKS5.CLOSED', phase: 'method' }],
    ['closes instead of the reply', [...greeted(), { then: 'close' }], { code: 'SOCKS5.CLOSED', phase: 'request' }],
    [
      'closes within the reply',
      [...greeted(), { write: Uint8Array.of(5, 0, 0, 1) }, { then: 'close' }],
      { code: 'SOCKS5.CLOSED', phase: 'request' },
    ],
    ['resets instead of the reply', [...greeted(), { then: 'reset' }], { code: 'SOCKS5.CLOSED', phase: 'request' }],
  ])('fails when the server %s, and closes', async (_what, script, expected) => {
    await using server = await serverOf(() => script);
    const error = await failure(dial(server, { credentials }));
    expect(error).toMatchObject(expected);
    await gone(server.connections[0]!.socket);
  });

  it('times out on a server that drops what followed the greeting', async () => {
    await using server = await serverOf(() => losingFlights());
    const error = await failure(dial(server, { oneFlight: true, timeout: 100 }));
    expect(error.code).toBe('SOCKS5.TIMEOUT');
    (await dial(server)).socket.destroy();
  });

  it('reports that no server listens', async () => {
    const error = await failure(dial({ port: CLOSED_PORT }));
    expect(error).toMatchObject({ code: 'SOCKS5.UNREACHABLE', phase: 'connect', cause: { code: 'ECONNREFUSED' } });
  });

  it('can be aborted during the handshake', async () => {
    await using server = await serverOf(() => [...greeted(), { then: 'stall' }]);
    const controller = new AbortController();
    const attempt = failure(dial(server, { signal: controller.signal }));
    while (server.connections[0]?.target === undefined) await new Promise(setImmediate);
    controller.abort();
    expect(await attempt).toMatchObject({ code: 'SOCKS5.ABORTED', phase: 'request' });
    await gone(server.connections[0].socket);
  });

  it.each([
    [{ target: { host: 'a'.repeat(256), port: 80 } }, 'SOCKS5.INVALID_TARGET'],
    [{ target: { host: 'example.com', port: 0 } }, 'SOCKS5.INVALID_TARGET'],
    [{ credentials: { username: '', password: 'x' } }, 'SOCKS5.INVALID_CREDENTIALS'],
    [{ credentials: { username: 'u', password: 'x'.repeat(256) } }, 'SOCKS5.INVALID_CREDENTIALS'],
  ])('refuses %j before anything is opened', async (options, code) => {
    await using server = await serverOf(() => granting());
    expect(await failure(dial(server, options))).toMatchObject({ code });
    expect(server.connections).toHaveLength(0);
  });
});

describe('the limit of connectSocks5', () => {
  const HANDSHAKE_MS = 20_000;

  beforeAll(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  });

  afterAll(() => {
    jest.useRealTimers();
  });

  it.each<[string, readonly ScriptStep[], string, (connection: ScriptedConnection) => boolean]>([
    ['is silent', [{ then: 'stall' }], 'method', ({ received }) => received.length > 0],
    ['never replies', [...greeted(), { then: 'stall' }], 'request', ({ target }) => target !== undefined],
  ])('ends when the server %s, and closes', async (_what, script, phase, isAsked) => {
    await using server = await serverOf(() => script);
    const attempt = failure(dial(server, { timeout: HANDSHAKE_MS }));
    await until(() => server.connections.some(isAsked));
    jest.advanceTimersByTime(HANDSHAKE_MS);
    expect(await attempt).toMatchObject({ code: 'SOCKS5.TIMEOUT', phase });
    await gone(server.connections[0]!.socket);
  });
});
