import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { ThrowawayAuthority } from '../../../../test/support/throwaway-certificates.js';
import { WEAK_CERTIFICATE } from '../../../../test/support/weak-certificate.js';
import { ConfigError } from './config-faults.js';
import { loadConfig } from './load-config.js';
import type { CommandLineOptions } from './overrides.js';
import type { ListenerConfig } from './proxy-client-config.js';
import { takeSystemdSockets } from './systemd-sockets.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'proxy-addresses-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function load(content: string, files: Readonly<Record<string, string>> = {}, options: CommandLineOptions = {}) {
  for (const [name, text] of Object.entries({ 'config.yaml': content, ...files })) {
    writeFileSync(join(directory, name), text);
  }
  return loadConfig({ options: { config: 'config.yaml', ...options }, environment: {}, directory }).config.listeners;
}

function faults(content: string, files: Readonly<Record<string, string>> = {}): string[] {
  try {
    load(content, files);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n').map((line) => line.replace('config.yaml: ', ''));
    throw error;
  }
  return [];
}

describe('a Unix socket', () => {
  it('has a path relative to the file, and is closed to other users unless its mode allows them', () => {
    const { username, uid, gid } = userInfo();
    const [one, two]: readonly Partial<ListenerConfig>[] = load(
      `listeners: [{ socket: proxy.sock }, { mode: socks5, socket: { path: /run/s, mode: '0660', owner: ${username}, group: ${gid} } }]`,
    );
    expect([one?.socket, two?.socket]).toEqual([
      { path: join(directory, 'proxy.sock'), mode: 0o600 },
      { path: '/run/s', mode: 0o660, owner: uid, group: gid },
    ]);
  });

  it('of the short form is replaced by an address of the command line', () => {
    const content = 'listen: { socket: /run/s }';
    expect(load(content)).toMatchObject([{ socket: { path: '/run/s' }, setBy: 'listen.socket in config.yaml' }]);
    const [listener] = load(content, {}, { listen: '127.0.0.2:81' });
    expect(listener).toMatchObject({ host: '127.0.0.2', port: 81 });
    expect(listener).not.toHaveProperty('socket');
  });

  it.each([
    ['{}', 'listeners[0].port: is missing'],
    ['{ port: 1, socket: /run/s }', 'listeners[0].socket: cannot be combined with port'],
    ['{ socket: /run/s, systemd: web }', 'listeners[0].systemd: cannot be combined with socket'],
    ['{ socket: /run/s, host: "::1" }', 'listeners[0].host: has no effect with socket'],
    ['{ systemd: web, host: "::1" }', 'listeners[0].host: has no effect with systemd'],
    [
      '{ socket: /run/s, pac: true }',
      'listeners[0].pac: has no effect with socket: a PAC file names a host and a port',
    ],
    ['{ socket: { mode: "0600" } }', 'listeners[0].socket: must be text of 1 to 4096 bytes'],
    ['{ socket: { path: /s, mode: 0660 } }', 'listeners[0].socket.mode: must be text: put it in quotes'],
    [
      '{ socket: { path: /s, mode: "0680" } }',
      "listeners[0].socket.mode: must be octal digits in quotes, such as '0660'",
    ],
    [
      '{ socket: { path: /s, owner: 4294967295 } }',
      'listeners[0].socket.owner: must be a whole number from 0 to 4294967294, or a name',
    ],
    ['{ socket: { path: /s, owner: "no-such" } }', 'listeners[0].socket.owner: is not in /etc/passwd: use its number'],
    ['{ socket: { path: /s, group: "no-such" } }', 'listeners[0].socket.group: is not in /etc/group: use its number'],
    [
      `{ socket: /${'d'.repeat(97)}/s }`,
      'listeners[0].socket: is too long for a socket: at most 107 bytes, 97 for its directory',
    ],
    ['{ socket: /s }, { socket: /s }', 'listeners[1].socket: is used by another listener'],
    ['{ systemd: a }, { systemd: a }', 'listeners[1].systemd: is used by another listener'],
    [
      "{ port: 1 }, { port: 1, host: 0.0.0.0, clients: ['10.0.0.0/8'] }",
      'listeners[1].port: is used by another listener',
    ],
    ["{ port: 1, host: '::', clients: ['10.0.0.0/8'] }, { port: 1 }", 'listeners[1].port: is used by another listener'],
  ])('%s', (listeners, fault) => {
    expect(faults(`listeners: [${listeners}]`)).toEqual([fault]);
  });

  it('of one port are possible at addresses that differ', () => {
    const clients = "clients: ['10.0.0.0/8']";
    expect(faults(`listeners: [{ port: 1 }, { port: 1, host: '::1' }]`)).toEqual([]);
    expect(faults(`listeners: [{ port: 1, host: 0.0.0.0, ${clients} }, { port: 1, host: '::1' }]`)).toEqual([]);
  });
});

