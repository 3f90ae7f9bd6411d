import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ConfigLocation } from './config-faults.js';
import { setting, type ValueReader } from './setting.js';
import { text } from './value-reader.js';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const path = text(4096);

/** Reads the name of a PEM file with one or more certificates, and returns its text. */
export const certificateFile: ValueReader<string> = setting(path.json, (value, location) =>
  pemFile(value, location, 'must be a PEM file with certificates', (pem) => {
    // OpenSSL, which reads all of the text, finds no line that is indented.
    const first = new X509Certificate(pem);
    return certificatesIn(pem)[0]?.fingerprint256 === first.fingerprint256;
  }),
);

/** Returns the certificates of a PEM file in their order. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  const [, ...certificates] = pem.split(BEGIN);
  return certificates.map((each) => new X509Certificate(`${BEGIN}${each}`));
}

/** Reads the name of a PEM file with a private key that has no passphrase, and returns its text. */
export const keyFile: ValueReader<string> = setting(path.json, (value, location) =>
  pemFile(value, location, 'must be a PEM file with a private key without a passphrase', (pem) => {
    createPrivateKey(pem);
    return true;
  }),
);

/**
 * Reports a certificate without its key, or with the key of another one.
 *
 * @returns whether there is no fault
 */
export function reportKeyPair(
  { certificate, key }: { readonly certificate?: string | undefined; readonly key?: string | undefined },
  location: ConfigLocation,
): boolean {
  if (certificate !== undefined && key !== undefined) {
    if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return true;
    location.child('key').report('is not the key of the certificate');
  } else if (certificate !== undefined || key !== undefined) {
    const missing = certificate === undefined ? 'certificate' : 'key';
    location.child(missing).report('is missing: certificate and key are required together');
  } else return true;
  return false;
}

function pemFile(
  value: unknown,
  location: ConfigLocation,
  problem: string,
  isValid: (pem: string) => boolean,
): string | undefined {
  const name = path(value, location);
  const pem = name === undefined ? undefined : location.references?.read(name, location);
  if (pem === undefined) return undefined;
  try {
    if (isValid(pem)) return pem;
  } catch {
    // The error may quote the file.
  }
  location.report(problem);
  return undefined;
}
