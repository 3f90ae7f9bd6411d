import { encodeReply } from '#socks5-protocol';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import { RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { until } from '../../../../test/support/until.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';
import { readAll } from '../tunnel/testing/open-tunnel.js';
import { hashPassword } from '../users/password-hash.js';
import { Crowd } from '../users/testing/crowd.js';

const CHEAP = { logN: 4, blockSize: 1, parallel: 1 };
/** Takes long enough for everything else to come meanwhile, without being waited for. */
const SLOW = { logN: 11, blockSize: 8, parallel: 1 };
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';

let origin: RawOrigin;
let socks: LocalSocks5Server;
let proxy: RunningProxy;

beforeAll(async () => {
  origin = await RawOrigin.start((side, head) => {
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (length === 0) side.write(OK);
    else side.onceItHas('end of the body', () => side.write(OK));
  });
  socks = new LocalSocks5Server();
  await socks.listen();
});

afterAll(async () => {
  await origin[Symbol.asyncDispose]();
  await socks.close();
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
});

async function start(cost = CHEAP): Promise<void> {
  const users = [
    { name: 'ann', password: await hashPassword('one', cost) },
    { name: 'bob', password: 'two' },
  ];
  proxy = await RunningProxy.start({
    upstream: { kind: 'socks5', ...socks.address, handshake: 'auto', warm: 0 },
    listener: { mode: 'mixed', users },
  });
}

const basic = (user: string, password: string) =>
  `Proxy-Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}\r\n`;
const ANN = basic('ann', 'one');
const get = (fields = '', path = '/') =>
  `GET ${origin.url}${path} HTTP/1.1\r\nHost: ${origin.authority}\r\n${fields}\r\n`;
const connect = (fields = '') => `CONNECT ${origin.authority} HTTP/1.1\r\nHost: ${origin.authority}\r\n${fields}\r\n`;
const post = (body: string, fields = '', length = body.length) =>
  `POST ${origin.url}/ HTTP/1.1\r\nHost: ${origin.authority}\r\nContent-Length: ${length}\r\n${fields}\r\n${body}`;
const statuses = (text: string) => text.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9)));
/** Removes the Date. */
const undated = (answer: string) => answer.replace(/Date: .*\r\n/, '');

async function all(...texts: readonly string[]): Promise<string> {
  const connection = await RawConnection.open(proxy.url);
  return connection.write(texts.join('')).closed;
}

