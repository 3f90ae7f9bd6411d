import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handshakeProblem } from './handshake-problem.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tls-handshake-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Creates a self-signed certificate, as a user would by the command line. */
function certificateWith(key: readonly string[]) {
  const files = { certificate: join(directory, 'c.pem'), key: join(directory, 'k.pem') };
  execFileSync('openssl', ['genpkey', ...key, '-out', files.key], { stdio: 'pipe' });
  const request = ['req', '-x509', '-key', files.key, '-subj', '/CN=elsewhere.example', '-out', files.certificate];
  execFileSync('openssl', request, { stdio: 'pipe' });
  return { certificate: readFileSync(files.certificate, 'utf8'), key: readFileSync(files.key, 'utf8') };
}

const ec = (curve: string) => ['-algorithm', 'EC', '-pkeyopt', `ec_paramgen_curve:${curve}`];
const UNSUITABLE = 'ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM';

describe('handshakeProblem', () => {
  it.each([
    ['P-256', ec('P-256'), undefined],
    ['P-384', ec('P-384'), undefined],
    ['P-521', ec('P-521'), undefined],
    ['Ed25519', ['-algorithm', 'ED25519'], undefined],
    ['RSA', ['-algorithm', 'RSA'], undefined],
    ['RSA-PSS', ['-algorithm', 'RSA-PSS'], undefined],
    ['secp256k1', ec('secp256k1'), UNSUITABLE],
    ['secp224r1', ec('secp224r1'), UNSUITABLE],
  ])('of a key of the kind %s', async (_, key, problem) => {
    const pem = certificateWith(key);
    expect(await handshakeProblem({ ...pem, role: 'server' })).toBe(problem);
    expect(await handshakeProblem({ ...pem, role: 'client' })).toBe(problem);
  });

  it('of a CA for another name is none: clients decide', async () => {
    const pem = certificateWith(ec('P-256'));
    expect(await handshakeProblem({ ...pem, role: 'server' })).toBeUndefined();
  });

  it('of a key that the ciphers of the listener exclude', async () => {
    const pem = certificateWith(['-algorithm', 'RSA']);
    const options = { ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' } as const;
    expect(await handshakeProblem({ ...pem, role: 'server', options })).toBe('ERR_SSL_NO_SHARED_CIPHER');
  });

  it('of what OpenSSL cannot load', async () => {
    expect(await handshakeProblem({ certificate: 'x', key: 'y', role: 'server' })).toBe('ERR_OSSL_PEM_NO_START_LINE');
  });
});
