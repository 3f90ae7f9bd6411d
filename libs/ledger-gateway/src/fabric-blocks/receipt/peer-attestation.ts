import { Buffer } from 'node:buffer';
import { argumentsOf, decodeActions, decodeEnvelope } from '../decode/decode-envelope.js';
import { bytesToEndorse, encodeEnvelope } from '../encode/transaction-encoder.js';
import { attempt, decodeMessage } from '../messages/decode-message.js';
import { Envelope, ProcessedTransaction, TxValidationCode } from '../messages/fabric-messages.js';
import { quotedShort, textOrBase64, validationCodeName } from '../messages/text.js';
import { examineTransaction } from '../verify/examine-transaction.js';
import type { IdentitySignatures, SignedBy } from '../verify/identity-signatures.js';
import { ReceiptFault, statementOf, type Attestation, type RecordedPlace } from './receipt.js';

/** The peers' system chaincode for queries. */
const QUERY_CHAINCODE = 'qscc';
const QUERY = 'GetTransactionByID';
const STATUS_OK = 200;

/**
 * Reads a peer's attestation of the validation code of a transaction.
 * @param envelope - the transaction's `common.Envelope` in the block
 * @returns the signers, at least one
 * @throws {@link ReceiptFault} VALIDATION_CODE when it is about something else, or not what a peer signs
 */
export function readAttestation(
  attestation: Attestation,
  place: RecordedPlace,
  envelope: Uint8Array,
  identities: IdentitySignatures,
): readonly SignedBy[] {
  if (attestation.kind === 'statement') {
    const { statement, endorser, signature } = attestation;
    if (statement !== statementOf(place)) throw fault("the peer's statement is not about this place and code");
    return [identities.check(endorser, bytesToEndorse(Buffer.from(statement), endorser), signature)];
  }
  // An endorsed answer has the form of a transaction that its creator did not sign, and is examined as one.
  const answer = encodeEnvelope(attestation.payload, new Uint8Array());
  const examined = examineTransaction(answer, TxValidationCode.VALID, identities);
  const [wrong] = examined.faults;
  if (wrong !== undefined) throw fault(`the peer's answer is not valid: ${wrong.what}`);
  const endorsers = examined.envelope?.call?.endorsers ?? [];
  if (endorsers.length === 0) throw fault("the peer's answer is not signed");
  requireQuestion(answer, place);
  requireAnswer(answer, place, envelope);
  return endorsers;
}

/** Requires that the peer was asked for this transaction on this channel. */
function requireQuestion(answer: Uint8Array, { channel, transactionId }: RecordedPlace): void {
  const { channelId, data } = decodeEnvelope(answer);
  const calls = decodeActions(data).flatMap((action) => [
    action.invocation.chaincodeSpec?.chaincodeId?.name ?? '',
    ...argumentsOf(action).map(textOrBase64),
  ]);
  const asked = [channelId, ...calls];
  const expected = [channel, QUERY_CHAINCODE, QUERY, channel, transactionId];
  if (asked.length !== expected.length || asked.some((text, index) => text !== expected[index])) {
    throw fault(`the peer was asked something else: ${asked.slice(0, expected.length).map(quotedShort).join(', ')}`);
  }
}

/** Requires that the peer returned the envelope in the block, and the code. */
function requireAnswer(answer: Uint8Array, { validationCode }: RecordedPlace, envelope: Uint8Array): void {
  const response = decodeActions(decodeEnvelope(answer).data)[0]?.result.response;
  const processed = attempt(() => decodeMessage(ProcessedTransaction, response?.payload ?? new Uint8Array()));
  if (processed === undefined || response?.status !== STATUS_OK) throw fault('the peer returned no transaction');
  // The answer may have been altered, so that it contains no envelope.
  const returned = attempt(() => decodeMessage(Envelope, processed.transactionEnvelope));
  const { payload, signature } = decodeMessage(Envelope, envelope);
  if (returned === undefined || !isSame(returned.payload, payload) || !isSame(returned.signature, signature)) {
    throw fault('the peer returned another transaction than the one in the block');
  }
  const code = validationCodeName(processed.validationCode);
  if (code !== validationCode) throw fault(`the peer has the transaction as ${code}, not ${validationCode}`);
}

function isSame(bytes: Uint8Array, expected: Uint8Array): boolean {
  return Buffer.compare(bytes, expected) === 0;
}

function fault(what: string): ReceiptFault {
  return new ReceiptFault('VALIDATION_CODE', what);
}
