import { type Buffer } from 'node:buffer';
import { bytesField, join, stringField } from './proto-fields.js';

/** Message `msp.SerializedIdentity`: who signs, as Fabric writes it into headers and endorsements. */
export function serializeIdentity(mspId: string, certificatePem: Uint8Array): Buffer {
  return join([stringField(1, mspId), bytesField(2, certificatePem)]);
}
