export { decodeBlock, type DecodedBlock, findTransaction, type LedgerTransaction } from './decode/decode-block.js';
export {
  type CollectionSets,
  decodeActions,
  decodeCall,
  type DecodedAction,
  type DecodedEnvelope,
  type DecodedEvent,
  decodeEnvelope,
  decodeEvent,
  decodeIdentity,
  decodeReadWriteSets,
  type NamespaceSets,
} from './decode/decode-envelope.js';
export { certificateName, commonNameOf } from './describe/certificate-name.js';
export { calledFunction, describeTransaction } from './describe/describe-transaction.js';
export { keyChanges, type TransactionChanges } from './describe/key-changes.js';
export { policyOrganizations } from './describe/policy-organizations.js';
export { DecodingError } from './messages/decode-message.js';
export {
  base64,
  encodedText,
  escapeInvisible,
  headerTypeName,
  hex,
  pemCertificatesIn,
  quoted,
  quotedShort,
  shortened,
  shownText,
  textOrBase64,
  validationCodeName,
} from './messages/text.js';
