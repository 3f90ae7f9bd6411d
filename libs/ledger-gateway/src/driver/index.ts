// What drivers need in addition to the port: they implement it, and the lists that several of them share.
export {
  type LedgerErrorFacts,
  outcomeUnknown,
  type RefusalCode,
  unknownOrganization,
  writesDisabled,
} from '../errors/ledger.errors.js';
export type {
  BlockSummary,
  CreatedAssets,
  HourCount,
  LedgerTotals,
  PageAfter,
  PageBefore,
  Suggestion,
  SuggestionKind,
  TimeRange,
  TransactionCreator,
  TransactionFilter,
  TransactionSummary,
} from '../ports/chain-lists.js';
export type {
  ChainLists,
  BlockRange,
  ConnectionState,
  IndexState,
  LedgerCapabilities,
  SigningOptions,
  WritingOptions,
} from '../ports/ledger.port.js';
export { argumentBytes, textArguments } from '../arguments/call-arguments.js';
export { loadWithSdk } from './load-with-sdk.js';
export { TransientTexts, withoutTransient } from '../errors/transient-data.js';
export { attemptNonce, type IdempotencyKey, KeyedCalls, keyOf } from '../idempotency/keyed-calls.js';
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
