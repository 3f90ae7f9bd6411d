import { createPrivateKey, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { LedgerError } from '../errors/ledger.errors.js';
import { signLowS } from '../fabric-blocks/encode/low-s.js';

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
    const commonName = commonNameOf(certificate);
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
  throw new LedgerError(
    'LEDGER.MISCONFIGURED',
    `The private key does not belong to the certificate in ${origin}: name a pair.`,
  );
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

/** The order of P-384 (SEC 2, section 2.5.1), and the length of a number below it in bytes. */
const P384_ORDER = BigInt(`0x${'ff'.repeat(24)}c7634d81f4372ddf581a0db248b0a77aecec196accc52973`);
const P384_BYTES = 48;

function signP384(message: Uint8Array, key: KeyObject): Uint8Array {
  const signature = sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' });
  const s = BigInt(`0x${signature.toString('hex', P384_BYTES)}`);
  const low = s > P384_ORDER / 2n ? P384_ORDER - s : s;
  const numbers = [derInteger(signature.toString('hex', 0, P384_BYTES)), derInteger(low.toString(16))].join('');
  return Buffer.from(`30${hexByte(numbers.length / 2)}${numbers}`, 'hex');
}

/** Encodes a positive number in hexadecimal as an ASN.1 INTEGER in its shortest form. */
function derInteger(hex: string): string {
  const digits = BigInt(`0x${hex}`).toString(16);
  const whole = digits.length % 2 === 0 ? digits : `0${digits}`;
  const positive = Number.parseInt(whole.slice(0, 2), 16) >= 0x80 ? `00${whole}` : whole;
  return `02${hexByte(positive.length / 2)}${positive}`;
}

function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0');
}

function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, origin: string): KeyKind {
  if (asymmetricKeyType === 'ed25519') return 'Ed25519';
  if (asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'P-256';
  if (asymmetricKeyDetails?.namedCurve === 'secp384r1') return 'P-384';
  const kind = asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType ?? 'unknown';
  throw new LedgerError(
    'LEDGER.MISCONFIGURED',
    `Fabric takes no keys of the kind ${kind}, as in ${origin}: use ECDSA on P-256 or P-384.`,
  );
}

function commonNameOf({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject;
}

function parseCertificate(pem: string, origin: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new LedgerError('LEDGER.MISCONFIGURED', `${origin} holds no PEM certificate where one is expected.`, {
      cause,
    });
  }
}

function parseKey(pem: string, origin: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `${origin} holds no unencrypted PEM private key where one is expected.`,
      { cause },
    );
  }
}
