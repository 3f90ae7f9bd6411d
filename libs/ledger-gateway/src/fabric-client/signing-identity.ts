import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { MisconfiguredError } from '../errors/ledger.errors.js';

/** Who signs transactions. */
export interface SigningIdentity {
  readonly mspId: string;
  /** PEM. */
  readonly certificate: string;
  readonly privateKey: KeyObject;
  /** For texts: common name, MSP and end of validity. */
  readonly description: string;
}

/** PEM texts of which one certificate and its private key are wanted; where they came from, for texts. */
export interface IdentityMaterial {
  readonly mspId: string;
  readonly certificates: readonly string[];
  readonly privateKeys: readonly string[];
  readonly origin: string;
}

/**
 * Pairs a certificate with its private key. An MSP directory of a Fabric CA client may hold keys of earlier enrolments
 * beside the one that belongs to the certificate.
 * @throws {@link MisconfiguredError} when there is no such pair
 */
export function signingIdentity({ mspId, certificates, privateKeys, origin }: IdentityMaterial): SigningIdentity {
  const keys = privateKeys.map((pem) => parseKey(pem, origin));
  for (const pem of certificates) {
    const certificate = parseCertificate(pem, origin);
    const privateKey = keys.find((key) => certificate.checkPrivateKey(key));
    if (privateKey === undefined) continue;
    return {
      mspId,
      certificate: certificate.toString(),
      privateKey,
      description: describeIdentity(mspId, certificate),
    };
  }
  throw new MisconfiguredError(`The private key does not belong to the certificate in ${origin}: name a pair.`);
}

function describeIdentity(mspId: string, certificate: X509Certificate): string {
  const commonName = /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? certificate.subject;
  return `${commonName} of ${mspId} (valid until ${new Date(certificate.validTo).toISOString()})`;
}

function parseCertificate(pem: string, origin: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new MisconfiguredError(`${origin} holds no PEM certificate where one is expected.`, { cause });
  }
}

function parseKey(pem: string, origin: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new MisconfiguredError(`${origin} holds no unencrypted PEM private key where one is expected.`, { cause });
  }
}
