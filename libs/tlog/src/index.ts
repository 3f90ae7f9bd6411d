export { cosignaturesBy, parseCheckpoint, type Checkpoint } from './checkpoint.js';
export { rootOf } from './compact-range.js';
export { cosignedAt, isSignedByLog, signCheckpoint } from './cosignature.js';
export { HASH_BYTES, isConsistent, isSameHash, leafHash, type TreeHead } from './merkle.js';
export { checkSigners, isQuorum, parsePolicy, type Policy, type PolicyWitness } from './policy.js';
export { consistencyProof, inclusionProof, pathAmong, rootAt } from './proofs.js';
export { parseVerifierKey, SignatureType, verifierKeyText, type VerifierKey } from './signed-note.js';
export { generateKey, isSignedBy, parseSignerKey, signerKeyText, type SignerKey } from './signing-keys.js';
export { TlogFault } from './text.js';
export {
  entryBundle,
  hashesOf,
  nodesOfTiles,
  parseEntryBundle,
  parseTilePath,
  TILE_WIDTH,
  TileBuilder,
  tilePath,
  tileWidth,
  type Tile,
} from './tiles.js';
export { tlogProofText } from './tlog-proof.js';
export { verifiedTiles } from './verified-tiles.js';
export { ForkError, WitnessClient } from './witness-client.js';
export { Witness, type WitnessedLog, type WitnessState } from './witness.js';
