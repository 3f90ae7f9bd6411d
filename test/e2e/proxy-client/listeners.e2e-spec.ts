import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { IssuedIdentity } from '../../../libs/fabric-codec/src/certificates/certificate-authority.js';
import { NodeOrigin } from '../../support/node-origin.js';
import { LogLines } from '../../support/proxy/log-lines.js';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { ThrowawayAuthority } from '../../support/throwaway-certificates.js';
import { until } from '../../support/until.js';
import { UNSUPPORTED_CERTIFICATE } from '../../support/weak-certificate.js';

const COMMON = { upstream: 'embedded', admin: 'off' };
const RELOADED = 'configuration reloaded';
const NOT_RELOADED = 'configuration not reloaded: the previous one stays in force';

let origin: NodeOrigin;
let directory: string;
beforeAll(async () => {
  origin = await NodeOrigin.start((_request, response) => response.end('page'));
});
afterAll(async () => {
  await origin[Symbol.asyncDispose]();
});
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'proxy-listeners-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const getPage = () => `GET ${origin.url}/ HTTP/1.1\r\nHost: ${origin.authority}\r\nConnection: close\r\n\r\n`;

/** Returns all that a connection receives after a text was sent. */
async function exchange(socket: Socket, text: string): Promise<string> {
  socket.write(text, 'latin1');
  return Buffer.concat(await socket.toArray()).toString('latin1');
}

/** Starts a proxy, and runs it to its end if it does not get ready. */
async function refusal(config: object): Promise<string> {
  await using failed = new ProxyProgram({ config: { ...COMMON, ...config } });
  const { code, stderr } = await failed.outcome();
  expect(code).toBe(1);
  return stderr;
}

