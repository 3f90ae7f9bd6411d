import { createHash, X509Certificate } from 'node:crypto';
import type { ConfigLocation } from './config-faults.js';
import { certificatesIn, reportKeyPair } from './pem-files.js';
import { registerCertificate, reportContext, serverContext } from './secure-contexts.js';

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
  const config = { ...pem, spki, validUntil: validToDate.toISOString() };
  registerCertificate(config, location);
  return config;
}

/**
 * Returns why clients that check the certificate will refuse it; undefined if there is no reason that is known here. Clients may also use
 * it by its public key, or by a name that only they know, so that these are no faults.
 */
export function certificateWarning({ certificate: pem }: CertificateConfig, now = new Date()): string | undefined {
  const [certificate, ...issuers] = certificatesIn(pem);
  if (certificate === undefined || certificate.validToDate < now) return 'has expired';
  if (certificate.validFromDate > now) return 'is not valid yet';
  if (certificate.subjectAltName === undefined) return 'contains no host name (subjectAltName)';
  const chain = [certificate, ...issuers];
  const isChain = issuers.every((issuer, index) => chain[index]?.checkIssued(issuer));
  return isChain ? undefined : 'is not followed by its issuers in their order';
}
