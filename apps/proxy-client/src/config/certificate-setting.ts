import { createHash, X509Certificate } from 'node:crypto';
import type { ConfigLocation } from './config-faults.js';
import { reportKeyPair } from './pem-files.js';
import { reportContext, serverContext } from './secure-contexts.js';

/** A certificate with its key, for TLS. */
export interface CertificateConfig {
  /** PEM: the certificate, and the intermediate ones after it. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
  /** The SHA-256 hash of the public key in base64, as browsers and HPKP (RFC 7469, section 2.4) write it. */
  readonly spki: string;
  /** The end of the certificate's validity, as an ISO 8601 date-time. */
  readonly validUntil: string;
}

/** Describes a certificate and its key, and reports a fault if they cannot be used together. */
export function certificateOf(
  pem: Pick<CertificateConfig, 'certificate' | 'key'>,
  location: ConfigLocation,
): CertificateConfig | undefined {
  const { publicKey, validToDate } = new X509Certificate(pem.certificate);
  if (!reportKeyPair(pem, location) || !reportContext(() => serverContext(pem), location)) return undefined;
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const spki = createHash('sha256').update(der).digest('base64');
  return { ...pem, spki, validUntil: validToDate.toISOString() };
}
