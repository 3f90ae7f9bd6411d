import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { ThrowawayAuthority } from '../../../../test/support/throwaway-certificates.js';
import { until } from '../../../../test/support/until.js';
import { RunningProxy, type ProxySettings } from '../proxy/testing/running-proxy.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';
const CLOSE = 'Connection: close\r\n\r\n';

let authority: ThrowawayAuthority;
let tls: { readonly certificate: string; readonly key: string; readonly spki: string; readonly validUntil: string };
let origin: RawOrigin;
let proxy: RunningProxy;

beforeAll(async () => {
  authority = await ThrowawayAuthority.create('Test');
  const { certificate, privateKey: key } = await authority.issue('localhost');
  tls = { certificate, key, spki: '', validUntil: '' };
  origin = await RawOrigin.start((side) => {
    side.write(OK);
  });
});
afterAll(async () => {
  await origin[Symbol.asyncDispose]();
});
afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
});

const start = async ({ listener, ...settings }: ProxySettings = {}) => {
  proxy = await RunningProxy.start({ ...settings, listener: { tls, ...listener } });
};
const get = () => `GET ${origin.url}/ HTTP/1.1\r\nHost: ${origin.authority}\r\n${CLOSE}`;

/** A client that collects what it receives. */
class Client {
  readonly socket: Socket;
  readonly closed: Promise<string>;
  received = '';

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => (this.received += text));
    socket.on('error', () => undefined).on('end', () => socket.end());
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        resolve(this.received);
      });
    });
  }

  static plain(): Client {
    return new Client(connectPlain({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true }));
  }

  static async secure(options: ConnectionOptions = {}): Promise<Client & { readonly socket: TLSSocket }> {
    const to = { host: '127.0.0.1', port: proxy.port, ca: authority.root.certificate, servername: 'localhost' };
    const socket = connect({ ...to, ALPNProtocols: ['h2', 'http/1.1'], ...options });
    const client = new Client(socket);
    await once(socket, 'secureConnect');
    return client as Client & { readonly socket: TLSSocket };
  }

  write(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  async until(text: string): Promise<this> {
    await until(() => this.received.includes(text) || this.socket.destroyed);
    expect(this.received).toContain(text);
    return this;
  }
}

/** The type of records that contain an alert. */
const ALERT = 0x15;

/** Returns the type of the last record of a TLS connection. */
function lastRecordOf(bytes: Buffer): number | undefined {
  let type: number | undefined;
  for (let at = 0; at + 5 <= bytes.length; at += 5 + bytes.readUInt16BE(at + 3)) type = bytes[at];
  return type;
}

const failures = () => proxy.log.filter(({ message }) => message === 'request failed');

