/** Facts about a failure beside its text. */
export interface LedgerErrorFacts {
  readonly cause?: unknown;
  readonly transactionId?: string;
  readonly endpoint?: string;
}

/** What every failure of a ledger is: a class, a stable code, and a text that says what to do. */
export abstract class LedgerError extends Error {
  abstract readonly code: LedgerErrorCode;
  /** Whether the same call may simply be sent again. */
  abstract readonly retryable: boolean;
  readonly transactionId: string | undefined;
  readonly endpoint: string | undefined;

  constructor(message: string, facts: LedgerErrorFacts = {}) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.name = new.target.name;
    this.transactionId = facts.transactionId;
    this.endpoint = facts.endpoint;
  }
}

/** Why a contract refused; our contract says it by code, stock chaincode by text that its driver reads. */
export type RefusalCode =
  | 'LEDGER.ASSET_NOT_FOUND'
  | 'LEDGER.ASSET_EXISTS'
  | 'LEDGER.ASSET_CHANGED'
  | 'LEDGER.INVALID_ARGUMENT'
  | 'LEDGER.FUNCTION_UNKNOWN'
  | 'LEDGER.REFUSED';

export type LedgerErrorCode =
  | RefusalCode
  | 'LEDGER.CONFLICT'
  | 'LEDGER.UNAVAILABLE'
  | 'LEDGER.OUTCOME_UNKNOWN'
  | 'LEDGER.TIMEOUT'
  | 'LEDGER.OVERLOADED'
  | 'LEDGER.UNKNOWN_CALLER'
  | 'LEDGER.CALLER_REFUSED'
  | 'LEDGER.CHAINCODE_UNKNOWN'
  | 'LEDGER.KEY_REUSED'
  | 'LEDGER.KEY_IN_USE'
  | 'LEDGER.OUTCOME_PRUNED'
  | 'LEDGER.INVALID_TRANSACTION'
  | 'LEDGER.MISCONFIGURED'
  | 'LEDGER.READ_ONLY'
  | 'LEDGER.DAMAGED'
  | 'LEDGER.NOT_SUPPORTED';

/** What the port calls the refusals of our own contract, wherever it runs. */
const REFUSAL_CODES = {
  ASSET_NOT_FOUND: 'LEDGER.ASSET_NOT_FOUND',
  ASSET_EXISTS: 'LEDGER.ASSET_EXISTS',
  ASSET_CHANGED: 'LEDGER.ASSET_CHANGED',
  INVALID_ARGUMENT: 'LEDGER.INVALID_ARGUMENT',
  FUNCTION_UNKNOWN: 'LEDGER.FUNCTION_UNKNOWN',
  NOT_AN_ASSET: 'LEDGER.REFUSED',
} as const satisfies Record<string, RefusalCode>;

/** The contract's own rules said no; nothing was written. */
export class ContractRefusalError extends LedgerError {
  readonly retryable = false;
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, facts?: LedgerErrorFacts) {
    super(message, facts);
    this.code = code;
  }
}

/** Another transaction changed what this one had read (MVCC_READ_CONFLICT, PHANTOM_READ_CONFLICT); nothing was written. */
export class ConflictError extends LedgerError {
  readonly code = 'LEDGER.CONFLICT';
  readonly retryable = true;
}

/** A peer, orderer, chaincode or the store cannot be reached; nothing was written. */
export class UnavailableError extends LedgerError {
  readonly code = 'LEDGER.UNAVAILABLE';
  readonly retryable = true;
}

/** The transaction was sent and its end is not known: it may yet commit. Look it up by its id; do not send it again. */
export class OutcomeUnknownError extends LedgerError {
  readonly code = 'LEDGER.OUTCOME_UNKNOWN';
  readonly retryable = false;
  declare readonly transactionId: string;

  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- it makes the transaction id obligatory
  constructor(message: string, facts: LedgerErrorFacts & { readonly transactionId: string }) {
    super(message, facts);
  }
}

/** No answer before the deadline, and nothing was ordered. */
export class LedgerTimeoutError extends LedgerError {
  readonly code = 'LEDGER.TIMEOUT';
  readonly retryable = true;
}

/** More calls wait than the ledger takes; nothing was written. */
export class OverloadedError extends LedgerError {
  readonly code = 'LEDGER.OVERLOADED';
  readonly retryable = true;
}

/** No identity signs for the caller that was named; nothing was sent. */
export class UnknownCallerError extends LedgerError {
  readonly code = 'LEDGER.UNKNOWN_CALLER';
  readonly retryable = false;
}

