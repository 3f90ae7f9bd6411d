export { cosignedAt, parseCheckpoint } from './checkpoint.js';
export {
  generateKey,
  parseSignerKey,
  parseVerifierKey,
  signerKeyText,
  SignatureType,
  verifierKeyText,
  type SignerKey,
  type VerifierKey,
} from './signed-note.js';
export { Witness, type WitnessedLog, type WitnessState } from './witness.js';
