import { DecodingError } from '#fabric-codec';

/**
 * The failures of a ledger by their stable codes. Each row states what a driver promises with the code:
 * `retryable`: the same call may be sent again, and may then succeed.
 * `outcome`: whether a write took effect. `refused` and `unwritten`: nothing was written, because the contract refused
 * the call, or for another reason. `recorded`: an earlier copy of the write is in the chain. `unknown`: the transaction
 * was sent and may still be committed, so that it must be looked up by its id before it is sent again.
 */
export const LEDGER_ERRORS = {
  'LEDGER.ASSET_NOT_FOUND': { retryable: false, outcome: 'refused' },
  'LEDGER.ASSET_EXISTS': { retryable: false, outcome: 'refused' },
  'LEDGER.ASSET_CHANGED': { retryable: false, outcome: 'refused' },
  'LEDGER.RECORD_NOT_FOUND': { retryable: false, outcome: 'refused' },
  'LEDGER.RECORD_EXISTS': { retryable: false, outcome: 'refused' },
  'LEDGER.RECORD_CHANGED': { retryable: false, outcome: 'refused' },
  'LEDGER.RECORD_INVALID': { retryable: false, outcome: 'refused' },
  'LEDGER.RECORD_APPEND_ONLY': { retryable: false, outcome: 'refused' },
  'LEDGER.RECORD_NOT_ERASABLE': { retryable: false, outcome: 'refused' },
  'LEDGER.RECORD_TYPE_UNKNOWN': { retryable: false, outcome: 'refused' },
  'LEDGER.RECORD_TYPE_INVALID': { retryable: false, outcome: 'refused' },
  'LEDGER.RECORD_TYPE_CONFLICT': { retryable: false, outcome: 'refused' },
  'LEDGER.INVALID_ARGUMENT': { retryable: false, outcome: 'refused' },
  'LEDGER.FUNCTION_UNKNOWN': { retryable: false, outcome: 'refused' },
  'LEDGER.REFUSED': { retryable: false, outcome: 'refused' },
  /** Another transaction changed a value that this one had read (MVCC_READ_CONFLICT, PHANTOM_READ_CONFLICT). */
  'LEDGER.CONFLICT': { retryable: true, outcome: 'unwritten' },
  /** Peers endorsed different results of a call, in every retry. */
  'LEDGER.NOT_DETERMINISTIC': { retryable: false, outcome: 'unwritten' },
  /** A call names an endorsing organization that the channel does not have. */
  'LEDGER.ORGANIZATION_UNKNOWN': { retryable: false, outcome: 'unwritten' },
  /** No combination of the channel's peers satisfies the policies of a call. */
  'LEDGER.POLICY_UNSATISFIABLE': { retryable: false, outcome: 'unwritten' },
  /** A peer, an orderer, the chaincode or the store cannot be reached. */
  'LEDGER.UNAVAILABLE': { retryable: true, outcome: 'unwritten' },
  'LEDGER.OUTCOME_UNKNOWN': { retryable: false, outcome: 'unknown' },
  /** No response before the timeout, and nothing was ordered. */
  'LEDGER.TIMEOUT': { retryable: true, outcome: 'unwritten' },
  /** More calls are waiting than the ledger accepts. */
  'LEDGER.OVERLOADED': { retryable: true, outcome: 'unwritten' },
  /** The named caller has no signing identity. */
  'LEDGER.UNKNOWN_CALLER': { retryable: false, outcome: 'unwritten' },
  /** The network does not accept the caller's identity: it is revoked, expired, or not a member of the channel. */
  'LEDGER.CALLER_REFUSED': { retryable: false, outcome: 'unwritten' },
  /** No such channel is configured, or the peer has not joined it. */
  'LEDGER.CHANNEL_UNKNOWN': { retryable: false, outcome: 'unwritten' },
  /** The channel has no chaincode with this name. */
  'LEDGER.CHAINCODE_UNKNOWN': { retryable: false, outcome: 'unwritten' },
  /** The idempotency key was already used for a different write. */
  'LEDGER.KEY_REUSED': { retryable: false, outcome: 'unwritten' },
  /** Another copy of the write is running and did not finish in time. */
  'LEDGER.KEY_IN_USE': { retryable: true, outcome: 'unwritten' },
  /** The write is recorded, in a block that none of the queried peers has stored. */
  'LEDGER.OUTCOME_PRUNED': { retryable: false, outcome: 'recorded' },
  /** A purge is recorded, and its values are not erased from the disk yet. Another purge of the same data erases them. */
  'LEDGER.ERASURE_INCOMPLETE': { retryable: false, outcome: 'recorded' },
  /** The transaction is recorded as invalid for another reason than a conflict. */
  'LEDGER.INVALID_TRANSACTION': { retryable: false, outcome: 'unwritten' },
  /** The configuration cannot work: an unknown channel, chaincode or identity, another ledger's directory, a newer format. */
  'LEDGER.MISCONFIGURED': { retryable: false, outcome: 'unwritten' },
  /** The store accepts no writes until a restart (a failed fsync, a full disk); reads continue. */
  'LEDGER.READ_ONLY': { retryable: false, outcome: 'unwritten' },
  /** The ledger was opened to be read only, as during a migration. */
  'LEDGER.WRITES_DISABLED': { retryable: false, outcome: 'unwritten' },
  /** The stored data differs from the data that was written. */
  'LEDGER.DAMAGED': { retryable: false, outcome: 'unwritten' },
  /** The channel's Merkle tree does not contain what was requested, or is not signed. */
  'LEDGER.TREE_INCOMPLETE': { retryable: true, outcome: 'unwritten' },
  /** This driver cannot do what was requested with this chaincode. */
  'LEDGER.NOT_SUPPORTED': { retryable: false, outcome: 'unwritten' },
} as const;

