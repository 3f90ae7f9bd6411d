export { loadWithSdk } from './load-with-sdk.js';
export { TransientTexts, withoutTransient } from '../errors/transient-data.js';
export { attemptNonce, KeyedCalls, keyOf } from '../idempotency/keyed-calls.js';
export { isConflict, readAttempt, type RecordedAttempt, type RecordedWrite } from '../idempotency/recorded-write.js';
export {
  CertificateNotes,
  certificatesIn,
  earlierCreators,
  type NotedCertificate,
  SERVICE,
  succeedingText,
} from '../signers/certificate-notes.js';
export { SignerRegistry } from '../signers/signer-registry.js';
