import { hash } from 'node:crypto';
import { join } from '../encode/proto-fields.js';

/** A transaction's id: SHA-256 of the nonce and the serialized creator, as 64 hexadecimal characters. */
export function transactionIdOf(nonce: Uint8Array, creator: Uint8Array): string {
  return hash('sha256', join([nonce, creator]), 'hex');
}
