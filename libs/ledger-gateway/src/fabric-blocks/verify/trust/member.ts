import { verify, X509Certificate, type KeyObject } from 'node:crypto';
import { isLowS } from '../../encode/low-s.js';
import { attempt } from '../attempt.js';

/** A member of an organisation of the channel, known by its certificate. */
export interface Member {
  readonly mspId: string;
  readonly certificate: X509Certificate;
  readonly publicKey: KeyObject;
  /** The organisational units in the certificate's subject. */
  readonly units: readonly string[];
}

/** Reads a PEM or DER certificate; undefined for what is none. */
export function readCertificate(bytes: Uint8Array): X509Certificate | undefined {
  return attempt(() => new X509Certificate(bytes));
}

export function organisationalUnits(certificate: X509Certificate): string[] {
  return certificate.subject
    .split('\n')
    .filter((line) => line.startsWith('OU='))
    .map((line) => line.slice('OU='.length));
}

/**
 * Whether a signature is the member's over the bytes: ECDSA over SHA-256, on P-256 in strict DER with low S as Fabric
 * asks, or Ed25519.
 */
export function isSignedBy({ publicKey }: Member, content: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.asymmetricKeyType === 'ed25519') return verify(null, content, publicKey, signature);
  const isP256 = publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  return (!isP256 || isLowS(signature)) && verify('sha256', content, publicKey, signature);
}

/** The longest chain from a member's certificate to a root that is followed. */
const MAX_CHAIN = 5;

/** Whether a chain of certificates leads from a leaf to one of the roots. */
export function chainsToRoot(
  leaf: X509Certificate,
  roots: readonly X509Certificate[],
  intermediates: readonly X509Certificate[],
  depth = MAX_CHAIN,
): boolean {
  if (depth === 0) return false;
  if (roots.some((root) => isIssuedBy(leaf, root))) return true;
  return intermediates.some(
    (issuer) => isIssuedBy(leaf, issuer) && chainsToRoot(issuer, roots, intermediates, depth - 1),
  );
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
