import { once } from 'node:events';
import type { Socket } from 'node:net';
import { encodeReply } from '#socks5-protocol';
import { granting, greeted, replying, ScriptedSocks5Server, type ScriptStep } from '#socks5-protocol/testing';
import { until } from '../../../../test/support/until.js';
import { RunningProxy, type ProxySettings } from '../proxy/testing/running-proxy.js';
import { readAll } from '../tunnel/testing/open-tunnel.js';

type Script = (index: number) => readonly ScriptStep[];

const GREETING = '050100';
const NAME = '0b6578616d706c652e636f6d';
const PORT = '01bb';
const REQUEST = `05010003${NAME}${PORT}`;
const CHOSEN = '0500';
const SUCCESS = '05000001000000000000';
const reply = (code: number) => Buffer.from(encodeReply(code)).toString('hex');
const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

let upstream: ScriptedSocks5Server;
let proxy: RunningProxy;

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await upstream.close();
});

async function start(script: Script = () => granting(), settings: ProxySettings = {}): Promise<void> {
  upstream = await new ScriptedSocks5Server(script).listen();
  proxy = await RunningProxy.start({
    upstream: { kind: 'socks5', host: '127.0.0.1', port: upstream.port, handshake: 'stepwise', warm: 0 },
    listener: { mode: 'mixed' },
    ...settings,
  });
}

/** Sends chunks, each after the previous one was read, and returns what is received until it ends with `end`. */
async function send(...pieces: readonly string[]): Promise<Socket> {
  const socket = proxy.connect();
  socket.on('error', () => undefined).setNoDelay(true);
  await once(socket, 'connect');
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await proxy.idle();
    socket.write(bytes(piece));
  }
  return socket;
}

/** Returns what is received until it has that number of bytes. */
async function receive(socket: Socket, length: number): Promise<string> {
  let got = Buffer.alloc(0);
  const collect = (chunk: Buffer): void => {
    got = Buffer.concat([got, chunk]);
  };
  socket.on('data', collect);
  await until(() => got.length >= length || socket.readableEnded || socket.destroyed);
  socket.off('data', collect);
  return got.toString('hex');
}

/** All that comes until the end; the connection must not be reset. */
async function answerTo(...pieces: readonly string[]): Promise<string> {
  const socket = await send(...pieces);
  const answer = await readAll(socket);
  expect(socket.readableEnded).toBe(true);
  socket.end();
  return answer.toString('hex');
}

