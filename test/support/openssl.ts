import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether OpenSSL's program is there. */
export const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;

/** The signed content and the signer. */
export interface Signed {
  /** PEM. */
  readonly certificate: string;
  readonly content: Uint8Array;
  /** ECDSA over SHA-256, DER. */
  readonly signature: Uint8Array;
}

/** Whether OpenSSL takes a signature for that of the key in a certificate. */
export function opensslVerifies({ certificate, content, signature }: Signed): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'openssl-'));
  const file = (name: string, bytes: string | Uint8Array): string => {
    writeFileSync(join(directory, name), bytes);
    return join(directory, name);
  };
  try {
    const read = ['x509', '-in', file('certificate.pem', certificate), '-pubkey', '-noout'];
    const key = file('key.pem', spawnSync('openssl', read).stdout);
    const files = ['-signature', file('signature', signature), file('content', content)];
    return spawnSync('openssl', ['dgst', '-sha256', '-verify', key, ...files]).status === 0;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
