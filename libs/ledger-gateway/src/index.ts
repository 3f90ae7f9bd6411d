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
  ChainPosition,
  FoundRecord,
  RecordFilter,
  RecordName,
  Page,
  SearchQuery,
} from './ports/chain-lists.js';
export type {
  CallOptions,
  ChainInfo,
  CommitObservation,
  Ledger,
  LedgerBlock,
  CallArgument,
  LedgerCall,
  LedgerChannel,
  LedgerLogger,
  LedgerTransaction,
  SubmitResult,
  SubmitStage,
} from './ports/ledger.port.js';
export { callerNameFault } from './signers/signer-registry.js';
