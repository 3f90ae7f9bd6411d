export { makeCertificate, type CertificateRequest, type IssuedIdentity } from './certificates/certificate-authority.js';
export type { CaAddress } from './drivers/fabric/connection-profile.js';
export type { CaIdentity, FabricCa } from './drivers/fabric/fabric-ca.js';
export type { FabricOptions } from './drivers/fabric/open-fabric-ledger.js';
export {
  caOfProfile,
  createFabricCa,
  createFabricGatewayLedger,
  createFabricLedger,
} from './drivers/create-fabric-ledgers.js';
export type { FabricGatewayOptions } from './drivers/fabric-gateway/open-fabric-gateway-ledger.js';
export { createChaincodeHost } from './chaincode-host/create-chaincode-host.js';
export { createEmbeddedLedger } from './drivers/embedded/embedded.js';
export type { EmbeddedLedgerOptions } from './drivers/embedded/handover/open-embedded-ledger.js';
export {
  backupLedger,
  convertLedger,
  exportLedger,
  importLedger,
  migrateLedger,
  rebuildLedger,
  renewCaller,
  verifyLedger,
} from './drivers/embedded/embedded.js';
export type { MigrationReport } from './drivers/embedded/maintenance/migrate-ledger.js';
export type { VerificationReport } from './drivers/embedded/maintenance/verify-ledger.js';
export { parseExpectedHead, parseHash, type CheckedParts } from './drivers/embedded/maintenance/report.js';
export {
  contractRefusal,
  isLedgerError,
  isRefusal,
  LEDGER_ERRORS,
  LedgerError,
  type LedgerErrorCode,
  type LedgerErrorFacts,
  type RefusalCode,
} from './errors/ledger.errors.js';
export { makeDirectory, replaceFileDurably, writeFileDurably } from './files/durable-files.js';
export { FileLock } from './files/file-lock.js';
export { installedVersion, toolCommand } from './files/installation.js';
export { namesTwice } from './json/repeated-names.js';
export { type IdempotencyKey, idOfKey } from './idempotency/keyed-calls.js';
export { callerNameFault } from './signers/signer-registry.js';
export { CallSlots } from './threads/call-slots.js';
export type { ChaincodesOptions } from './ports/chaincode.port.js';
export type * from './ports/ledger.port.js';
export type { ReceiptReport, ReceiptStep } from './fabric-blocks/receipt/verify-receipt.js';
export { readRoots, TrustedRoots, type TrustedRoot } from './fabric-blocks/receipt/trusted-roots.js';
export { escapeInvisible, type TextEncoding } from './fabric-blocks/messages/text.js';
export { readOpensslCertificate } from './fabric-blocks/receipt/openssl-certificate.js';
export { placeInBlock, witnessedReceiptText } from './fabric-blocks/receipt/receipt.js';
export { conclusionOf } from './fabric-blocks/receipt/report-text.js';
export { verifyReceipt } from './fabric-blocks/receipt/verify-receipt.js';
export { decodeBlock, type DecodedBlock } from './fabric-blocks/decode/decode-block.js';
export { decodeEnvelope, type DecodedEvent } from './fabric-blocks/decode/decode-envelope.js';
export { CreatorNames } from './chain-pages/chain-pages.js';
export { previousKeys } from './chain-pages/previous-keys.js';
export { keyChanges, type KeyChange, type TransactionChanges } from './fabric-blocks/describe/key-changes.js';
export type { JsonObject } from './fabric-blocks/messages/message-json.js';
export { describeTransaction } from './fabric-blocks/describe/describe-transaction.js';
export { checkDataDirectory } from './drivers/embedded/store/data-directory.js';
export { blockHash } from './fabric-blocks/encode/hashes.js';
export { parseTreeEntry, transactionLeaf, transactionLeaves, treeEntry } from './fabric-blocks/encode/tree-entry.js';
