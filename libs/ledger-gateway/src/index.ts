// What callers of a ledger need. What only drivers need is in ./driver.
export {
  contractRefusal,
  damaged,
  isLedgerError,
  isRefusal,
  LEDGER_ERRORS,
  LedgerError,
  type LedgerErrorCode,
  misconfigured,
} from './errors/ledger.errors.js';
export { idOfKey } from './idempotency/keyed-calls.js';
export type {
  AssetChange,
  AssetFilter,
  CallOptions,
  ChainInfo,
  ChainPosition,
  CommitObservation,
  Ledger,
  LedgerBlock,
  LedgerCall,
  LedgerChannel,
  LedgerLogger,
  LedgerTransaction,
  FoundRecord,
  RecordFilter,
  RecordName,
  Page,
  SearchQuery,
  SubmitResult,
  SubmitStage,
} from './ports/ledger.port.js';
export { callerNameFault } from './signers/signer-registry.js';
