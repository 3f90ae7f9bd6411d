import {
  decodeActions,
  type DecodedAction,
  decodeEnvelope,
  decodeReadWriteSets,
  validationCodeName,
} from '#fabric-codec';
import { TxValidationCode } from '#fabric-codec/messages';
import { LedgerError } from '../errors/ledger.errors.js';
import { argumentBytes } from '../arguments/call-arguments.js';
import type { LedgerCall, LedgerTransaction } from '../ports/ledger.port.js';

/** A recorded transaction with the id of a keyed write's attempt. */
export type RecordedAttempt = Pick<LedgerTransaction, 'transactionId' | 'validationCode' | 'envelope'>;

/** The parts of a VALID transaction from which a repeated write is answered. */
export interface RecordedWrite {
  /** The endorsed response payload. */
  readonly payload: Uint8Array;
  /** Returns the value that the transaction wrote under a key, or undefined if it wrote none. */
  readonly written: (key: string) => Uint8Array | undefined;
}

/** Codes of transactions that lost a race with another one. The next attempt runs on a newer state. */
const CONFLICTS: ReadonlySet<string> = new Set([
  'MVCC_READ_CONFLICT',
  'PHANTOM_READ_CONFLICT',
  // The chaincode was upgraded between endorsement and commit.
  'CHAINCODE_VERSION_CONFLICT',
  'EXPIRED_CHAINCODE',
]);

/** Returns whether a validation code means that the transaction lost a race, so that it may be attempted again. */
export function isConflict(validationCode: number): boolean {
  return CONFLICTS.has(validationCodeName(validationCode));
}

/**
 * Compares a call with the recorded transaction of its attempt. Commit statuses cannot replace this: if two different writes
 * with the same id are endorsed before either commits, Fabric reports VALID to both, each with its own payload.
 * @returns undefined for a conflict, after which the next attempt may be made
 * @throws `LEDGER.KEY_REUSED` when it is another write, `LEDGER.INVALID_TRANSACTION` when it is permanently invalid
 */
export function readAttempt(
  call: LedgerCall & { readonly chaincode: string },
  { transactionId, validationCode, envelope }: RecordedAttempt,
): RecordedWrite | undefined {
  if (isConflict(validationCode)) return undefined;
  if (validationCode !== TxValidationCode.VALID) {
    throw new LedgerError(
      'LEDGER.INVALID_TRANSACTION',
      `Transaction ${transactionId} of this idempotency key is recorded as ${validationCodeName(validationCode)}: ` +
        'nothing was written. Send the write with another key.',
      { transactionId },
    );
  }
  const [action] = decodeActions(decodeEnvelope(envelope).data);
  if (action === undefined || !isSameCall(call, action)) {
    throw new LedgerError('LEDGER.KEY_REUSED', 'The idempotency key was already used for a different write.', {
      transactionId,
    });
  }
  return {
    payload: action.response?.payload ?? new Uint8Array(),
    written: (key) =>
      decodeReadWriteSets(action.results)
        .find(({ namespace }) => namespace === call.chaincode)
        ?.writes.find((write) => write.key === key)?.value,
  };
}

function isSameCall(
  { chaincode, function: name, arguments: args }: LedgerCall & { readonly chaincode: string },
  { called: recordedChaincode, arguments: recorded }: DecodedAction,
): boolean {
  const called = [name, ...args];
  if (recordedChaincode !== chaincode || recorded.length !== called.length) return false;
  return recorded.every((argument, index) => argumentBytes(called[index] ?? '').equals(argument));
}
