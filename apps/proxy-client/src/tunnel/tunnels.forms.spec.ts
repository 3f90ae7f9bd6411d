import type { Socket } from 'node:net';
import { greeted, granting, replying, ScriptedSocks5Server, type ScriptStep } from '#socks5-protocol/testing';
import { readAll, readUntil } from './testing/open-tunnel.js';
import { RunningProxy, type ProxySettings } from '../proxy/testing/running-proxy.js';
import { until } from '../../../../test/support/until.js';

const TARGET = 'example.com:443';
const SUCCESS = Buffer.from('05000001000000000000', 'hex');
/** A field as nearly all clients write it, and one of as many bytes that is written in another way. */
const [PLAIN, ODD] = ['X: od\r\n', 'X:odd\r\n'];

const withoutDate = (text: string) => text.replaceAll(/^Date: .*\r\n/gm, '');

interface Side {
  readonly proxy: RunningProxy;
  readonly server: ScriptedSocks5Server;
  /** A CONNECT of the form that is looked at. */
  readonly head: (target?: string, host?: string) => string;
}

type Run = (side: Side) => Promise<unknown>;

const hostOf = (target: string) => `Host: ${target}\r\n`;

/** Does the same with a CONNECT of either form, and expects the same to be seen. */
async function expectSame(
  script: () => readonly ScriptStep[],
  run: Run,
  options: Partial<ProxySettings> = {},
): Promise<unknown> {
  const seen = await look(PLAIN, script, run, options);
  expect(await look(ODD, script, run, options)).toEqual(seen);
  return seen;
}

async function look(
  fields: string,
  script: () => readonly ScriptStep[],
  run: Run,
  options: Partial<ProxySettings>,
): Promise<unknown> {
  const server = await new ScriptedSocks5Server(script).listen();
  const proxy = await RunningProxy.start({
    upstream: { kind: 'socks5', host: '127.0.0.1', port: server.port, handshake: 'stepwise', warm: 0 },
    logLevel: 'debug',
    ...options,
  });
  const head: Side['head'] = (target = TARGET, host = hostOf(target)) =>
    `CONNECT ${target} HTTP/1.1\r\n${host}${fields}\r\n`;
  try {
    return await run({ proxy, server, head });
  } finally {
    await proxy[Symbol.asyncDispose]();
    await server.close();
  }
}

/** Everything but when: counters, and lines of the log. */
function traces({ proxy }: Side) {
  const { totalConnections, activeConnections, successfulRequests, failedRequests, ...others } = proxy.stats.snapshot();
  const { bytesSent, bytesReceived, socks5Errors } = others;
  return {
    counts: [totalConnections, activeConnections, successfulRequests, failedRequests, bytesSent, bytesReceived],
    errors: Object.entries(socks5Errors).filter(([, count]) => count > 0),
    log: proxy.log.map((line) => ({ ...line, ms: undefined })),
  };
}

const left = ({ proxy }: Side) => proxy.open === 0;

