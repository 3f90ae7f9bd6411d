import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { makeCertificate } from '#fabric-codec/certificates';
import { readRegularFile, replacingFault, writeFileDurably } from '#files';
import { handshakeProblem, hasUnsentIssuer } from '#tls-handshake';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The remaining validity at which a self-signed certificate is re-created. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** The longest validity that browsers accept. */
const VALID_DAYS = 397;

/**
 * TLS 1.2 and 1.3 with forward secrecy and authenticated encryption only, as in Mozilla's "intermediate" configuration: Node's
 * default also accepts CBC suites, which have a history of padding attacks.
 */
export const TLS_OPTIONS: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
};

/** A certificate and its key as PEM, named as in the options of Node's TLS. */
interface PemIdentity {
  readonly cert: string;
  readonly key: string;
}

/** The identity of the https server. */
export interface TlsIdentity extends PemIdentity {
  readonly selfSigned: boolean;
  /** SHA-256 of the certificate, as browsers and openssl show it. */
  readonly fingerprint: string;
}

/** The PEM files of a certificate and of its key. */
export interface TlsFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** The configured certificate or key cannot be used. */
export class TlsFileError extends Error {
  readonly code = 'LEDGER_API.TLS_FILE';
}

/**
 * Reads the configured certificate and key.
 * @throws {@link TlsFileError} naming the variable and the file
 */
export async function readIdentity({ certificateFile, keyFile }: TlsFiles): Promise<TlsIdentity> {
  const [cert, certificate] = await readPem('LEDGER_API_TLS_CERT', certificateFile, 'PEM certificate', (pem) => {
    return new X509Certificate(pem);
  });
  const kind = 'PEM private key without a passphrase';
  const [key, privateKey] = await readPem('LEDGER_API_TLS_KEY', keyFile, kind, createPrivateKey);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new TlsFileError(`LEDGER_API_TLS_KEY: ${keyFile} is not the key of the certificate ${certificateFile}.`);
  }
  if (hasUnsentIssuer(cert)) {
    const text = 'has an intermediate certificate labelled TRUSTED CERTIFICATE, which TLS would not send';
    throw new TlsFileError(`LEDGER_API_TLS_CERT: ${certificateFile} ${text}.`);
  }
  await requireUsable({ cert, key }, certificateFile);
  return { cert, key, selfSigned: false, fingerprint: certificate.fingerprint256 };
}

/** OpenSSL refuses certificates that can be parsed, such as one with an RSA key of 1024 bits, or loads them and cannot sign with them. */
async function requireUsable({ cert: certificate, key }: PemIdentity, certificateFile: string): Promise<void> {
  const { ciphers, minVersion } = TLS_OPTIONS;
  const code = await handshakeProblem({ certificate, key, role: 'server', options: { ciphers, minVersion } });
  if (code !== undefined) throw new TlsFileError(`LEDGER_API_TLS_CERT: ${certificateFile} cannot be used (${code}).`);
}

async function readPem<T>(variable: string, file: string, kind: string, parse: (pem: string) => T) {
  let pem: string | undefined;
  try {
    pem = await readRegularFile(file);
    return [pem, parse(pem)] as const;
  } catch (cause) {
    const { code = 'unreadable' } = cause as NodeJS.ErrnoException;
    const problem = pem === undefined ? `cannot be read (${code})` : `is not a ${kind}`;
    throw new TlsFileError(`${variable}: ${file} ${problem}.`, { cause });
  }
}

/** Returns the directory of the self-signed certificate. */
export function selfSignedIn(dataDir: string): string {
  return join(dataDir, 'tls');
}

/**
 * Returns the self-signed certificate in a directory; creates one if there is none, it expires soon or cannot be used.
 * @throws {@link TlsFileError} when it cannot be written
 */
export async function ensureSelfSigned(directory: string, now = new Date()): Promise<TlsIdentity> {
  const found = await readSelfSigned(directory, now);
  if (found !== undefined) return found;
  const { keyFile, certificateFile } = replaceableFiles(directory);
  const made = await makeSelfSigned(now);
  writeFileDurably(keyFile, made.key);
  writeFileDurably(certificateFile, made.cert);
  return withFingerprint(made);
}

/**
 * Checks that {@link ensureSelfSigned} would succeed, and writes nothing.
 * @returns a sentence if it would replace a certificate, which clients may have been told to trust
 * @throws {@link TlsFileError}
 */
export async function checkSelfSigned(directory: string, now = new Date()): Promise<string | undefined> {
  if ((await readSelfSigned(directory, now)) !== undefined) return undefined;
  const { keyFile, certificateFile } = replaceableFiles(directory);
  if (!existsSync(keyFile) && !existsSync(certificateFile)) return undefined;
  return `The self-signed certificate in ${directory} expires soon or cannot be used: a start replaces it.`;
}

function replaceableFiles(directory: string): TlsFiles {
  const files = { keyFile: join(directory, 'key.pem'), certificateFile: join(directory, 'cert.pem') };
  for (const path of [files.keyFile, files.certificateFile]) {
    const fault = replacingFault(path);
    if (fault === undefined) continue;
    throw new TlsFileError(`The self-signed certificate cannot be written to ${path} (${fault}): move it away.`);
  }
  return files;
}

/** Creates a certificate for this machine's own names, signed by its own key. */
export async function makeSelfSigned(now = new Date()): Promise<PemIdentity> {
  const { certificate, privateKey } = await makeCertificate({
    subject: 'CN=localhost, O=ledger-api',
    use: 'server',
    hosts: ['localhost', '127.0.0.1', '::1'],
    // An hour ago, for clients whose clock is slow.
    validFrom: new Date(now.getTime() - DAY_MS / 24),
    validUntil: new Date(now.getTime() + VALID_DAYS * DAY_MS),
  });
  return { cert: `${certificate}\n`, key: privateKey };
}

/** Returns undefined for files that are missing, incomplete or not ours, or whose certificate expires soon. */
async function readSelfSigned(directory: string, now: Date): Promise<TlsIdentity | undefined> {
  try {
    const cert = await readFile(join(directory, 'cert.pem'), 'utf8');
    const key = await readFile(join(directory, 'key.pem'), 'utf8');
    const certificate = new X509Certificate(cert);
    const { validFromDate, validToDate } = certificate;
    const isValid = validFromDate <= now && validToDate.getTime() - now.getTime() > RENEW_BEFORE_MS;
    if (!isValid || !certificate.checkPrivateKey(createPrivateKey(key))) return undefined;
    return withFingerprint({ cert, key });
  } catch {
    return undefined;
  }
}

function withFingerprint({ cert, key }: PemIdentity): TlsIdentity {
  return { cert, key, selfSigned: true, fingerprint: new X509Certificate(cert).fingerprint256 };
}
