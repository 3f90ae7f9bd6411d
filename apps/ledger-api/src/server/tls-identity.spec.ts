import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UNSUPPORTED_CERTIFICATE } from '../../../../test/support/weak-certificate.js';
import { ensureSelfSigned, makeSelfSigned, readIdentity } from './tls-identity.js';

const DAY_MS = 24 * 60 * 60 * 1000;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ledger-api-tls-'));
});
afterEach(async () => rm(directory, { recursive: true }));

describe('ensureSelfSigned', () => {
  it('makes a certificate for localhost, 127.0.0.1 and ::1 whose key only its owner reads', async () => {
    const { cert, fingerprint } = await ensureSelfSigned(join(directory, 'tls'));
    const certificate = new X509Certificate(cert);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.fingerprint256).toBe(fingerprint);
    expect(certificate.ca).toBe(false);
    expect((await stat(join(directory, 'tls', 'key.pem'))).mode & 0o777).toBe(0o600);
  });

  it('keeps it', async () => {
    const first = await ensureSelfSigned(directory);
    expect(await ensureSelfSigned(directory)).toEqual(first);
  });

  it.each([368, 397, 4000])('re-creates it %i days later, before or after it expires', async (days) => {
    const first = await ensureSelfSigned(directory);
    const later = new Date(Date.now() + days * DAY_MS);
    const renewed = await ensureSelfSigned(directory, later);
    expect(renewed.fingerprint).not.toBe(first.fingerprint);
    expect(new X509Certificate(renewed.cert).validToDate > later).toBe(true);
  });

  it('keeps it 366 days later', async () => {
    const first = await ensureSelfSigned(directory);
    expect(await ensureSelfSigned(directory, new Date(Date.now() + 366 * DAY_MS))).toEqual(first);
  });

  it.each(['cert.pem', 'key.pem'])('re-creates it when %s is truncated', async (name) => {
    const first = await ensureSelfSigned(directory);
    await writeFile(join(directory, name), (await readFile(join(directory, name), 'utf8')).slice(0, 60));
    expect((await ensureSelfSigned(directory)).fingerprint).not.toBe(first.fingerprint);
  });

  it('re-creates it when key and certificate do not match, as after a crash between both writes', async () => {
    await ensureSelfSigned(directory);
    await writeFile(join(directory, 'key.pem'), (await makeSelfSigned()).key);
    const renewed = await ensureSelfSigned(directory);
    expect(await ensureSelfSigned(directory)).toEqual(renewed);
  });
});

describe('readIdentity', () => {
  it('defect: accepted a certificate with which every handshake fails', async () => {
    const { certificate, key } = UNSUPPORTED_CERTIFICATE;
    const refused = readIdentity(await files(certificate, key));
    await expect(refused).rejects.toThrow(/LEDGER_API_TLS_CERT: .* cannot be used \(ERR_SSL_NO_SUITABLE_SIGNATURE/);
  });

  it.each(['cert.pem', 'key.pem'])('refuses a named pipe as %s instead of waiting for its writer', async (name) => {
    await ensureSelfSigned(directory);
    const [certificateFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    await rm(join(directory, name));
    execFileSync('mkfifo', [join(directory, name)]);
    await expect(readIdentity({ certificateFile, keyFile })).rejects.toThrow(/cannot be read \(not a regular file\)/);
  });

  async function files(cert: string, key: string): Promise<{ certificateFile: string; keyFile: string }> {
    const names = { certificateFile: join(directory, 'c.pem'), keyFile: join(directory, 'k.pem') };
    await writeFile(names.certificateFile, cert);
    await writeFile(names.keyFile, key);
    return names;
  }

  it('reads certificate and key', async () => {
    const made = await makeSelfSigned();
    const identity = await readIdentity(await files(made.cert, made.key));
    expect(identity).toMatchObject({ ...made, selfSigned: false });
  });

  it('refuses an intermediate certificate with a label that TLS does not send', async () => {
    const [made, issuer] = [await makeSelfSigned(), await makeSelfSigned()];
    const labelled = (label: string): string =>
      made.cert + issuer.cert.replaceAll(' CERTIFICATE-----', ` ${label}-----`);
    const { cert } = await readIdentity(await files(labelled('X509 CERTIFICATE'), made.key));
    expect(cert).toContain('X509');
    await expect(readIdentity(await files(labelled('TRUSTED CERTIFICATE'), made.key))).rejects.toThrow(
      /LEDGER_API_TLS_CERT: .* has an intermediate certificate labelled TRUSTED CERTIFICATE/,
    );
  });

  it('names the variable and the file that cannot be read', async () => {
    await expect(readIdentity({ certificateFile: '/nowhere/c.pem', keyFile: 'k.pem' })).rejects.toThrow(
      'LEDGER_API_TLS_CERT: /nowhere/c.pem cannot be read (ENOENT).',
    );
  });

  it('names what is not a certificate, not a key, and a pair that does not match', async () => {
    const [one, other] = [await makeSelfSigned(), await makeSelfSigned()];
    await expect(readIdentity(await files('x', one.key))).rejects.toThrow(
      /TLS_CERT: .*c\.pem is not a PEM certificate/,
    );
    await expect(readIdentity(await files(one.cert, 'x'))).rejects.toThrow(
      /TLS_KEY: .*k\.pem is not a PEM private key/,
    );
    await expect(readIdentity(await files(one.cert, other.key))).rejects.toThrow(/TLS_KEY: .* is not the key of/);
  });
});