describe('TLS on a listener', () => {
  it('carries requests, tunnels and the own pages, with HTTP/1.1 by ALPN; clients without TLS use the same port', async () => {
    await start();
    const client = await Client.secure();
    expect(client.socket.alpnProtocol).toBe('http/1.1');
    expect(await client.write(get()).closed).toMatch(/^HTTP\/1\.1 200 OK[^]*hi$/);
    const tunnel = await Client.secure();
    await tunnel.write(`CONNECT ${origin.authority} HTTP/1.1\r\nHost: h\r\n\r\n`).until('established\r\n\r\n');
    await tunnel.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n').until('hi');
    tunnel.socket.destroy();
    const own = await Client.secure();
    expect(await own.write(`GET /health HTTP/1.1\r\nHost: localhost\r\n${CLOSE}`).closed).toContain('healthy');
    expect(await Client.plain().write(get()).closed).toMatch(/^HTTP\/1\.1 200 OK[^]*hi$/);
  });

  it.each(['socks5', 'mixed'] as const)('carries SOCKS5 in mode %s', async (mode) => {
    await start({ listener: { mode } });
    const client = await Client.secure();
    await client.write('\x05\x01\x00').until('\x05\x00');
    const port = Number(new URL(origin.url).port);
    await client.write(String.fromCharCode(5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255)).until('\x05\x00\x00\x01');
    await client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n').until('hi');
    client.socket.destroy();
    // And without TLS.
    const plain = await Client.plain().write('\x05\x01\x00').until('\x05\x00');
    plain.socket.destroy();
  });

  it('is required in mode tunnel, whose clients may send nothing first', async () => {
    const [host = '', port] = origin.authority.split(':');
    const to = { host, port: Number(port) };
    await start({ listener: { mode: 'tunnel', to, via: 'upstream' } });
    const client = await Client.secure();
    await client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n').until('hi');
    client.socket.destroy();
    expect(await Client.plain().write('GET / HTTP/1.1\r\nHost: h\r\n\r\n').closed).toContain('requires TLS');
  });

  /** A stream over a plain connection that a TLS client uses, one write at a time, and that shows what is received. */
  const carrier = async (send: (chunk: Buffer, to: Socket) => Promise<unknown>) => {
    const socket = connectPlain({ host: '127.0.0.1', port: proxy.port, noDelay: true });
    await once(
      socket.on('error', () => undefined),
      'connect',
    );
    const chunks: Buffer[] = [];
    const stream = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        void send(chunk, socket).then(() => {
          done();
        });
      },
    });
    socket
      .on('close', () => stream.push(null))
      .on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        stream.push(chunk);
      });
    return { socket, stream, chunks };
  };
  const sendAll = async (chunk: Buffer, to: Socket) => new Promise((resolve) => to.write(chunk, resolve));

  it('is recognized when the client hello arrives byte by byte', async () => {
    await start();
    const { socket, stream } = await carrier(async (chunk, to) => {
      for (const byte of chunk) await sendAll(Buffer.of(byte), to);
    });
    const client = await Client.secure({ socket: stream });
    await client.write(get()).until('hi');
    socket.destroy();
  });

  it.each(['a response', 'a tunnel'])('sends close_notify after the last bytes of %s', async (what) => {
    await start();
    const { stream, chunks } = await carrier(sendAll);
    // In TLS 1.3 the type of the record is encrypted.
    const client = await Client.secure({ socket: stream, maxVersion: 'TLSv1.2' });
    if (what === 'a tunnel') {
      await client.write(`CONNECT ${origin.authority} HTTP/1.1\r\nHost: h\r\n\r\n`).until('established\r\n\r\n');
    }
    expect(await client.write(get().replace(origin.url, what === 'a tunnel' ? '' : origin.url)).until('hi')).toBe(
      client,
    );
    if (what === 'a tunnel') origin.sides.at(-1)!.socket.end();
    await until(() => lastRecordOf(Buffer.concat(chunks)) === ALERT);
    stream.destroy();
  });

  const openTunnel = async (options: ConnectionOptions = {}) => {
    await start();
    const socket = connectPlain({ host: '127.0.0.1', port: proxy.port }).on('error', () => undefined);
    const client = await Client.secure({ socket, ...options });
    await client.write(`CONNECT ${origin.authority} HTTP/1.1\r\nHost: h\r\n\r\n`).until('established\r\n\r\n');
    await client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n').until('hi');
    return { socket, client, side: origin.sides.at(-1)! };
  };

  it('closes a tunnel when a record is corrupt: both ends stayed open', async () => {
    const { socket, client, side } = await openTunnel();
    socket.write(Buffer.concat([Buffer.from('1703030020', 'hex'), randomBytes(32)]));
    await Promise.all([client.closed, side.closed]);
    // A truncated transfer must not look complete to the target.
    expect([side.socket.errored, proxy.open]).toEqual([expect.objectContaining({ code: 'ECONNRESET' }), 0]);
    expect(proxy.ends).toEqual([{ status: 200, relay: 'broken' }]);
  });

  it('refuses renegotiation in TLS 1.2: a client could start any number of handshakes', async () => {
    const { client } = await openTunnel({ maxVersion: 'TLSv1.2' });
    const refused = once(client.socket, 'error');
    const renegotiated = new Promise((resolve) => client.socket.renegotiate({}, resolve));
    expect(await Promise.race([renegotiated, refused])).toMatchObject([{ code: 'ERR_SSL_NO_RENEGOTIATION' }]);
    await until(() => proxy.open === 0);
  });

  it('keeps the order of pipelined requests while a password is checked', async () => {
    await start({ listener: { users: [{ name: 'ann', password: 'secret' }] } });
    const client = await Client.secure();
    const credentials = `Proxy-Authorization: Basic ${Buffer.from('ann:secret').toString('base64')}\r\n`;
    const request = `POST ${origin.url}/ HTTP/1.1\r\nHost: h\r\nContent-Length: 20000\r\n${credentials}\r\n${'x'.repeat(20_000)}`;
    const answers = await client
      .write(request)
      .write(request)
      .write(get().replace('Connection', `${credentials}Connection`)).closed;
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(3).fill('HTTP/1.1 200'));
  });

  it('refuses clients without TLS where it is required: HTTP with a reason, others by closing', async () => {
    await start({ listener: { mode: 'mixed', tlsOnly: true } });
    const answer = await Client.plain().write(get()).closed;
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*This listener of the proxy requires TLS/);
    expect(await Client.plain().write('\x05\x01\x00').closed).toBe('');
    expect(failures().map(({ category }) => category)).toEqual(['client_tls_required', 'client_tls_required']);
  });
});

