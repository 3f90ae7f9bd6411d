import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import transactionMessages from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';
import { Buffer } from 'node:buffer';
import { decodeActions, decodeEnvelope } from '../decode/decode-envelope.js';
import { attempt, readMessage } from '../decode/read-message.js';
import { validationCodeName } from '../decode/text-of.js';
import { bytesToEndorse, encodeEnvelope } from '../encode/transaction-encoder.js';
import { examineTransaction } from '../verify/examine-transaction.js';
import type { IdentitySignatures, SignedBy } from '../verify/identity-signatures.js';
import { KeptBytes } from '../verify/kept-bytes.js';
import { ReceiptFault } from './receipt-report.js';
import { statementOf, type Attestation, type RecordedPlace } from './receipt.js';

const { TxValidationCode } = transactionMessages;
/** The peers' system chaincode for queries. */
const QUERY_CHAINCODE = 'qscc';
const QUERY = 'GetTransactionByID';
const STATUS_OK = 200;

/**
 * Reads a peer's word on a transaction that stands in a block.
 * @param envelope - the transaction's `common.Envelope` in the block
 * @returns who signed it, at least one
 * @throws {@link ReceiptFault} VALIDATION_CODE when it is about something else, or not what a peer signs
 */
export function readPeerWord(
  attestation: Attestation,
  place: RecordedPlace,
  envelope: Uint8Array,
  signatures: IdentitySignatures,
): readonly SignedBy[] {
  if (attestation.kind === 'qscc') return readAnswer(attestation.payload, place, envelope, signatures);
  const { statement, endorser, signature } = attestation;
  if (statement !== statementOf(place)) throw fault("the peer's statement is not about this place and code");
  return [signatures.check(endorser, bytesToEndorse(Buffer.from(statement), endorser), signature)];
}

/** An endorsed answer has the form of a transaction that nobody signed as its creator, and is examined as one. */
function readAnswer(
  payload: Uint8Array,
  place: RecordedPlace,
  envelope: Uint8Array,
  signatures: IdentitySignatures,
): readonly SignedBy[] {
  const answer = encodeEnvelope(payload, new Uint8Array());
  const { faults, envelope: examined } = examineTransaction(
    answer,
    TxValidationCode.VALID,
    signatures,
    new KeptBytes(),
  );
  const call = examined?.call;
  const [wrong] = [...faults, ...(call?.faults ?? [])];
  if (wrong !== undefined) throw fault(`the peer's answer cannot be taken: ${wrong.what}`);
  const endorsers = call?.content?.endorsers ?? [];
  if (endorsers.length === 0) throw fault("nobody signed the peer's answer");
  requireQuestion(answer, place);
  requireAnswer(answer, place, envelope);
  return endorsers;
}

/** The peer was asked for this transaction on this channel. */
function requireQuestion(answer: Uint8Array, { channel, transactionId }: RecordedPlace): void {
  const { channelId, data } = decodeEnvelope(answer);
  const spec = decodeActions(data)[0]?.invocation.getChaincodeSpec();
  const args =
    spec
      ?.getInput()
      ?.getArgsList_asU8()
      .map((argument) => Buffer.from(argument).toString()) ?? [];
  const asked = [channelId, spec?.getChaincodeId()?.getName(), ...args];
  if (JSON.stringify(asked) !== JSON.stringify([channel, QUERY_CHAINCODE, QUERY, channel, transactionId])) {
    throw fault(`the peer was asked something else: ${JSON.stringify(asked).slice(0, 200)}`);
  }
}

/** It gave the envelope that stands in the block, and the code. */
function requireAnswer(answer: Uint8Array, { validationCode }: RecordedPlace, envelope: Uint8Array): void {
  const response = decodeActions(decodeEnvelope(answer).data)[0]?.result.getResponse();
  const processed = attempt(() =>
    readMessage(transactionMessages.ProcessedTransaction, response?.getPayload_asU8() ?? new Uint8Array()),
  );
  if (processed === undefined || response?.getStatus() !== STATUS_OK) throw fault('the peer gave no transaction');
  if (!isSame(processed.getTransactionenvelope(), readMessage(common.Envelope, envelope))) {
    throw fault('the peer gave another transaction than the one in the block');
  }
  const code = validationCodeName(processed.getValidationcode());
  if (code !== validationCode) throw fault(`the peer has the transaction as ${code}, not ${validationCode}`);
}

function isSame(one: common.Envelope | undefined, other: common.Envelope): boolean {
  if (one === undefined) return false;
  return (
    Buffer.compare(one.getPayload_asU8(), other.getPayload_asU8()) === 0 &&
    Buffer.compare(one.getSignature_asU8(), other.getSignature_asU8()) === 0
  );
}

function fault(what: string): ReceiptFault {
  return new ReceiptFault('VALIDATION_CODE', what);
}
