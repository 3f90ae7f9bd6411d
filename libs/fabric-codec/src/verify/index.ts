export { ChainVerifier, type VerifiedHead } from './chain-verifier.js';
export { type BlockContent, BlockExaminer, type ExaminedBlock } from './examine-block.js';
export {
  type Check,
  type ExaminedCall,
  type ExaminedEnvelope,
  type ExaminedSummary,
  type ExaminedTransaction,
  examineSignatures,
  examineTransaction,
  isPassed,
} from './examine-transaction.js';
export type { ReplayState } from './replay/block-replay.js';
export { ChannelTrust } from './trust/channel-trust.js';
export { type CertificateFacts, memberFault, type Role, type SignatureChecker } from './trust/membership.js';
export { isIssuedBy, isSignedWith, readCertificate, subjectValues } from './trust/organisation.js';