describe('a SOCKS5 client', () => {
  it('gets a tunnel, which begins with the bytes after its request, in one flight or in steps', async () => {
    await start();
    const flight = await send(`${GREETING}${REQUEST}616263`);
    expect(await receive(flight, 15)).toBe(`${CHOSEN}${SUCCESS}616263`);
    const steps = await send(GREETING);
    expect(await receive(steps, 2)).toBe(CHOSEN);
    steps.write(bytes(REQUEST));
    expect(await receive(steps, 10)).toBe(SUCCESS);
    steps.write('xyz');
    expect(await receive(steps, 3)).toBe('78797a');
    expect(upstream.connections.map(({ target }) => target?.host)).toEqual(['example.com', 'example.com']);
    expect(proxy.stats.snapshot()).toMatchObject({ totalConnections: 2, activeConnections: 2, successfulRequests: 2 });
    flight.destroy();
    steps.destroy();
    await until(() => proxy.open === 0);
  });

  it('is served wherever its bytes are split', async () => {
    await start();
    const all = `${GREETING}${REQUEST}${Buffer.from('early').toString('hex')}`;
    for (let cut = 2; cut < all.length; cut += 2) {
      const socket = await send(all.slice(0, cut), all.slice(cut));
      expect([cut, await receive(socket, 17)]).toEqual([cut, `${CHOSEN}${SUCCESS}${all.slice(-10)}`]);
      socket.destroy();
    }
  });

  it.each([
    ['an IPv4 address', `05010001 01020304 ${PORT}`, { host: '1.2.3.4', addressType: 1 }],
    ['a name', `05010003 ${NAME} ${PORT}`, { host: 'example.com', addressType: 3 }],
    ['an IPv6 address', `05010004 ${'00'.repeat(15)}01 ${PORT}`, { host: '::1', addressType: 4 }],
    ['an address as a name', `05010003 03 3a3a31 ${PORT}`, { host: '::1', addressType: 4 }],
    [
      'a name in UTF-8',
      `05010003 0f ${Buffer.from('bücher.example').toString('hex')} ${PORT}`,
      { host: 'xn--bcher-kva.example', addressType: 3 },
    ],
    [
      'a name in capitals',
      `05010003 09 ${Buffer.from('A.Example').toString('hex')} ${PORT}`,
      { host: 'A.Example', addressType: 3 },
    ],
  ])('specifies its target by %s', async (_, request, target) => {
    await start();
    const socket = await send(GREETING, request);
    expect(await receive(socket, 12)).toBe(`${CHOSEN}${SUCCESS}`);
    expect(upstream.connections[0]!.target).toEqual({ ...target, port: 443 });
  });

  it.each([
    ['BIND', `05020001 01020304 ${PORT}`, 7],
    ['UDP ASSOCIATE', '05030001 00000000 0000', 7],
    ['an unknown command', `05090001 01020304 ${PORT}`, 7],
    ['an unknown type of address', '05010005 0102', 8],
    ['an empty name', `05010003 00 ${PORT}`, 1],
    ['port 0', '05010001 01020304 0000', 1],
    ['a name that none is', `05010003 05 610d0a6262 ${PORT}`, 1],
    ['a name that is not UTF-8', `05010003 03 61fc62 ${PORT}`, 1],
    ['a name with a NUL', `05010003 03 610062 ${PORT}`, 1],
    ['a zone', `05010003 08 666538303a3a3161 ${PORT}`.replace('3161', '2561'), 1],
  ])('is refused %s without a dial', async (_, request, code) => {
    await start();
    expect(await answerTo(GREETING, request)).toBe(`${CHOSEN}${reply(code)}`);
    expect(upstream.connections).toHaveLength(0);
    expect(proxy.counted).toEqual([0, 0]);
    expect(proxy.log.at(-1)).toMatchObject({ category: 'bad_request' });
  });

  it.each([
    ['offers no method that is known', '050101', '05ff'],
    ['offers no method', '0500', '05ff'],
    ['offers a password only, where none is wanted', '050102', '05ff'],
    ['speaks SOCKS4', '040101bb01020304 00', '005b000000000000'],
    ['changes the version', `${GREETING}04010001`, CHOSEN],
  ])('that %s gets the matching refusal', async (_, sent, answer) => {
    await start();
    expect(await answerTo(sent)).toBe(answer);
    expect(proxy.log.at(-1)).toMatchObject({ category: 'bad_request' });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 0xf0, 0xff])('gets reply %d of the upstream unchanged', async (code) => {
    await start(() => replying(code));
    expect(await answerTo(GREETING, `${REQUEST}6561726c79`)).toBe(`${CHOSEN}${reply(code)}`);
    expect(proxy.counted).toEqual([0, 1]);
    expect(proxy.log.at(-1)).toMatchObject({ method: 'SOCKS5', target: 'example.com:443', replyCode: code });
  });

  it('gets the reply of the failure if the upstream has sent none', async () => {
    await start(() => [{ read: 'greeting' }, { write: Uint8Array.of(5, 0xff) }, { then: 'close' }]);
    expect(await answerTo(`${GREETING}${REQUEST}`)).toBe(`${CHOSEN}${reply(1)}`);
    await proxy[Symbol.asyncDispose]();
    await upstream.close();
    await start(() => [...greeted(), { then: 'stall' }], { timeouts: { handshake: 100 } });
    expect(await answerTo(`${GREETING}${REQUEST}`)).toBe(`${CHOSEN}${reply(6)}`);
    expect(proxy.stats.snapshot().socks5Errors).toMatchObject({ timeout: 1 });
  });

  it('has its early bytes held until its tunnel is open', async () => {
    await start(() => [...greeted(), { then: 'stall' }]);
    const socket = await send(`${GREETING}${REQUEST}`);
    await until(() => upstream.connections[0]?.target !== undefined);
    const [side] = upstream.connections;
    const early = Buffer.alloc(1_048_576, 'e');
    const asked = side!.received.length;
    socket.write(early);
    await proxy.idle();
    expect(side!.received).toHaveLength(asked);
    side!.socket.write(encodeReply(0));
    await until(() => side!.received.length === asked + early.length);
    socket.destroy();
  });

  it('that finishes sending before its tunnel is open has disconnected, unless bytes followed its request', async () => {
    await start(() => [...greeted(), { then: 'stall' }]);
    const left = await send(`${GREETING}${REQUEST}`);
    await until(() => upstream.connections[0]?.target !== undefined);
    left.end();
    await until(() => proxy.open === 0);
    expect(proxy.counted).toEqual([0, 0]);
    upstream.script = () => granting();
    const half = await send(`${GREETING}${REQUEST}61`);
    half.end();
    expect(await receive(half, 13)).toBe(`${CHOSEN}${SUCCESS}61`);
  });

  it('is closed without a reply if its whole handshake takes longer than timeouts.read', async () => {
    const read = 30_000;
    await start(undefined, { timeouts: { read }, holdsTime: true });
    const silent = proxy.connect();
    const dribbling = await send('0501', '00');
    expect(await receive(dribbling, 2)).toBe(CHOSEN);
    for (const piece of ['05', '01', '00', '03', 'ff']) {
      dribbling.write(bytes(piece));
      await proxy.idle();
      await proxy.pass(read / 4);
    }
    expect([(await readAll(silent)).length, (await readAll(dribbling)).length]).toEqual([0, 0]);
    expect([silent.readableEnded, dribbling.readableEnded]).toEqual([true, true]);
    expect(proxy.counted).toEqual([0, 0]);
  });

  it('over the limit of connections gets reply 1', async () => {
    await start(undefined, { limits: { connections: 1 }, listener: { mode: 'socks5' } });
    const first = proxy.connect();
    await until(() => proxy.open === 1);
    expect(await answerTo(`${GREETING}${REQUEST}`)).toBe(`${CHOSEN}${reply(1)}`);
    expect(proxy.log.at(-1)).toMatchObject({ category: 'connection_limit' });
    first.destroy();
  });
});

