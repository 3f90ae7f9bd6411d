import type { KeyObject } from 'node:crypto';
import { signLowS } from '../fabric-blocks/encode/low-s.js';

/** Whether {@link signNatively} can sign with this key: P-256, which Fabric's CAs and cryptogen issue. */
export function signsNatively({ asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

/**
 * Signs a message as Fabric's SDKs do (ECDSA with SHA-256, DER, low S), by OpenSSL instead of JavaScript: a create
 * needs three signatures, which cost the SDKs' own signers most of their time.
 */
export function signNatively(message: Uint8Array, privateKey: KeyObject): Uint8Array {
  return signLowS(message, privateKey);
}