export type LedgerErrorCode = keyof typeof LEDGER_ERRORS;

/** Codes of refusals by a contract: ours reports a code, stock chaincode a text that the driver interprets. */
export type RefusalCode = {
  [Code in LedgerErrorCode]: (typeof LEDGER_ERRORS)[Code]['outcome'] extends 'refused' ? Code : never;
}[LedgerErrorCode];

/** Optional facts about a failure. */
export interface LedgerErrorFacts {
  readonly cause?: unknown;
  readonly transactionId?: string | undefined;
  readonly endpoint?: string | undefined;
  /** The status with which the chaincode refused: 400 or more, or below 200. */
  readonly chaincodeStatus?: number | undefined;
  /** The chaincode that is not available, where the ledger itself is. */
  readonly chaincode?: string | undefined;
  /** Why that chaincode cannot be started, and the end of what it wrote. */
  readonly startFailure?: StartFailureFacts | undefined;
}

/** Why a chaincode cannot be started. */
export interface StartFailureFacts {
  readonly reason: string;
  /** Its last lines. */
  readonly output: string;
}

/** A failure of a ledger: a stable code from {@link LEDGER_ERRORS}, and a text that states what to do. */
export class LedgerError extends Error {
  override readonly name: string = 'LedgerError';
  readonly code: LedgerErrorCode;
  /** Whether the same call may be sent again. */
  readonly retryable: boolean;
  readonly transactionId: string | undefined;
  readonly endpoint: string | undefined;
  readonly chaincodeStatus: number | undefined;
  readonly chaincode: string | undefined;
  readonly startFailure: StartFailureFacts | undefined;

  constructor(code: LedgerErrorCode, message: string, facts: LedgerErrorFacts = {}) {
    const { cause, transactionId, endpoint, chaincodeStatus, chaincode, startFailure } = facts;
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.retryable = LEDGER_ERRORS[code].retryable;
    this.transactionId = transactionId;
    this.endpoint = endpoint;
    this.chaincodeStatus = chaincodeStatus;
    this.chaincode = chaincode;
    this.startFailure = startFailure;
  }
}

/** Creates the error for stored data that differs from the data that was written. */
export function damaged(message: string, cause?: unknown): LedgerError {
  return new LedgerError('LEDGER.DAMAGED', message, { cause });
}

/** Creates the error for a configuration or a directory that cannot work. */
export function misconfigured(message: string, cause?: unknown): LedgerError {
  return new LedgerError('LEDGER.MISCONFIGURED', message, { cause });
}

/** Creates the error for a write to a ledger that was opened to be read only. */
export function writesDisabled(): LedgerError {
  return new LedgerError('LEDGER.WRITES_DISABLED', 'The ledger was opened to be read only.');
}

/** Creates the error for an organization in `endorsingOrganizations` that the channel does not have. */
export function unknownOrganization(channel: string, mspId: string): LedgerError {
  const text = `endorsingOrganizations: channel ${channel} has no organization ${JSON.stringify(mspId)}`;
  return new LedgerError('LEDGER.ORGANIZATION_UNKNOWN', text);
}

/** A ledger error whose code is known. */
export type LedgerErrorOf<Code extends LedgerErrorCode> = LedgerError & { readonly code: Code };

/** Returns whether a thrown value is an error of a ledger, with that code if one is specified. */
export function isLedgerError<Code extends LedgerErrorCode = LedgerErrorCode>(
  error: unknown,
  code?: Code,
): error is LedgerErrorOf<Code> {
  return (
    (error instanceof LedgerError || error instanceof DecodingError) && (code === undefined || error.code === code)
  );
}

/** Returns whether a thrown value is the refusal of a contract. */
export function isRefusal(error: unknown): error is LedgerErrorOf<RefusalCode> {
  return isLedgerError(error) && LEDGER_ERRORS[error.code].outcome === 'refused';
}

/** Creates the error for a transaction that was sent and may still be committed. */
export function outcomeUnknown(
  transactionId: string,
  reason: string,
  facts: Omit<LedgerErrorFacts, 'transactionId'> = {},
): LedgerError {
  const message = `Transaction ${transactionId} was sent, and it is unknown whether it was committed: ${reason}`;
  return new LedgerError('LEDGER.OUTCOME_UNKNOWN', message, { ...facts, transactionId });
}

/**
 * Creates the port's error for a refusal of a contract of ours (`ContractError`). The port's code is the contract's with a
 * prefix, and `LEDGER.REFUSED` for one that it does not have.
 */
export function contractRefusal(
  refusal: Readonly<{ code: string; reason: string }>,
  facts: LedgerErrorFacts = { cause: refusal },
): LedgerError {
  const code = `LEDGER.${refusal.code}`;
  return new LedgerError(isRefusalCode(code) ? code : 'LEDGER.REFUSED', refusal.reason, facts);
}

function isRefusalCode(code: string): code is RefusalCode {
  return Object.hasOwn(LEDGER_ERRORS, code) && LEDGER_ERRORS[code as LedgerErrorCode].outcome === 'refused';
}
