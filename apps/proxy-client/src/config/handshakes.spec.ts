import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UNSUPPORTED_CERTIFICATE } from '../../../../test/support/weak-certificate.js';
import { ThrowawayAuthority } from '../../../../test/support/throwaway-certificates.js';
import { certificateWarning } from './certificate-setting.js';
import { ConfigError } from './config-faults.js';
import { readConfigObject } from './config-object.js';
import { loadConfigAsync } from './load-config.js';

const PROBLEM = 'cannot be used for TLS with the certificate (ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM)';

let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'handshakes-'));
  const valid = await (await ThrowawayAuthority.create('ca')).issue('proxy');
  const { certificate, key } = UNSUPPORTED_CERTIFICATE;
  const files = { 'c.pem': valid.certificate, 'c.key': valid.privateKey, 'k1.pem': certificate, 'k1.key': key };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Returns the faults of a configuration file, and the files that are polled until they are mended. */
async function faultsOf(content: object) {
  writeFileSync(join(directory, 'config.yaml'), JSON.stringify(content));
  try {
    await loadConfigAsync({ options: { config: 'config.yaml' }, environment: {}, directory });
    return { keys: [], files: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const keys = error.faults.map(({ source, key = '', problem }) => [source, key, problem]);
    return { keys, files: [...error.files.keys()].map((file) => file.replace(/.*\//, '')) };
  }
}

const named = (name: string) => ({ certificate: `${name}.pem`, key: `${name}.key` });

describe('certificates that OpenSSL loads and cannot use', () => {
  it('are faults of their keys, as those of listeners, upstreams and members of groups', async () => {
    const server = { url: 'https://127.0.0.1:9', ...named('k1') };
    const { keys, files } = await faultsOf({
      listeners: [
        { port: 1, ...named('c') },
        { port: 2, ...named('k1') },
      ],
      upstreams: {
        works: { ...server, ...named('c') },
        broken: server,
        other: { ...server, url: 'socks5+tls://127.0.0.1:9' },
      },
    });
    expect(keys).toEqual([
      ['config.yaml', 'listeners[1].key', PROBLEM],
      ['config.yaml', 'upstreams.broken.key', PROBLEM],
      ['config.yaml', 'upstreams.other.key', PROBLEM],
    ]);
    expect(files).toEqual(expect.arrayContaining(['config.yaml', 'k1.pem', 'k1.key']));
  });

  it('are faults of the short forms and of the library', async () => {
    const upstream = { url: 'socks5+tls://127.0.0.1:9', ...named('k1') };
    expect((await faultsOf({ listen: { port: 2, ...named('k1') }, upstream })).keys).toEqual([
      ['config.yaml', 'listen.key', PROBLEM],
      ['config.yaml', 'upstream.key', PROBLEM],
    ]);
    const absolute = { certificate: join(directory, 'k1.pem'), key: join(directory, 'k1.key') };
    const created = readConfigObject({ upstream: { ...upstream, ...absolute } }, 'createProxy');
    await expect(created).rejects.toThrow(`createProxy: upstream.key: ${PROBLEM}`);
  });

  it('are no others', async () => {
    const upstream = { url: 'https://127.0.0.1:9', ...named('c'), ca: 'k1.pem' };
    expect((await faultsOf({ listen: { port: 2, ...named('c') }, upstream })).keys).toEqual([]);
  });
});

describe('certificateWarning', () => {
  const warningFor = (certificate: string, now?: Date) =>
    certificateWarning({ certificate, key: '', spki: '', validUntil: '' }, now);
  const after = (days: number) => new Date(Date.now() + days * 86_400_000);

  it('is the reason for which clients will refuse a certificate', async () => {
    const authority = await ThrowawayAuthority.create('ca');
    const [{ certificate }, other] = [await authority.issue('one'), await ThrowawayAuthority.create('other')];
    const chain = `${certificate}\n${authority.root.certificate}`;
    expect([warningFor(certificate), warningFor(chain)]).toEqual([undefined, undefined]);
    expect(warningFor(`${certificate}\n${other.root.certificate}`)).toBe(
      'is not followed by its issuers in their order',
    );
    expect([warningFor(certificate, after(36_500)), warningFor(certificate, after(-36_500))]).toEqual([
      'has expired',
      'is not valid yet',
    ]);
    expect(warningFor(UNSUPPORTED_CERTIFICATE.certificate)).toBe('contains no host name (subjectAltName)');
  });
});
