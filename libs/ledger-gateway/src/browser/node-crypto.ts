import { sha256 } from '@noble/hashes/sha2.js';
import { Buffer } from './node-buffer.js';

// The part of `node:crypto` that the verification of receipts uses; see node-buffer.ts. WebCrypto hashes asynchronously only, and
// blocks are decoded synchronously.

/** Returns the SHA-256 of bytes. `binary` is Latin-1. */
export function hash(...[, bytes, encoding]: [algorithm: 'sha256', Uint8Array, 'binary' | 'hex']): string {
  return Buffer.from(sha256(bytes)).toString(encoding === 'binary' ? 'latin1' : encoding);
}

/** Computes the SHA-256 of several byte strings. */
export function createHash(): { update(bytes: Uint8Array): void; digest(): Uint8Array } {
  const state = sha256.create();
  return {
    update: (bytes) => {
      state.update(bytes);
    },
    digest: () => Buffer.from(state.digest()),
  };
}
