import type { VerifierKey } from '#tlog/verify';

/**
 * Verifies Ed25519 (RFC 8032) with WebCrypto, for the signatures of logs and witnesses.
 * @throws in a browser without Ed25519
 */
export async function verifyWebSignature(
  { publicKey }: VerifierKey,
  content: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(content));
}
