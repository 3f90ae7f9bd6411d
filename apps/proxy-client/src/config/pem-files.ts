import { createPrivateKey, X509Certificate } from 'node:crypto';
import { certificateBlocks, hasUnsentIssuer } from '#tls-handshake';
import type { ConfigLocation } from './config-faults.js';
import { setting, type ValueReader } from './setting.js';
import { text } from './value-reader.js';

const path = text(4096);

/** Reads the name of a PEM file with the certificates of authorities, and returns its text. */
export const authoritiesFile: ValueReader<string> = setting(path.json, (value, location) =>
  pemFile(value, location, 'must be a PEM file with certificates', (pem) => certificatesIn(pem).length > 0),
);

/** Reads the name of a PEM file with a certificate and the intermediate ones after it, and returns its text. */
export const certificateFile: ValueReader<string> = setting(path.json, (value, location) => {
  const pem = authoritiesFile(value, location);
  if (pem === undefined || !hasUnsentIssuer(pem)) return pem;
  location.report('must have no intermediate certificate labelled TRUSTED CERTIFICATE, because TLS would not send it');
  return undefined;
});

/** Returns the certificates of a PEM file in their order. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  return certificateBlocks(pem).map((each) => new X509Certificate(each));
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
