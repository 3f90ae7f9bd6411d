import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

/**
 * SHA-256, the one hash that Fabric uses. By way of a text of its bytes, it costs half: the result then lies in Node's pool,
 * and not in memory of its own that the garbage collector has to know of.
 */
export function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'latin1');
}