describe('CONNECT is handled the same in all spellings', () => {
  it('when it succeeds, with bytes after it and half-close', async () => {
    const seen = await expectSame(
      () => granting('echo'),
      async (side) => {
        const socket = side.proxy.connect();
        socket.end(`${side.head()}GET / HTTP/1.1\r\n\r\n`);
        const text = (await readAll(socket)).toString();
        await until(() => left(side) && side.proxy.log.length === 2);
        return { text, ...traces(side) };
      },
    );
    expect(seen).toMatchObject({
      text: 'HTTP/1.1 200 Connection established\r\n\r\nGET / HTTP/1.1\r\n\r\n',
      counts: [1, 0, 1, 0, 18, 18],
      log: [{ message: 'tunnel opened' }, { message: 'tunnel ended', end: 'finished', sent: 18, received: 18 }],
    });
  });

  it.each([
    ['the upstream refuses', TARGET, hostOf(TARGET), 502],
    ['the port is out of range', 'example.com:70000', hostOf('example.com'), 400],
    ['the port is missing', 'example.com', hostOf('example.com'), 400],
    ['the host is malformed', '[::g]:443', hostOf('example.com'), 400],
    ['there is no Host', TARGET, '', 400],
    ['there are two Hosts', TARGET, hostOf(TARGET) + hostOf(TARGET), 400],
  ])('when %s: bytes behind it are not read', async (_what, target, host, status) => {
    const seen = await expectSame(
      () => replying(5),
      async (side) => {
        const socket = side.proxy.connect();
        socket.write(side.head(target, host) + side.head());
        const text = withoutDate((await readAll(socket)).toString());
        socket.end();
        await until(() => left(side));
        return { text, asked: side.server.connections.length, ...traces(side) };
      },
    );
    const counted = status === 502;
    expect(seen).toMatchObject({
      text: expect.stringMatching(
        new RegExp(`^HTTP/1\\.1 ${status} [^]*\\r\\nConnection: close\\r\\n\\r\\n[^\\r]*$`),
      ) as string,
      asked: counted ? 1 : 0,
      counts: [counted ? 1 : 0, 0, 0, counted ? 1 : 0, 0, 0],
      log: [{ level: 'warn', status, message: 'request failed' }],
    });
  });

  it('when the upstream does not answer in time', async () => {
    const seen = await expectSame(
      () => [...greeted(), { then: 'stall' }],
      async (side) => {
        const socket = side.proxy.connect();
        socket.write(side.head());
        return { text: withoutDate((await readAll(socket)).toString()), ...traces(side) };
      },
      { timeouts: { handshake: 50 } },
    );
    expect(seen).toMatchObject({ text: expect.stringMatching(/^HTTP\/1\.1 504 /) as string, errors: [['timeout', 1]] });
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ['resets', (socket) => socket.resetAndDestroy()],
    ['has finished sending', (socket) => socket.end()],
  ])('when the client %s before there is a tunnel: nothing is counted', async (_what, leave) => {
    const seen = await expectSame(
      () => [...greeted(), { then: 'stall' }],
      async (side) => {
        const socket = side.proxy.connect().on('error', () => undefined);
        socket.write(side.head());
        await until(() => side.server.connections[0]?.target !== undefined);
        leave(socket);
        await until(() => left(side) && side.server.connections[0]!.socket.readableEnded);
        socket.destroy();
        return traces(side);
      },
    );
    expect(seen).toEqual({ counts: [1, 0, 0, 0, 0, 0], errors: [], log: [] });
  });

  it('when the client sends more ahead than is held: the rest waits in the kernel, and all of it arrives', async () => {
    const early = 'x'.repeat(8_000_000);
    const seen = await expectSame(
      () => [...greeted(), { then: 'stall' }],
      async (side) => {
        const socket = side.proxy.connect();
        socket.write(side.head() + early);
        await until(() => side.server.connections[0]?.target !== undefined);
        const waits = socket.writableLength > 0;
        const upstream = side.server.connections[0]!.socket;
        let got = 0;
        upstream.removeAllListeners('data').on('data', (chunk: Buffer) => (got += chunk.length));
        upstream.write(SUCCESS);
        await until(() => got === early.length);
        socket.resetAndDestroy();
        await until(() => left(side));
        return [waits, traces(side).counts];
      },
    );
    expect(seen).toEqual([true, [1, 0, 1, 0, early.length, 0]]);
  });

  it('when it arrives in pieces, one byte at a time', async () => {
    const seen = await expectSame(
      () => granting('echo'),
      async (side) => {
        const socket = side.proxy.connect().setNoDelay(true);
        for (const char of `${side.head()}ping`) {
          socket.write(char);
          await new Promise((resolve) => setImmediate(resolve));
        }
        const text = await readUntil(socket, (answer) => answer.endsWith('ping'));
        socket.destroy();
        return text;
      },
    );
    expect(seen).toBe('HTTP/1.1 200 Connection established\r\n\r\nping');
  });

  it('when nothing is sent through the tunnel: timeouts.idle does not apply to it', async () => {
    const seen = await expectSame(
      () => granting('echo'),
      async (side) => {
        const sockets = [side.proxy.connect(), side.proxy.connect()] as const;
        sockets[0].write(side.head());
        await readUntil(sockets[0], (text) => text.endsWith('\r\n\r\n'));
        // A connection that waits for a request is closed: by then the tunnel has been looked at as often.
        sockets[1].write('GET /stats HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
        await readAll(sockets[1]);
        sockets[0].write('still there');
        const text = await readUntil(sockets[0], (answer) => answer.length === 11);
        for (const socket of sockets) socket.destroy();
        return text;
      },
      { timeouts: { idle: 50 } },
    );
    expect(seen).toBe('still there');
  });

  it('when the proxy ends: the tunnel may finish', async () => {
    const seen = await expectSame(
      () => granting('echo'),
      async (side) => {
        const socket = side.proxy.connect();
        socket.write(side.head());
        await readUntil(socket, (text) => text.endsWith('\r\n\r\n'));
        const drained = side.proxy.close();
        socket.end('last words');
        const text = (await readAll(socket)).toString();
        await drained;
        return [text, traces(side).counts];
      },
    );
    expect(seen).toEqual(['last words', [1, 0, 1, 0, 10, 10]]);
  });
});
