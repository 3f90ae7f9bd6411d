export { cosignedAt, parseCheckpoint, signCheckpoint, type Checkpoint } from './checkpoint.js';
export { rootOf } from './compact-range.js';
export { leafHash, type TreeHead } from './merkle.js';
export { consistencyProof, inclusionProof, pathAmong, rootAt } from './proofs.js';
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
export { Witness, type WitnessedLog, type WitnessState } from './witness.js';