describe('a listener on a Unix socket', () => {
  it('serves HTTP, SOCKS5 and tunnels to local clients by the permissions of its file, which it removes at the end', async () => {
    const path = (name: string) => join(directory, name);
    const [host = '', port] = origin.authority.split(':');
    const listeners = [
      { mode: 'mixed', socket: path('mixed'), clients: ['127.0.0.0/8'] },
      { mode: 'tunnel', socket: { path: path('tunnel'), mode: '0660' }, to: origin.authority, via: 'upstream' },
      { mode: 'http', socket: path('closed'), clients: ['192.0.2.0/24'] },
    ];
    await using proxy = new ProxyProgram({ config: { ...COMMON, listeners, log: { requests: 'requests.log' } } });
    expect(await proxy.program.ready()).toEqual({ proxy: `unix:${path('mixed')}` });
    const modes = listeners.map((_, index) => lstatSync(path(['mixed', 'tunnel', 'closed'][index]!)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o660, 0o600]);

    // The origin is on the loopback, so `direct` serves it to clients of this machine only.
    expect(await exchange(connect(path('mixed')), getPage())).toMatch(/^HTTP\/1\.1 200 [^]*page$/);
    expect(await exchange(connect(path('tunnel')), getPage().replace(origin.url, ''))).toMatch(/page$/);
    expect(await exchange(connect(path('closed')), getPage()).catch(() => '')).toBe('');
    const request = [5, 1, 0, 5, 1, 0, 1, ...host.split('.').map(Number), Number(port) >> 8, Number(port) & 255];
    const socks = await exchange(
      connect(path('mixed')),
      Buffer.from(request).toString('latin1') + getPage().replace(origin.url, ''),
    );
    expect(Buffer.from(socks, 'latin1').subarray(0, 4)).toEqual(Buffer.from([5, 0, 5, 0]));
    expect(socks).toMatch(/page$/);

    const log = join(proxy.configFile, '../requests.log');
    await until(() => existsSync(log) && readFileSync(log, 'utf8').split('\n').length > 3);
    const lines = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(
      expect.objectContaining({ listener: `unix:${path('mixed')}`, client: 'unix', status: 200 }),
    );
    await proxy.program.end();
    expect(listeners.map((_, index) => existsSync(path(['mixed', 'tunnel', 'closed'][index]!)))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('replaces the socket of a killed program, and nothing else', async () => {
    const path = join(directory, 'proxy.sock');
    const config = { ...COMMON, listen: { socket: path } };
    await using killed = new ProxyProgram({ config });
    await killed.program.ready();
    const message = `Cannot listen on ${path}: another program answers on this socket (EADDRINUSE). See listen.socket in config.yaml.\n`;
    expect(await refusal({ listen: { socket: path } })).toBe(message);
    expect(await exchange(connect(path), getPage())).toMatch(/page$/);
    await killed.program.end('SIGKILL');
    expect(existsSync(path)).toBe(true);

    await using next = new ProxyProgram({ config });
    await next.program.ready();
    expect(await exchange(connect(path), getPage())).toMatch(/page$/);
    // Another program that has taken the path keeps its file.
    rmSync(path);
    const other = createServer().listen(path);
    await once(other, 'listening');
    await next.program.end();
    expect(existsSync(path)).toBe(true);
    other.close();

    writeFileSync(join(directory, 'file'), 'text');
    expect(await refusal({ listen: { socket: join(directory, 'file') } })).toContain(
      'there is a file that is not a socket (EEXIST)',
    );
    expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('text');
    expect(await refusal({ listen: { socket: join(directory, 'none/s') } })).toContain(
      'the directory does not exist (ENOENT)',
    );
  });

  it('is created in its own directory, also where that is the root of a file system', async () => {
    const path = `/dev/shm/proxy-listeners-${process.pid}.sock`;
    await using running = new ProxyProgram({ config: { ...COMMON, listen: { socket: path } } });
    await running.program.ready();
    expect(await exchange(connect(path), getPage())).toMatch(/page$/);
    await running.program.end();
    expect(existsSync(path)).toBe(false);
  });

  it('stays open at a reload, and a changed mode needs a restart', async () => {
    const path = join(directory, 'proxy.sock');
    await using proxy = new ProxyProgram({ config: { ...COMMON, listen: { socket: path } } });
    await proxy.program.ready();
    const log = new LogLines(proxy.program);
    const reload = async (listeners: readonly object[], end: string) => {
      writeFileSync(proxy.configFile, JSON.stringify({ ...COMMON, listeners }));
      proxy.program.process.kill('SIGHUP');
      return log.next(end);
    };
    const { ino } = lstatSync(path);
    await reload([{ mode: 'mixed', socket: path }, { socket: join(directory, 'second') }], RELOADED);
    expect([lstatSync(path).ino, existsSync(join(directory, 'second'))]).toEqual([ino, true]);
    const { faults } = await reload([{ socket: { path, mode: '0666' } }], NOT_RELOADED);
    expect(faults).toEqual([expect.stringContaining('this proxy uses the socket with another mode or owner')]);
    await reload([{ socket: path }], RELOADED);
    expect([lstatSync(path).ino, existsSync(join(directory, 'second'))]).toEqual([ino, false]);
    expect(await exchange(connect(path), getPage())).toMatch(/page$/);
  });
});

describe('a listener with a certificate', () => {
  let authority: ThrowawayAuthority;
  beforeAll(async () => {
    authority = await ThrowawayAuthority.create('Test');
  });

  const files = ({ certificate, privateKey }: IssuedIdentity) => ({ 'c.pem': certificate, 'k.pem': privateKey });
  const TLS = { certificate: 'c.pem', key: 'k.pem', tlsOnly: true };
  const spkiOf = ({ certificate }: IssuedIdentity) => {
    const der = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
    return createHash('sha256').update(der).digest('base64');
  };
  const open = async (url: string): Promise<TLSSocket> => {
    const { port } = new URL(url);
    const socket = connectTls({
      host: '127.0.0.1',
      port: Number(port),
      ca: authority.root.certificate,
      servername: 'localhost',
    });
    await once(
      socket.on('error', () => undefined),
      'secureConnect',
    );
    fingerprints.set(socket, socket.getPeerX509Certificate()!.fingerprint256);
    return socket;
  };
  const fingerprints = new WeakMap<TLSSocket, string>();
  const fingerprintOf = (socket: TLSSocket) => fingerprints.get(socket)!;

  it('shows the hash of its public key and its expiry at the start, on the admin listener and in --check', async () => {
    const identity = await authority.issue('proxy');
    const { validToDate } = new X509Certificate(identity.certificate);
    const token = 'of-the-listeners-test';
    const config = { ...COMMON, admin: { port: 0, token }, listen: { port: 0, ...TLS } };
    await using proxy = new ProxyProgram({ config, files: files(identity) });
    const { proxy: url = '', admin = '' } = await proxy.program.ready();
    expect(url).toMatch(/^https:/);
    const line = await new LogLines(proxy.program).next('clients may use TLS on a listener');
    expect(line).toMatchObject({ level: 'info', spki: spkiOf(identity) });
    const answer = await fetch(`${admin}/listeners`, { headers: { Authorization: `Bearer ${token}` } });
    expect(await answer.json()).toMatchObject({
      listeners: [{ spki: spkiOf(identity), valid_until: validToDate.toISOString() }],
    });
    await using check = new ProxyProgram({ config, files: files(identity), args: ['--check'] });
    const { code, stdout } = await check.outcome();
    expect([code, stdout.split('\n')[1]]).toEqual([
      0,
      `certificate     ok       listen.port in config.yaml: SPKI ${spkiOf(identity)}, valid until ${validToDate.toISOString()}`,
    ]);
  });

  it('defect: a certificate with which every handshake fails was accepted by start, check and reload', async () => {
    const { certificate, key } = UNSUPPORTED_CERTIFICATE;
    const config = { ...COMMON, listen: { port: 0, ...TLS } };
    const unusable = { 'c.pem': certificate, 'k.pem': key };
    const fault = 'listen.key: cannot be used for TLS with the certificate (ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM)';
    for (const args of [[], ['--check']]) {
      await using refused = new ProxyProgram({ config, files: unusable, args });
      expect(await refused.outcome()).toMatchObject({ code: 1, stdout: '', stderr: `config.yaml: ${fault}\n` });
    }
    await using proxy = new ProxyProgram({ config, files: files(await authority.issue('proxy')) });
    const { proxy: url = '' } = await proxy.program.ready();
    for (const [name, content] of Object.entries(unusable)) writeFileSync(join(proxy.configFile, '..', name), content);
    proxy.program.process.kill('SIGHUP');
    const line = await new LogLines(proxy.program).next(NOT_RELOADED);
    expect(line).toMatchObject({ faults: [`config.yaml: ${fault}`] });
    (await open(url)).destroy();
  });

  it('is rotated by a reload without cutting a connection, and a broken pair leaves the previous one in use', async () => {
    const [first, second] = [await authority.issue('one'), await authority.issue('two')];
    await using proxy = new ProxyProgram({ config: { ...COMMON, listen: { port: 0, ...TLS } }, files: files(first) });
    const { proxy: url = '' } = await proxy.program.ready();
    const log = new LogLines(proxy.program);
    const reload = async (pair: IssuedIdentity, end: string) => {
      for (const [name, text] of Object.entries(files(pair))) writeFileSync(join(proxy.configFile, '..', name), text);
      proxy.program.process.kill('SIGHUP');
      return log.next(end);
    };
    const tunnel = await open(url);
    const firstFingerprint = fingerprintOf(tunnel);
    tunnel.write(`CONNECT ${origin.authority} HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(String((await once(tunnel, 'data'))[0])).toContain(' 200 ');

    await reload(second, RELOADED);
    const after = await open(url);
    const secondFingerprint = fingerprintOf(after);
    expect(secondFingerprint).not.toBe(firstFingerprint);
    expect(await exchange(after, getPage())).toMatch(/page$/);

    const { faults } = await reload({ ...second, privateKey: first.privateKey }, NOT_RELOADED);
    expect(faults).toEqual(['config.yaml: listen.key: is not the key of the certificate']);
    const still = await open(url);
    expect(fingerprintOf(still)).toBe(secondFingerprint);
    still.destroy();
    expect(await exchange(tunnel, getPage().replace(origin.url, ''))).toMatch(/page$/);
  });

  it('changes with its files when they are watched', async () => {
    const [first, second] = [await authority.issue('one'), await authority.issue('two')];
    const config = { ...COMMON, listen: { port: 0, ...TLS } };
    await using proxy = new ProxyProgram({ config, files: files(first), args: ['--watch'] });
    const { proxy: url = '' } = await proxy.program.ready();
    const fingerprint = async () => {
      const socket = await open(url);
      socket.destroy();
      return fingerprintOf(socket);
    };
    const before = await fingerprint();
    for (const [name, text] of Object.entries(files(second))) writeFileSync(join(proxy.configFile, '..', name), text);
    await until(async () => (await fingerprint()) !== before);
  });

  describe.each(['tcp', 'unix', 'tls'] as const)('over %s', (kind) => {
    /** Opens a tunnel to a server that the test controls; returns its two ends. */
    const openTunnel = async (proxy: ProxyProgram, url: string, path: string) => {
      const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      const place = kind === 'unix' ? { path } : { host: '127.0.0.1', port: Number(new URL(url).port) };
      const carrier = connect({ ...place, allowHalfOpen: true } as NetConnectOpts).on('error', () => undefined);
      // The types lack allowHalfOpen.
      const options = { socket: carrier, rejectUnauthorized: false, allowHalfOpen: true } as ConnectionOptions;
      const socket = kind === 'tls' ? connectTls(options) : carrier;
      socket.on('error', () => undefined);
      const { port } = server.address() as { port: number };
      socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: h\r\n\r\n`);
      const [target] = await accepted;
      target.on('error', () => undefined);
      await once(socket, 'data');
      server.close();
      return { carrier, socket, target };
    };

    it('resets, truncation and half-closes of a tunnel end the connections, not the program', async () => {
      const path = join(directory, 'proxy.sock');
      const certificate = kind === 'tls' ? { certificate: 'c.pem', key: 'k.pem' } : {};
      const listeners = [{ port: 0, ...certificate }, { socket: path }];
      await using proxy = new ProxyProgram({
        config: { ...COMMON, listeners },
        files: files(await authority.issue('p')),
      });
      const { proxy: url = '' } = await proxy.program.ready();
      /** Waits for the end of a connection; without a reset it ends in both directions. */
      const closed = async (socket: Socket) => {
        socket.resume().on('end', () => socket.end());
        await new Promise((resolve) => socket.once('close', resolve));
      };

      const reset = await openTunnel(proxy, url, path);
      // A Unix socket has no reset.
      if (kind === 'unix') reset.carrier.destroy();
      else reset.carrier.resetAndDestroy();
      await closed(reset.target);

      const resetByTarget = await openTunnel(proxy, url, path);
      resetByTarget.target.resetAndDestroy();
      await closed(resetByTarget.socket);

      // The connection ends without close_notify.
      const truncated = await openTunnel(proxy, url, path);
      truncated.carrier.destroy();
      await closed(truncated.target);

      const half = await openTunnel(proxy, url, path);
      half.socket.end('question');
      expect(Buffer.concat(await half.target.toArray()).toString()).toBe('question');
      half.target.end('answer');
      expect(Buffer.concat(await half.socket.toArray()).toString()).toBe('answer');

      expect((await fetch(`${url}/health`)).status).toBe(200);
      expect(await proxy.program.end()).toEqual({ code: 0, signal: null });
    });
  });
});