describe('a TLS handshake', () => {
  const hello = Buffer.from('16030100c8010000c40303', 'hex');
  const open = async (bytes: Buffer | string): Promise<Client> => {
    const client = Client.plain();
    await once(client.socket, 'connect');
    await new Promise((resolve) => client.socket.write(bytes, resolve));
    return client;
  };

  it.each([
    ['garbage', async () => (await open('\x16garbage, garbage, garbage')).closed],
    ['a reset', async () => (await open(hello)).socket.resetAndDestroy()],
    ['the end of what the client sends', async () => (await open(hello)).socket.end()],
    ['a client that does not trust the certificate', async () => Client.secure({ ca: [] }).catch(() => 0)],
    ['HTTP/2 only', async () => Client.secure({ ALPNProtocols: ['h2'] }).catch(() => 0)],
    [
      'TLS 1.1',
      async () => {
        const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const;
        await Client.secure(old).catch(() => undefined);
      },
    ],
  ])('that fails by %s is counted once and closes only that connection', async (_, fail) => {
    await start();
    await fail();
    await until(() => failures().length > 0 && proxy.open === 0);
    expect(failures().map(({ category }) => category)).toEqual(['client_tls_failed']);
    expect(proxy.counted).toEqual([0, 0]);
    await (await Client.secure()).write(get()).until('hi');
  });

  it('has the time of timeouts.read from the beginning of the connection, and counts as a connection', async () => {
    await start({ timeouts: { read: 1000 }, limits: { connections: 1 }, holdsTime: true });
    const stalled = await open(hello);
    await until(() => proxy.open === 1);
    expect(await Client.plain().write(get()).closed).toContain('connection_limit');
    await proxy.pass(1100);
    await stalled.closed;
    expect(failures().map(({ category }) => category)).toEqual(['connection_limit', 'client_tls_failed']);
  });

  it('that has begun is completed while the proxy shuts down', async () => {
    await start();
    const accepted = connectPlain({ host: '127.0.0.1', port: proxy.port });
    await once(accepted, 'connect');
    await until(() => proxy.open === 1);
    const closed = proxy.close();
    const client = await Client.secure({ socket: accepted });
    expect(await client.write(get()).closed).toMatch(/hi$/);
    await closed;
  });
});
