export { attempt, canonicalFault, decodeMessage, decoding } from './decode-message.js';
export { HeaderType, METADATA_ENTRIES, MetadataIndex, TxValidationCode } from './enums.js';
export {
  Block,
  BlockchainInfo,
  ChaincodeEvent,
  ChannelQueryResponse,
  Envelope,
  ErrorDetail,
  Header,
  KVMetadataWrite,
  OrdererBlockMetadata,
  ProcessedTransaction,
  Proposal,
  RpcStatus,
  SignedMetadata,
} from './fabric-messages.js';
export type { JsonObject } from './message-json.js';
export {
  booleanField,
  bytesField,
  elementField,
  integerField,
  join,
  messageField,
  stringField,
} from './proto-fields.js';
export { bytes, type Decoded, integer, many, message, type MessageSchema, one, text } from './schema.js';
