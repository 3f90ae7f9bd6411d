// What verifies proofs. It also runs in browsers: of node:crypto it uses SHA-256 only.
export { parseCheckpoint, type Checkpoint } from './checkpoint.js';
export { CompactRange, rootOf } from './compact-range.js';
export { isIncluded, isSameHash, leafHash, rootFromPath, type TreeHead } from './merkle.js';
export { pathAmong } from './proofs.js';
export { checkSigners, parsePolicy, type CheckpointSigners, type Policy, type VerifySignature } from './policy.js';
export type { VerifierKey } from './signed-note.js';
export { TlogFault } from './text.js';
export { parseTlogProof, type TlogProof } from './tlog-proof.js';
