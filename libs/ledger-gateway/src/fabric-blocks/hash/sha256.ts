import { type Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

/** SHA-256, the one hash that Fabric uses. */
export function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}
