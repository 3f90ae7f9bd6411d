import { Buffer } from 'node:buffer';
import { verify, type KeyObject } from 'node:crypto';
import { attempt } from '../decode/read-message.js';
import { readIdentity } from '../decode/decode-envelope.js';
import { isLowS } from '../encode/low-s.js';
import { remember } from './trust/channel-trust.js';
import { readCertificate } from './trust/organisation.js';

/** Who is named as the signer of something, and whether that is true. */
export interface SignedBy {
  /** Which of the identities that were met. */
  readonly identity: number;
  /** Whether the signature is that of the certificate in the identity, whoever vouches for it. */
  readonly isSigned: boolean;
}

/** A public key and how signatures with it are made. */
export interface SignerKey {
  readonly key: KeyObject;
  readonly kind: 'P-256' | 'Ed25519' | 'other';
}

/** Checks signatures against the certificates in serialized identities, which it counts. */
export class IdentitySignatures {
  /** The `msp.SerializedIdentity`s met since {@link begin}. */
  readonly identities: Uint8Array[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #keys: Map<string, SignerKey | undefined>;

  constructor(keys = new Map<string, SignerKey | undefined>()) {
    this.#keys = keys;
  }

  /** Counts identities anew, and goes on with the keys that were read. */
  begin(): IdentitySignatures {
    return new IdentitySignatures(this.#keys);
  }

  /** Whether a signature is over the content, and whose; see {@link isSignedWith}. */
  check(identity: Uint8Array, content: Uint8Array, signature: Uint8Array): SignedBy {
    const name = Buffer.from(identity.buffer, identity.byteOffset, identity.byteLength).toString('latin1');
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.identities.push(identity) - 1;
      this.#numbers.set(name, number);
    }
    const read = (): SignerKey | undefined => attempt(() => readKey(identity));
    const key = this.#keys.has(name) ? this.#keys.get(name) : remember(this.#keys, name, read());
    return { identity: number, isSigned: key !== undefined && isSignedWith(key, content, signature) };
  }
}

/** The key in the certificate of an identity. */
function readKey(identity: Uint8Array): SignerKey | undefined {
  const key = readCertificate(readIdentity(identity).idBytes)?.publicKey;
  return key && signerKey(key);
}

/** What is to be known of a public key once. */
export function signerKey(key: KeyObject): SignerKey {
  if (key.asymmetricKeyType === 'ed25519') return { key, kind: 'Ed25519' };
  return { key, kind: key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'P-256' : 'other' };
}

/** ECDSA over SHA-256, on P-256 in strict DER with low S as Fabric asks, or Ed25519. */
export function isSignedWith({ key, kind }: SignerKey, content: Uint8Array, signature: Uint8Array): boolean {
  if (kind === 'P-256' && !isLowS(signature)) return false;
  // A key of a kind that cannot verify throws: nothing is signed with it.
  return attempt(() => verify(kind === 'Ed25519' ? null : 'sha256', content, key, signature)) === true;
}