describe('users of HTTP', () => {
  it('are asked for a password, and continue on the same connection', async () => {
    await start();
    const client = await RawConnection.open(proxy.url);
    const asked = await client.write(get()).until('\n\r\n');
    expect(asked).toMatch(/^HTTP\/1\.1 407 Proxy Authentication Required\r\n/);
    expect(asked).toContain('\r\nProxy-Authenticate: Basic realm="proxy-client", charset="UTF-8"\r\n');
    expect(asked).toContain('\r\nConnection: keep-alive\r\n');
    await client.until('client.\n');
    await client.write(get(ANN)).until('hello');
    client.write(get(basic('bob', 'two')));
    await until(() => statuses(client.received)?.length === 3);
    expect(statuses(client.received)).toEqual([407, 200, 200]);
    client.socket.destroy();
    expect(origin.heads.join('')).not.toMatch(/proxy-/i);
    expect(JSON.stringify(proxy.log)).not.toMatch(/YW5u|Ym9i|Basic|"one"/);
  });

  it('are asked again after a CONNECT on a new connection, and get their tunnel with the bytes that they sent early', async () => {
    await start();
    const refused = await RawConnection.open(proxy.url);
    refused.write(`${connect()}never parsed`);
    expect(await refused.closed).toMatch(/^HTTP\/1\.1 407 [^]*\r\nConnection: close\r\n/);
    const tunnel = await RawConnection.open(proxy.url);
    tunnel.write(`${connect(ANN)}GET / HTTP/1.1\r\n`).write('Host: here\r\n\r\n');
    expect(await tunnel.until('hello')).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK/);
    tunnel.socket.destroy();
  });

  it.each([
    ['unknown', basic('eve', 'one')],
    ['wrong', basic('ann', 'two')],
    ['wrong, of a user whose password is not hashed', basic('bob', 'one')],
  ])('get the same refusal (%s)', async (_, fields) => {
    await start();
    const answer = await all(get(`${fields}Connection: close\r\n`));
    expect(undated(answer).split('\r\n\r\n')).toEqual([
      [
        'HTTP/1.1 407 Proxy Authentication Required',
        'Content-Type: text/plain; charset=utf-8',
        'Proxy-Status: proxy-client; error=http_request_denied',
        'Proxy-Authenticate: Basic realm="proxy-client", charset="UTF-8"',
        'Content-Length: 76',
        'Connection: close',
      ].join('\r\n'),
      'The user name or password is wrong. Check the proxy settings of the client.\n',
    ]);
    expect(proxy.log.at(-1)).toMatchObject({ level: 'warn', category: 'authentication_failed' });
  });

  it.each([
    ['another scheme', 'Proxy-Authorization: Bearer abc\r\n'],
    ['no colon', 'Proxy-Authorization: Basic YW5u\r\n'],
    ['two fields', `${ANN}${ANN}`],
  ])('must use Basic in its exact form (%s)', async (_, fields) => {
    await start();
    expect(statuses(await all(get(`${fields}Connection: close\r\n`)))).toEqual([407]);
    expect(proxy.counted).toEqual([0, 0]);
    expect(proxy.log.at(-1)).toMatchObject({ level: 'debug', category: 'authentication_required' });
  });

  it('are authenticated by each request, also if it is not the first one', async () => {
    await start();
    const requests = [get(ANN), get(ANN), get(basic('ann', 'oneX')), get(), get(ANN), get(basic('bob', 'two'))];
    expect(statuses(await all(...requests, get(`${ANN}Connection: close\r\n`)))).toEqual([
      ...[200, 200, 407, 407, 200, 200, 200],
    ]);
    expect(proxy.stats.snapshot().users).toMatchObject([
      { name: 'ann', successfulRequests: 4 },
      { name: 'bob', successfulRequests: 1 },
    ]);
  });

  it('have their bodies held while a password is checked', async () => {
    await start(SLOW);
    const body = `${'b'.repeat(300_000)}end of the body`;
    const client = await RawConnection.open(proxy.url);
    client.write(post(body, ANN)).write(get(ANN, '/behind'));
    await until(() => (statuses(client.received)?.length ?? 0) === 2);
    expect(statuses(client.received)).toEqual([200, 200]);
    expect(origin.sides.some(({ received }) => received.includes(body))).toBe(true);
    client.socket.destroy();
  });

  it('have their bodies held wherever the bytes are split', async () => {
    await start();
    const text = `${post('some text, end of the body', ANN)}${get(`${ANN}Connection: close\r\n`)}`;
    const from = text.indexOf('\r\n\r\n') - 2;
    for (let cut = from; cut < from + 36; cut += 3) {
      const client = await RawConnection.open(proxy.url);
      client.socket.setNoDelay(true);
      client.write(text.slice(0, cut));
      await proxy.idle();
      expect([cut, statuses(await client.write(text.slice(cut)).closed)]).toEqual([cut, [200, 200]]);
      // So that the password is checked again.
      await proxy[Symbol.asyncDispose]();
      await start();
    }
  });

  it('have a short body discarded after a 407, and continue', async () => {
    await start();
    const client = await RawConnection.open(proxy.url);
    await client.write(post('first half ', '', 22)).until('client.\n');
    await client.write('second half').write(get(ANN)).until('hello');
    expect(statuses(client.received)).toEqual([407, 200]);
    client.socket.destroy();
  });

  it.each([
    ['a long body', () => post('x', '', 1_048_577)],
    ['chunks', () => `POST ${origin.url}/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n`],
    ['a body that waits for 100', () => post('', 'Expect: 100-continue\r\n', 10)],
  ])('are asked on a connection that closes after %s', async (_, text) => {
    await start();
    const client = await RawConnection.open(proxy.url);
    const answer = await client.write(text()).closed;
    expect(answer).toMatch(/^HTTP\/1\.1 407 [^]*\r\nConnection: close\r\n/);
    expect(statuses(answer)).toEqual([407]);
  });

  it('are not asked after a malformed request, which closes the connection', async () => {
    await start();
    const text = `POST ${origin.url}/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${get(ANN)}`;
    expect(statuses(await all(text))).toEqual([400]);
  });

  it('see /stats and /health without a password, as monitoring does', async () => {
    await start();
    expect((await fetch(`${proxy.url}/stats`)).status).toBe(200);
  });

  it('get 503 while too many passwords are being checked', async () => {
    await start();
    await using others = new AsyncDisposableStack();
    others.use(await Crowd.gather(proxy.passwordChecks));
    const answer = await all(get(`${ANN}Connection: close\r\n`));
    expect(statuses(answer)).toEqual([503]);
    expect(answer).toContain('too many passwords');
  });
});

