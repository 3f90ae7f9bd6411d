import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { idText, KEY_BYTES, typeOf, verifierKey, type SignatureType, type VerifierKey } from './signed-note.js';
import { base64Of, bytesOfBase64, TlogFault } from './text.js';

// Ed25519 by OpenSSL, for signed notes.

/** A key that signs. */
export interface SignerKey extends VerifierKey {
  /** 32 bytes (RFC 8032). */
  readonly seed: Uint8Array;
}

/** The DER of an Ed25519 key around its 32 bytes (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Creates a key. @throws {@link TlogFault} for a name with white space or a plus sign */
export function generateKey(name: string, type: SignatureType): SignerKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return signerKey(name, type, privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PKCS8.length));
}

/** Parses `PRIVATE+KEY+NAME+ID+base64(type, seed)`, as Go's note package writes it. @throws {@link TlogFault} */
export function parseSignerKey(text: string): SignerKey {
  const [marker, kind, name = '', id = '', ...encoded] = text.trim().split('+');
  const bytes = bytesOfBase64(encoded.join('+')) ?? Buffer.alloc(0);
  const key = signerKey(name, typeOf(bytes[0]), bytes.subarray(1));
  if (marker !== 'PRIVATE' || kind !== 'KEY' || id !== idText(key.id)) throw new TlogFault('it is not a private key');
  return key;
}

/** Returns the secret form of a key. */
export function signerKeyText({ name, id, type, seed }: SignerKey): string {
  return `PRIVATE+KEY+${name}+${idText(id)}+${base64Of(Buffer.concat([Buffer.from([type]), seed]))}`;
}

/** Signs with Ed25519. */
export function signBytes({ seed }: SignerKey, content: Uint8Array): Uint8Array {
  return sign(null, content, createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' }));
}

/** Returns whether a signature is that of a key over a content. */
export function isSignedBy({ publicKey }: VerifierKey, content: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' });
  return verify(null, content, key, signature);
}

function signerKey(name: string, type: SignatureType, seed: Uint8Array): SignerKey {
  if (seed.length !== KEY_BYTES) throw new TlogFault('an Ed25519 key has 32 bytes');
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  return { ...verifierKey(name, type, spki.subarray(SPKI.length)), seed };
}
