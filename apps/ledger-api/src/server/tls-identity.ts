import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably } from '#ledger-gateway';
import type { PemIdentity } from './self-signed.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A self-signed certificate is made anew when it is valid for less than this. */
const RENEW_BEFORE_MS = 30 * DAY_MS;

/** What https presents itself with. */
export interface TlsIdentity extends PemIdentity {
  readonly selfSigned: boolean;
  /** SHA-256 of the certificate, as browsers and openssl show it. */
  readonly fingerprint: string;
}

/** The configured certificate or key cannot be used. */
export class TlsFileError extends Error {
  readonly code = 'LEDGER_API.TLS_FILE';
}

/**
 * Reads the configured certificate and key.
 * @throws {@link TlsFileError} naming the variable and the file
 */
export async function readIdentity(files: { certificateFile: string; keyFile: string }): Promise<TlsIdentity> {
  const cert = await read('LEDGER_API_TLS_CERT', files.certificateFile);
  const key = await read('LEDGER_API_TLS_KEY', files.keyFile);
  const certificate = parse(
    'LEDGER_API_TLS_CERT',
    files.certificateFile,
    'PEM certificate',
    () => new X509Certificate(cert),
  );
  const privateKey = parse('LEDGER_API_TLS_KEY', files.keyFile, 'PEM private key without a passphrase', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new TlsFileError(
      `LEDGER_API_TLS_KEY: ${files.keyFile} is not the key of the certificate ${files.certificateFile}.`,
    );
  }
  return { cert, key, selfSigned: false, fingerprint: certificate.fingerprint256 };
}

async function read(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code = 'unreadable' } = cause as NodeJS.ErrnoException;
    throw new TlsFileError(`${variable}: ${file} cannot be read (${code}).`, { cause });
  }
}

function parse<T>(variable: string, file: string, kind: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new TlsFileError(`${variable}: ${file} is not a ${kind}.`, { cause });
  }
}

/** Gives the self-signed certificate that is kept in a directory; makes one when there is none or it ends soon. */
export async function keepSelfSigned(directory: string, now = new Date()): Promise<TlsIdentity> {
  const kept = await readKept(directory);
  if (kept !== undefined && isValidAt(kept, now)) return kept;
  // Loaded when it is needed, once a year: it brings a library for certificates along.
  const { makeSelfSigned } = await import('./self-signed.js');
  const made = await makeSelfSigned(now);
  writeFileDurably(join(directory, 'key.pem'), made.key);
  writeFileDurably(join(directory, 'cert.pem'), made.cert);
  return withFingerprint(made);
}

/** Undefined for what is absent, half written or not ours: it is made anew. */
async function readKept(directory: string): Promise<TlsIdentity | undefined> {
  try {
    const cert = await readFile(join(directory, 'cert.pem'), 'utf8');
    const key = await readFile(join(directory, 'key.pem'), 'utf8');
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
      ? withFingerprint({ cert, key })
      : undefined;
  } catch {
    return undefined;
  }
}

function withFingerprint({ cert, key }: PemIdentity): TlsIdentity {
  return { cert, key, selfSigned: true, fingerprint: new X509Certificate(cert).fingerprint256 };
}

function isValidAt({ cert }: PemIdentity, now: Date): boolean {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  return validFromDate <= now && validToDate.getTime() - now.getTime() > RENEW_BEFORE_MS;
}