describe('users of SOCKS5', () => {
  const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
  const login = (user: string, password: string) =>
    Buffer.concat([
      Buffer.from([1, user.length]),
      Buffer.from(user),
      Buffer.from([password.length]),
      Buffer.from(password),
    ]);
  const request = () => {
    const port = Buffer.alloc(2);
    port.writeUInt16BE(origin.port);
    return Buffer.concat([bytes('05010001 7f000001'), port]);
  };

  async function answerTo(...parts: readonly Uint8Array[]): Promise<string> {
    const socket = proxy.connect();
    socket.write(Buffer.concat(parts));
    const answer = await readAll(socket);
    expect(socket.readableEnded).toBe(true);
    socket.destroy();
    return answer.toString('hex');
  }

  it('get their tunnel in one flight with early bytes, also while a password is checked', async () => {
    await start(SLOW);
    for (const [user, password] of [
      ['ann', 'one'],
      ['ann', 'one'],
      ['bob', 'two'],
    ] as const) {
      const client = await RawConnection.open(proxy.url);
      client.socket.write(Buffer.concat([bytes('05020002'), login(user, password), request(), Buffer.from(get())]));
      const answer = await client.until('hello');
      expect(Buffer.from(answer, 'latin1').toString('hex')).toMatch(
        `05020100${Buffer.from(encodeReply(0)).toString('hex')}`,
      );
      client.socket.destroy();
    }
    await until(() => proxy.open === 0);
    const [ann, bob] = proxy.stats.snapshot().users;
    expect([ann, bob]).toMatchObject([
      { name: 'ann', successfulRequests: 2, failedRequests: 0 },
      { name: 'bob', successfulRequests: 1, failedRequests: 0 },
    ]);
    expect([ann!.bytesSent > 2 * get().length, ann!.bytesReceived > 2 * OK.length]).toEqual([true, true]);
  });

  it.each([
    ['unknown', 'eve', 'one'],
    ['wrong', 'ann', 'two'],
    ['wrong, of a user whose password is not hashed', 'bob', 'one'],
    ['empty', '', ''],
  ])('are refused in the same way (%s)', async (_, user, password) => {
    await start();
    expect(await answerTo(bytes('050102'), login(user, password), request())).toBe('05020101');
    expect(proxy.log.at(-1)).toMatchObject({ category: 'authentication_failed' });
    expect(JSON.stringify(proxy.log)).not.toMatch(/"(?:eve|ann|bob|one|two)"/);
  });

  it('must offer a password', async () => {
    await start();
    expect(await answerTo(bytes('050100'), request())).toBe('05ff');
    expect(proxy.log.at(-1)).toMatchObject({ level: 'debug', category: 'authentication_required' });
  });
});
