import { sha256 } from '@noble/hashes/sha2.js';
import { Buffer } from './node-buffer.js';

// The part of `node:crypto` that the verification of receipts uses; see node-buffer.ts. WebCrypto hashes asynchronously only, and
// blocks are decoded synchronously.

/** Returns the SHA-256 of bytes, in hexadecimal by default. `binary` is Latin-1. */
export function hash(...[, bytes, encoding = 'hex']: [algorithm: 'sha256', Uint8Array, ('binary' | 'hex')?]): string {
  return Buffer.from(sha256(bytes)).toString(encoding === 'binary' ? 'latin1' : encoding);
}

/** Computes the SHA-256 of several byte strings. */
class Sha256 {
  readonly #state = sha256.create();

  update(bytes: Uint8Array | string): this {
    this.#state.update(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    return this;
  }

  digest(): ReturnType<typeof Buffer.from>;
  digest(encoding: 'hex'): string;
  digest(encoding?: 'hex'): ReturnType<typeof Buffer.from> | string {
    const bytes = Buffer.from(this.#state.digest());
    return encoding === undefined ? bytes : bytes.toString(encoding);
  }
}

/** Returns a hash that bytes and text are added to. SHA-256 is the only algorithm. */
export function createHash(): Sha256 {
  return new Sha256();
}

/** Imported by modules of the codec that verify whole chains. The bundler removes them, because pages do not use them. */
export const verify = undefined;
export const X509Certificate = undefined;