/** The network does not accept the caller's identity: it is revoked, expired, or not a member of the channel. Nothing was written. */
export class CallerRefusedError extends LedgerError {
  readonly code = 'LEDGER.CALLER_REFUSED';
  readonly retryable = false;
}

/** The channel has no chaincode of the name that a call gave; nothing was written. */
export class ChaincodeUnknownError extends LedgerError {
  readonly code = 'LEDGER.CHAINCODE_UNKNOWN';
  readonly retryable = false;
}

/** The idempotency key stands for another write already; nothing was written. */
export class KeyReusedError extends LedgerError {
  readonly code = 'LEDGER.KEY_REUSED';
  readonly retryable = false;
}

/** Another copy of the write is under way, and its end was not seen in time; this one has written nothing. */
export class KeyInUseError extends LedgerError {
  readonly code = 'LEDGER.KEY_IN_USE';
  readonly retryable = true;
}

/** The write is recorded, and what became of it stands in blocks that no peer asked has kept; nothing more was written. */
export class OutcomePrunedError extends LedgerError {
  readonly code = 'LEDGER.OUTCOME_PRUNED';
  readonly retryable = false;
}

/** The transaction of an idempotency key is recorded as invalid, for a reason that no repetition mends; nothing was written. */
export class InvalidTransactionError extends LedgerError {
  readonly code = 'LEDGER.INVALID_TRANSACTION';
  readonly retryable = false;
}

/** The configuration cannot work: an unknown channel, chaincode or identity, another ledger's directory, a newer format. */
export class MisconfiguredError extends LedgerError {
  readonly code = 'LEDGER.MISCONFIGURED';
  readonly retryable = false;
}

/** The store takes no more writes until a restart (a failed fsync, a full disk); reads go on. */
export class ReadOnlyError extends LedgerError {
  readonly code = 'LEDGER.READ_ONLY';
  readonly retryable = false;
}

/** What is asked for cannot be had of this chaincode by this driver; nothing was written. */
export class NotSupportedError extends LedgerError {
  readonly code = 'LEDGER.NOT_SUPPORTED';
  readonly retryable = false;
}

/** What is stored is not what was written. */
export class DamagedError extends LedgerError {
  readonly code = 'LEDGER.DAMAGED';
  readonly retryable = false;
}

type LedgerErrorClass = new (
  message: string,
  facts: LedgerErrorFacts & { readonly transactionId: string },
) => LedgerError;

const CLASSES: Readonly<Record<Exclude<LedgerErrorCode, RefusalCode>, LedgerErrorClass>> = {
  'LEDGER.CONFLICT': ConflictError,
  'LEDGER.UNAVAILABLE': UnavailableError,
  'LEDGER.OUTCOME_UNKNOWN': OutcomeUnknownError,
  'LEDGER.TIMEOUT': LedgerTimeoutError,
  'LEDGER.OVERLOADED': OverloadedError,
  'LEDGER.UNKNOWN_CALLER': UnknownCallerError,
  'LEDGER.CALLER_REFUSED': CallerRefusedError,
  'LEDGER.CHAINCODE_UNKNOWN': ChaincodeUnknownError,
  'LEDGER.KEY_REUSED': KeyReusedError,
  'LEDGER.KEY_IN_USE': KeyInUseError,
  'LEDGER.OUTCOME_PRUNED': OutcomePrunedError,
  'LEDGER.INVALID_TRANSACTION': InvalidTransactionError,
  'LEDGER.MISCONFIGURED': MisconfiguredError,
  'LEDGER.READ_ONLY': ReadOnlyError,
  'LEDGER.DAMAGED': DamagedError,
  'LEDGER.NOT_SUPPORTED': NotSupportedError,
};

/** A refusal of our contract, as the contract says it (`ContractError`), as the port says it. */
export function contractRefusal(
  refusal: Readonly<{ code: keyof typeof REFUSAL_CODES; reason: string }>,
  facts: LedgerErrorFacts = { cause: refusal },
): ContractRefusalError {
  return new ContractRefusalError(REFUSAL_CODES[refusal.code], refusal.reason, facts);
}

/** The error of a code: what has crossed to another thread has lost its class. */
export function ledgerError(code: LedgerErrorCode, message: string, facts: LedgerErrorFacts = {}): LedgerError {
  const Class = code in CLASSES ? CLASSES[code as keyof typeof CLASSES] : undefined;
  if (Class === undefined) return new ContractRefusalError(code as RefusalCode, message, facts);
  return new Class(message, facts as LedgerErrorFacts & { readonly transactionId: string });
}