describe('the modes of a listener', () => {
  it('answers HTTP clients of a SOCKS5 listener in HTTP', async () => {
    await start(undefined, { listener: { mode: 'socks5' } });
    const socket = proxy.connect();
    socket.end('GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n');
    expect((await readAll(socket)).toString()).toMatch(/^HTTP\/1\.1 400 [^]*details="not SOCKS5"/);
  });

  it('serves HTTP and SOCKS5 in mode mixed, and closes silent connections when it shuts down', async () => {
    await start();
    const silent = proxy.connect();
    await once(silent, 'connect');
    const tunnel = proxy.connect();
    tunnel.write('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\nabc');
    await receive(tunnel, 42);
    expect(upstream.connections[0]!.target).toMatchObject({ host: 'example.com' });
    expect((await fetch(`${proxy.url}/stats`)).status).toBe(200);
    const closing = proxy.close();
    await once(silent.resume(), 'end');
    tunnel.destroy();
    await closing;
  });

  it('connects each client to one target in mode tunnel, whichever side sends first', async () => {
    const listener = { mode: 'tunnel', to: { host: 'db.example', port: 5432 } } as const;
    let asked = '';
    const ready = (socket: Socket): void => {
      socket.on('data', (chunk) => (asked += chunk.toString())).write('ready');
    };
    await start(() => granting(ready), { listener });
    const socket = proxy.connect();
    expect(Buffer.from(await receive(socket, 5), 'hex').toString()).toBe('ready');
    expect(upstream.connections[0]!.target).toMatchObject({ host: 'db.example', port: 5432 });
    socket.write('query');
    await until(() => asked === 'query');
    expect(proxy.counted).toEqual([1, 0]);
    socket.destroy();
  });

  it('delivers the bytes of a target to a client that has finished sending before the tunnel is open', async () => {
    let held: Socket | undefined;
    await start(() => [...greeted(), { then: (socket) => (held = socket) }], {
      listener: { mode: 'tunnel', to: { host: 'db.example', port: 5432 } },
    });
    const socket = proxy.connect();
    socket.end();
    await until(() => held !== undefined);
    held!.write(Buffer.concat([bytes(SUCCESS), Buffer.from('ready')]));
    await once(held!.resume(), 'end');
    held!.end();
    expect((await readAll(socket)).toString()).toBe('ready');
    await until(() => proxy.open === 0);
    expect(proxy.counted).toEqual([1, 0]);
  });

  it('resets a connection whose tunnel cannot be opened', async () => {
    await start(() => replying(5), { listener: { mode: 'tunnel', to: { host: 'db.example', port: 5432 } } });
    const socket = proxy.connect();
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
    expect(proxy.log.at(-1)).toMatchObject({ method: 'tunnel', target: 'db.example:5432', replyCode: 5 });
  });

  it('bounds a tunnel that leads back to its own port by the limit of connections, and ends it with its client', async () => {
    let most = 0;
    // A server on the same machine that resolves the name to the listener.
    const onward = (socket: Socket): void => {
      const next = proxy.connect();
      for (const [from, to] of [
        [socket, next],
        [next, socket],
      ] as const) {
        from.on('error', () => undefined).on('close', () => to.destroy());
        from.pipe(to);
      }
      most = Math.max(most, proxy.open);
    };
    await start(() => granting(onward), {
      listener: { mode: 'tunnel', to: { host: 'loop.example', port: 5433 } },
      limits: { connections: 20 },
    });
    const client = proxy.connect().on('error', () => undefined);
    await until(() => proxy.log.some(({ category }) => category === 'connection_limit'));
    client.destroy();
    await until(() => proxy.open === 0);
    expect(most).toBeGreaterThan(10);
    expect(most).toBeLessThanOrEqual(21);
  });
});
