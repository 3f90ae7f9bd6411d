import { LedgerError } from '../errors/ledger.errors.js';
import { decodeActions, decodeEnvelope, type DecodedAction } from '../fabric-blocks/decode/decode-envelope.js';
import { decodeReadWriteSets } from '../fabric-blocks/decode/decode-read-write-sets.js';
import { validationCodeName } from '../fabric-blocks/decode/text-of.js';
import type { LedgerCall } from '../ports/ledger.port.js';

/** A transaction that is recorded under the id of a keyed write's attempt. */
export interface RecordedAttempt {
  readonly transactionId: string;
  /** Fabric's `TxValidationCode`; 0 is VALID. */
  readonly validationCode: number;
  /** The serialized `common.Envelope`. */
  readonly envelope: Uint8Array;
}

/** What a VALID transaction says that a keyed write is answered from. */
export interface RecordedWrite {
  /** The payload of the response that was endorsed. */
  readonly payload: Uint8Array;
  /** What the transaction wrote under that key; undefined when it wrote nothing there. */
  readonly written: (key: string) => Uint8Array | undefined;
}

const VALID = 0;

/** Codes of transactions that lost a race: the next attempt, run on the state of its time, need not meet them again. */
const CONFLICTS: ReadonlySet<string> = new Set([
  'MVCC_READ_CONFLICT',
  'PHANTOM_READ_CONFLICT',
  // The chaincode was upgraded between endorsement and commit.
  'CHAINCODE_VERSION_CONFLICT',
  'EXPIRED_CHAINCODE',
]);

/** Whether a transaction that stands in the chain with that code has lost a race, and another may be made in its stead. */
export function isConflict(validationCode: number): boolean {
  return CONFLICTS.has(validationCodeName(validationCode));
}

/**
 * What a recorded attempt means for the call that came to it. Nothing else can tell: of two different writes under one id
 * that are endorsed before either commits, both are told VALID, each with its own payload.
 * @returns undefined for a conflict: the next attempt may be made
 * @throws `LEDGER.KEY_REUSED` when it is another write, `LEDGER.INVALID_TRANSACTION` when it is invalid for good
 */
export function readAttempt(
  call: LedgerCall & { readonly chaincode: string },
  { transactionId, validationCode, envelope }: RecordedAttempt,
): RecordedWrite | undefined {
  if (isConflict(validationCode)) return undefined;
  if (validationCode !== VALID) {
    throw new LedgerError(
      'LEDGER.INVALID_TRANSACTION',
      `Transaction ${transactionId} stands in the chain as ${validationCodeName(validationCode)}, and its ` +
        'idempotency key stands for it: nothing was written. Send the write under another key.',
      { transactionId },
    );
  }
  const [action] = decodeActions(decodeEnvelope(envelope).data);
  if (action === undefined || !isSameCall(call, action)) {
    throw new LedgerError('LEDGER.KEY_REUSED', 'The idempotency key stands for another write.', { transactionId });
  }
  const { result } = action;
  return {
    payload: result.getResponse()?.getPayload_asU8() ?? new Uint8Array(),
    written: (key) =>
      decodeReadWriteSets(result.getResults_asU8())
        .find(({ namespace }) => namespace === call.chaincode)
        ?.writes.find((write) => write.key === key)?.value,
  };
}

function isSameCall(
  { chaincode, function: name, arguments: args }: LedgerCall & { readonly chaincode: string },
  { invocation }: DecodedAction,
): boolean {
  const spec = invocation.getChaincodeSpec();
  const recorded = spec?.getInput()?.getArgsList_asU8() ?? [];
  const called = [name, ...args];
  if (spec?.getChaincodeId()?.getName() !== chaincode || recorded.length !== called.length) return false;
  return recorded.every((argument, index) => Buffer.from(called[index] ?? '').equals(argument));
}
