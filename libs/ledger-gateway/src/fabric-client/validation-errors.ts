import transactionMessages from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';
import { ConflictError, MisconfiguredError, type LedgerError } from '../errors/ledger.errors.js';

const { TxValidationCode } = transactionMessages;

/** The code of a second copy of a transaction. */
export const DUPLICATE_TRANSACTION = TxValidationCode.DUPLICATE_TXID;

/** Codes that a new transaction, simulated on the state of its time, need not meet again. */
const CONFLICTS: ReadonlySet<number> = new Set([
  TxValidationCode.MVCC_READ_CONFLICT,
  TxValidationCode.PHANTOM_READ_CONFLICT,
  // The chaincode was upgraded between endorsement and commit.
  TxValidationCode.CHAINCODE_VERSION_CONFLICT,
  TxValidationCode.EXPIRED_CHAINCODE,
]);

const CODES: Readonly<Record<string, number>> = { ...TxValidationCode };

/** The code of that name. */
export function validationCode(name: string): number {
  return CODES[name] ?? TxValidationCode.INVALID_OTHER_REASON;
}

/** The error for a transaction that stands in the chain as invalid: nothing of it was written. */
export function validationError(code: number, transactionId: string): LedgerError {
  const text = `Transaction ${transactionId} was not committed: ${nameOf(code)}.`;
  if (CONFLICTS.has(code)) {
    return new ConflictError(`${text} Others changed meanwhile what it had read.`, { transactionId });
  }
  return new MisconfiguredError(`${text} Check the channel's policies and the identities against the endorsements.`, {
    transactionId,
  });
}

function nameOf(code: number): string {
  return Object.keys(CODES).find((name) => CODES[name] === code) ?? `UNKNOWN_${code}`;
}
