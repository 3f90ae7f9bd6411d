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

/** Fabric's name of a validation code. */
function validationName(code: number): string {
  return Object.entries(TxValidationCode).find(([, value]) => value === code)?.[0] ?? `UNKNOWN_${code}`;
}

/** The error for a transaction that stands in the chain as invalid: nothing of it was written. */
export function validationError(code: number, transactionId: string): LedgerError {
  const text = `Transaction ${transactionId} was not committed: ${validationName(code)}.`;
  if (CONFLICTS.has(code)) {
    return new ConflictError(`${text} Others changed meanwhile what it had read.`, { transactionId });
  }
  return new MisconfiguredError(`${text} Check the channel's policies and the identities against the endorsements.`, {
    transactionId,
  });
}
