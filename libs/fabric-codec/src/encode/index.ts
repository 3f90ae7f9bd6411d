export { blockSignatureInput, bytesToSign, draftBlock, encodeBlock, encodeSealedBlock } from './block-encoder.js';
export { encodeConfigBlock } from './config-block.js';
export { collectionSpace, hashedKey, hashedSet, partsOfSpace, type PrivateSet } from './hashed-sets.js';
export {
  blockDataHash,
  blockHash,
  type BlockHeader,
  commitHash,
  compareText,
  NONCE_BYTES,
  type ProposalParts,
  sha256,
  type StateUpdate,
  transactionIdOf,
  type Version,
} from './hashes.js';
export { isLowS, p1363Of } from './low-s.js';
export {
  encodeMetadata,
  type KeyMetadataWrite,
  type KeyRead,
  type KeyWrite,
  type MetadataEntry,
  type RangeRead,
  type ReadWriteSet,
  sortedByKey,
} from './read-write-set.js';
export type { ReadWriteSets } from './read-write-sets.js';
export {
  bytesToEndorse,
  encodeEnvelope,
  encodePayload,
  encodeProposal,
  encodeSignedProposal,
  type Endorsement,
  type Proposal,
  serializeIdentity,
  TransactionEncoder,
} from './transaction-encoder.js';
export { parseTreeEntry, transactionLeaf, transactionLeaves, treeEntry, type TreeEntry } from './tree-entry.js';
