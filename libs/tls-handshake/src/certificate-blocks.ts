/** The labels that OpenSSL reads as certificates, at the beginning of a line: `openssl x509 -trustout` writes the last one. */
const CERTIFICATE = /^(?=-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----)/m;
const TRUSTED = '-----BEGIN TRUSTED ';

/** Returns the certificates in a PEM file in their order, each as PEM with what follows it. */
export function certificateBlocks(pem: string): readonly string[] {
  return pem.split(CERTIFICATE).filter((each) => CERTIFICATE.test(each));
}

/** Returns whether a certificate after the first one has a label with which OpenSSL reads it, but does not send it in a chain. */
export function hasUnsentIssuer(pem: string): boolean {
  return certificateBlocks(pem)
    .slice(1)
    .some((each) => each.startsWith(TRUSTED));
}
