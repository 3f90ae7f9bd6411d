import { Buffer } from 'node:buffer';
import { verify, type KeyObject } from 'node:crypto';
import { decodeIdentity } from '../decode/decode-envelope.js';
import { isLowS } from '../encode/low-s.js';
import { attempt } from '../messages/decode-message.js';
import { cached, readCertificate } from './trust/organisation.js';

/** The named signer of a content, and whether the signature is its own. */
export interface SignedBy {
  /** The serialized `msp.SerializedIdentity`. */
  readonly identity: Uint8Array;
  /** Whether the signature was made with the key of the identity's certificate, whether or not that is trusted. */
  readonly isSigned: boolean;
}

/** A public key and its kind. */
export interface SignerKey {
  readonly key: KeyObject;
  readonly kind: 'P-256' | 'Ed25519' | 'other';
}

/** Checks signatures against the certificates in serialized identities, whose keys it caches. */
export class IdentitySignatures {
  readonly #keys = new Map<string, SignerKey | undefined>();

  /** Checks a signature over the content; see {@link isSignedWith}. */
  check(identity: Uint8Array, content: Uint8Array, signature: Uint8Array): SignedBy {
    const name = Buffer.from(identity.buffer, identity.byteOffset, identity.byteLength).toString('latin1');
    const key = cached(this.#keys, name, () => attempt(() => readKey(identity)));
    return { identity, isSigned: key !== undefined && isSignedWith(key, content, signature) };
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
