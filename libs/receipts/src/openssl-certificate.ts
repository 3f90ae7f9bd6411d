import type { KeyObject, X509Certificate } from 'node:crypto';
import { attempt } from '#fabric-codec/messages';
import { isIssuedBy, isSignedWith, readCertificate, subjectValues } from '#fabric-codec/verify';
import type { Certificate } from './trusted-roots.js';

/** Reads a PEM or DER certificate with Node's OpenSSL; returns undefined for other bytes. */
export function readOpensslCertificate(bytes: Uint8Array): Certificate | undefined {
  const certificate = readCertificate(bytes);
  return certificate && new OpensslCertificate(certificate);
}

class OpensslCertificate implements Certificate {
  readonly #certificate: X509Certificate;

  constructor(certificate: X509Certificate) {
    this.#certificate = certificate;
  }

  get ca(): boolean {
    return this.#certificate.ca;
  }

  get units(): readonly string[] {
    return subjectValues(this.#certificate, 'OU');
  }

  get commonName(): string | undefined {
    return attempt(() => subjectValues(this.#certificate, 'CN').at(-1));
  }

  get fingerprint(): string {
    return this.#certificate.fingerprint256;
  }

  isIssuedBy(issuer: Certificate): boolean {
    return issuer instanceof OpensslCertificate && isIssuedBy(this.#certificate, issuer.#certificate);
  }

  hasSigned(content: Uint8Array, signature: Uint8Array): boolean {
    // A key of a kind that cannot verify throws: its signatures are invalid.
    return attempt(() => isSignedWith(this.#certificate.publicKey, content, signature)) === true;
  }

  loadKey(): KeyObject {
    // OpenSSL reads the key lazily, and throws for an unknown curve.
    return this.#certificate.publicKey;
  }
}
