import { parseContractError } from '#contract-kit';
import { contractRefusal, isLedgerError, LedgerError, type LedgerErrorCode } from '#ledger-gateway';
import { RECORD_ERROR_CODES } from '#records-contract';

/** Texts with which peers refuse documents outside the blocks (core/chaincode/handler.go of Fabric 2.5), and what they mean. */
const PEER_TEXTS: readonly (readonly [RegExp, LedgerErrorCode, string])[] = [
  [
    /collection \S+\/records\/documents could not be found/,
    'LEDGER.NOT_SUPPORTED',
    'The chaincode of records has no private collection on this channel, so that documents cannot be stored outside the ' +
      'blocks. Add the collection "documents" to its definition: docs/records.md',
  ],
  [
    /tx creator does not have (read|write) access permission on privatedata in chaincodeName:records /,
    'LEDGER.CALLER_REFUSED',
    'The identity that signs is no member of the collection "documents" of the chaincode of records.',
  ],
  [/purge private data is not enabled/, 'LEDGER.NOT_SUPPORTED', 'Peers of this channel cannot erase private data.'],
];

/** Functions that earlier editions of the contract lack. */
const NEWER_FUNCTIONS = ['Documents', 'Purge'];

/**
 * Returns the error of a call of the records contract by its code: a peer reports a refusal as text.
 * @param name - of the function
 */
export function recordRefusal(error: unknown, name = ''): unknown {
  if (isLedgerError(error, 'LEDGER.FUNCTION_UNKNOWN') && NEWER_FUNCTIONS.includes(name)) return olderContract(error);
  if (!isLedgerError(error, 'LEDGER.REFUSED')) return error;
  const refusal = parseContractError(error.message, RECORD_ERROR_CODES);
  if (refusal !== undefined) return contractRefusal(refusal, { cause: error });
  const [, code, text] = PEER_TEXTS.find(([pattern]) => pattern.test(error.message)) ?? [];
  return code === undefined ? error : new LedgerError(code, text ?? '', { cause: error });
}

function olderContract(cause: LedgerError): LedgerError {
  const text =
    'The chaincode of records on this channel is of an older release, which stores no documents outside the blocks.';
  return new LedgerError('LEDGER.NOT_SUPPORTED', `${text} Upgrade the chaincode: docs/records.md`, { cause });
}
