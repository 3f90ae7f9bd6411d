import type { Buffer } from 'node:buffer';
import { sign, type KeyObject } from 'node:crypto';
import { lowS } from '../encode/low-s.js';

// In its own file, because low-s.ts also runs in browsers.

/** Signs on the calling thread as Fabric requires: ECDSA over P-256 and SHA-256, DER, low S. */
export function signLowS(message: Uint8Array, privateKey: KeyObject): Buffer {
  // Node needs two to three times as long for a signature in IEEE P1363 form.
  return lowS(sign('sha256', message, privateKey));
}