describe('a certificate', () => {
  it('is read with its key, the hash that browsers want, and the end of its validity', async () => {
    const { certificate, privateKey: key } = await (await ThrowawayAuthority.create('ca')).issue('proxy');
    const [listener] = load('listen: { port: 1, certificate: c.pem, key: k.pem }', {
      'c.pem': certificate,
      'k.pem': key,
    });
    const { publicKey, validToDate } = new X509Certificate(certificate);
    const spki = createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' }));
    expect(listener?.tls).toEqual({
      ...{ certificate, key, spki: spki.digest('base64'), validUntil: validToDate.toISOString() },
    });
    expect(listener).not.toHaveProperty('key');
  });

  it('that cannot be used is one fault, which contains nothing of the files', async () => {
    const authority = await ThrowawayAuthority.create('ca');
    const [{ certificate, privateKey }, other] = [await authority.issue('one'), await authority.issue('two')];
    const { privateKey: encrypted } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
    });
    const rsa = generateKeyPairSync('rsa', { modulusLength: 512 });
    const tried = (cert: string, key: string) =>
      faults('listeners: [{ port: 1, certificate: c.pem, key: k.pem }]', { 'c.pem': cert, 'k.pem': key });
    expect([
      tried('nonsense', privateKey),
      tried(` ${certificate}`, privateKey),
      tried(`${certificate.slice(0, 200)}AAAA`, privateKey),
      tried(certificate, 'nonsense'),
      tried(certificate, encrypted),
      tried(certificate, other.privateKey),
      tried(certificate, rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
      tried(WEAK_CERTIFICATE.certificate, WEAK_CERTIFICATE.key),
    ]).toEqual([
      ['listeners[0].certificate: must be a PEM file with certificates'],
      ['listeners[0].certificate: must be a PEM file with certificates'],
      ['listeners[0].certificate: must be a PEM file with certificates'],
      ['listeners[0].key: must be a PEM file with a private key without a passphrase'],
      ['listeners[0].key: must be a PEM file with a private key without a passphrase'],
      ['listeners[0].key: is not the key of the certificate'],
      ['listeners[0].key: is not the key of the certificate'],
      ['listeners[0].key: cannot be used for TLS with the certificate (ERR_SSL_EE_KEY_TOO_SMALL)'],
    ]);
  });

  it.each([
    [
      'certificate: c.pem',
      ['listen.certificate: does not exist', 'listen.key: is missing: certificate and key are required together'],
    ],
    [
      'key: k.pem',
      ['listen.key: does not exist', 'listen.certificate: is missing: certificate and key are required together'],
    ],
    [
      'tlsOnly: on',
      ['certificate', 'key'].map((key) => `listen.${key}: is missing: certificate and key are required together`),
    ],
  ])('needs both files: %s', (keys, expected) => {
    expect(faults(`listen: { port: 1, ${keys} }`)).toEqual(expected);
  });
});

describe('sockets of systemd', () => {
  const SET = { LISTEN_PID: '7', LISTEN_FDS: '3', LISTEN_FDNAMES: 'web:socks:web', OTHER: 'x' };

  it('are read by name, and the variables are removed', () => {
    const environment: NodeJS.ProcessEnv = { ...SET };
    expect(takeSystemdSockets(environment, 7)).toEqual(
      new Map([
        ['web', [3, 5]],
        ['socks', [4]],
      ]),
    );
    expect(environment).toEqual({ OTHER: 'x' });
  });

  it('without names are "unknown"', () => {
    expect(takeSystemdSockets({ LISTEN_PID: '7', LISTEN_FDS: '2' }, 7)).toEqual(new Map([['unknown', [3, 4]]]));
  });

  it.each([{ LISTEN_PID: '8' }, { LISTEN_FDS: '-1' }, { LISTEN_FDS: 'x' }, { LISTEN_PID: undefined }])(
    'for another process, or malformed, are ignored and removed: %j',
    (changed) => {
      const environment: NodeJS.ProcessEnv = { ...SET, ...changed };
      expect([takeSystemdSockets(environment, 7), environment]).toEqual([new Map(), { OTHER: 'x' }]);
    },
  );
});
