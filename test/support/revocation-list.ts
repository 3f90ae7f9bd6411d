import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ORG1 } from './channel-admin.js';

const CONFIG = `[ca]
default_ca = org1
[org1]
database = index.txt
default_md = sha256
default_crl_days = 1
crl_extensions = crl
[crl]
authorityKeyIdentifier = keyid:always
`;

/** Creates a revocation list (PEM) of Org1's CA with one certificate, as `fabric-ca-client gencrl` does. */
export async function revocationList(directory: string, certificate: string): Promise<string> {
  const work = mkdtempSync(join(directory, 'crl-'));
  const ca = join(directory, 'organizations', ORG1.folder, 'ca');
  const [root = ''] = globSync(join(ca, '*-cert.pem'));
  const { serialNumber } = new X509Certificate(certificate);
  writeFileSync(join(work, 'openssl.cnf'), CONFIG);
  writeFileSync(join(work, 'index.txt'), `R\t360101000000Z\t260101000000Z\t${serialNumber}\tunknown\t/CN=revoked\n`);
  const keys = ['-cert', root, '-keyfile', join(ca, 'priv_sk')];
  await promisify(execFile)('openssl', ['ca', '-gencrl', '-config', 'openssl.cnf', ...keys, '-out', 'crl.pem'], {
    cwd: work,
  });
  const list = readFileSync(join(work, 'crl.pem'), 'utf8');
  rmSync(work, { recursive: true });
  return list;
}
