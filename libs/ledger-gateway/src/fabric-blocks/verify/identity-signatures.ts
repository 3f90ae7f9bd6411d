import { Buffer } from 'node:buffer';
import { verify, type KeyObject } from 'node:crypto';
import { decodeIdentity } from '../decode/decode-envelope.js';
import { isLowS } from '../encode/low-s.js';
import { attempt } from '../messages/decode-message.js';
import { readCertificate } from './trust/organisation.js';
import { remember } from './trust/channel-trust.js';

/** The named signer of a content, and whether the signature is its own. */
export interface SignedBy {
  /** Index in the identities that were encountered. */
  readonly identity: number;
  /** Whether the signature was made with the key of the identity's certificate, whether or not that is trusted. */
  readonly isSigned: boolean;
}

/** A public key and its kind. */
export interface SignerKey {
  readonly key: KeyObject;
  readonly kind: 'P-256' | 'Ed25519' | 'other';
}

/** Checks signatures against the certificates in serialized identities, which it numbers. */
export class IdentitySignatures {
  /** The `msp.SerializedIdentity`s encountered since {@link begin}. */
  readonly identities: Uint8Array[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #keys: Map<string, SignerKey | undefined>;

  constructor(keys = new Map<string, SignerKey | undefined>()) {
    this.#keys = keys;
  }

  /** Starts a new numbering with the same cache of keys. */
  begin(): IdentitySignatures {
    return new IdentitySignatures(this.#keys);
  }

  /** Checks a signature over the content; see {@link isSignedWith}. */
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

function readKey(identity: Uint8Array): SignerKey | undefined {
  const key = readCertificate(decodeIdentity(identity).idBytes)?.publicKey;
  return key && signerKey(key);
}

/** Determines the kind of a public key, once for all its signatures. */
export function signerKey(key: KeyObject): SignerKey {
  if (key.asymmetricKeyType === 'ed25519') return { key, kind: 'Ed25519' };
  return { key, kind: key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'P-256' : 'other' };
}

/** Verifies ECDSA over SHA-256, on P-256 in strict DER with low S as Fabric requires, or Ed25519. */
export function isSignedWith({ key, kind }: SignerKey, content: Uint8Array, signature: Uint8Array): boolean {
  if (kind === 'P-256' && !isLowS(signature)) return false;
  // A key of a kind that cannot verify throws: its signatures are invalid.
  return attempt(() => verify(kind === 'Ed25519' ? null : 'sha256', content, key, signature)) === true;
}
