import { createPrivateKey, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { commonNameOf } from '#fabric-codec';
import { signLowS } from '#fabric-codec/certificates';
import { misconfigured } from '#ledger-gateway';

/** Kinds of keys that Fabric supports: Ed25519 since Fabric 3.0 with the channel capability V3_0. */
export type KeyKind = 'P-256' | 'P-384' | 'Ed25519';

/** An identity that signs transactions. */
export interface SigningIdentity {
  readonly mspId: string;
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS#8. */
  readonly privateKey: string;
  readonly keyKind: KeyKind;
  readonly commonName: string;
  /** Common name, MSP and end of validity, for messages. */
  readonly description: string;
  /** Signs a message (not its digest) as Fabric verifies it, with OpenSSL on the calling thread. */
  readonly sign: (message: Uint8Array) => Uint8Array;
}

/** PEM texts that contain a certificate and its private key, and their origin for messages. */
export interface IdentityMaterial {
  readonly mspId: string;
  readonly certificates: readonly string[];
  readonly privateKeys: readonly string[];
  readonly origin: string;
}

/**
 * Pairs a certificate with its private key. An MSP directory of a Fabric CA client may hold keys of earlier enrolments
 * in addition to the certificate's own.
 * @throws `LEDGER.MISCONFIGURED` when there is no such pair, or Fabric does not support the kind of key
 */
export function signingIdentity({ mspId, certificates, privateKeys, origin }: IdentityMaterial): SigningIdentity {
  const keys = privateKeys.map((pem) => parseKey(pem, origin));
  for (const pem of certificates) {
    const certificate = parseCertificate(pem, origin);
    const key = keys.find((candidate) => certificate.checkPrivateKey(candidate));
    if (key === undefined) continue;
    const keyKind = kindOf(key, origin);
    const commonName = commonNameOf(certificate) ?? certificate.subject;
    return {
      mspId,
      certificate: certificate.toString(),
      privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      keyKind,
      commonName,
      description: `${commonName} of ${mspId} (valid until ${new Date(certificate.validTo).toISOString()})`,
      sign: (message) => SIGN[keyKind](message, key),
    };
  }
  throw misconfigured(`The private key does not belong to the certificate in ${origin}: name a pair.`);
}

/**
 * Fabric verifies ECDSA over SHA-256 on every curve and accepts low S only. The SDKs' own signers are not used: they sign
 * with a JavaScript library (elliptic) that is unmaintained and wrong for nonces with leading zeros (CVE-2025-14505).
 */
const SIGN: Readonly<Record<KeyKind, (message: Uint8Array, key: KeyObject) => Uint8Array>> = {
  'P-256': signLowS,
  'P-384': signP384,
  Ed25519: (message, key) => sign(null, message, key),
};

/** Half of the order of P-384 (SEC 2, section 2.5.1). */
const P384_HALF_ORDER = BigInt(`0x${'ff'.repeat(24)}c7634d81f4372ddf581a0db248b0a77aecec196accc52973`) / 2n;

/** Half of all signatures have a low S value, and each attempt has another nonce. */
function signP384(message: Uint8Array, key: KeyObject): Uint8Array {
  for (;;) {
    const signature = sign('sha256', message, key);
    // SEQUENCE { INTEGER r, INTEGER s }: a tag and a length of one byte each come before each value.
    const lengthOfR = signature.readUInt8(3);
    if (BigInt(`0x${signature.toString('hex', 4 + lengthOfR + 2)}`) <= P384_HALF_ORDER) return signature;
  }
}

function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, origin: string): KeyKind {
  if (asymmetricKeyType === 'ed25519') return 'Ed25519';
  if (asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'P-256';
  if (asymmetricKeyDetails?.namedCurve === 'secp384r1') return 'P-384';
  const kind = asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType ?? 'unknown';
  throw misconfigured(`Fabric supports no keys of the kind ${kind}, as in ${origin}: use ECDSA on P-256 or P-384.`);
}

function parseCertificate(pem: string, origin: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw misconfigured(`${origin} does not contain a PEM certificate where one is expected.`, cause);
  }
}

function parseKey(pem: string, origin: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw misconfigured(`${origin} does not contain an unencrypted PEM private key where one is expected.`, cause);
  }
}
