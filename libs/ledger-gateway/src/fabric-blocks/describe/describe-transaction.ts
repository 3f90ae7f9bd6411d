import { decodeActions, decodeEnvelope, type DecodedAction, type DecodedEnvelope } from '../decode/decode-envelope.js';
import { attempt, decodeMessage } from '../messages/decode-message.js';
import { Envelope, HeaderType } from '../messages/fabric-messages.js';
import { messageJson, type JsonObject } from '../messages/message-json.js';
import { certificateName, encodedText, textOrBase64, validationCodeName, type TextEncoding } from '../messages/text.js';

/** A transaction as a block contains it. */
export interface RecordedTransaction {
  /** The serialized `common.Envelope`. */
  readonly envelope: Uint8Array;
  /** Fabric's `TxValidationCode`; 0 is VALID. */
  readonly validationCode: number;
  readonly blockNumber: number;
  /** Hexadecimal. */
  readonly blockHash: string;
}

/** The answer of a function when it was endorsed. */
export interface TransactionResponse {
  readonly status: number;
  readonly message: string;
  /** Text where the bytes are UTF-8, else base64; see `payloadEncoding` of the raw transaction. */
  readonly payload: string;
}

/**
 * The content of a transaction. A configuration transaction has no creator, endorsers, chaincode, function or arguments: those
 * are empty, and the response is status 0 without message or payload.
 */
export interface TransactionDescription {
  readonly transactionId: string;
  /** Hexadecimal. */
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly chaincodeId: string;
  readonly channelId: string;
  /** Common name of the certificate that signed the transaction. */
  readonly creatorId: string;
  readonly creatorMspId: string;
  /** Common names of the certificates that endorsed it, in the order of the envelope. */
  readonly endorsers: readonly string[];
  readonly function: string;
  /** Text where the bytes are UTF-8, else base64; see `argumentEncodings` of the raw transaction. */
  readonly arguments: readonly string[];
  /** ISO 8601 in UTC, by the submitter's clock. */
  readonly timestamp: string;
  /** Fabric's name, such as `VALID` or `MVCC_READ_CONFLICT`; a code without a name is `UNKNOWN_<number>`. */
  readonly validationCode: string;
  readonly response: TransactionResponse;
  /** The whole envelope, decoded, with read and write sets and full certificates, and {@link CallEncodings}. */
  readonly rawTransaction: JsonObject & CallEncodings;
}

/** Distinguishes text from base64 in a transaction, where the same characters can represent different bytes. */
export interface CallEncodings {
  readonly functionEncoding: TextEncoding;
  /** One for each of the `arguments`. */
  readonly argumentEncodings: readonly TextEncoding[];
  /** Of the response's payload. */
  readonly payloadEncoding: TextEncoding;
}

/** The parts of an action that describe a call. */
type Call = Pick<DecodedAction, 'called' | 'chaincode' | 'arguments' | 'response' | 'endorsements'>;

const NO_CALL: Call = { called: '', chaincode: '', arguments: [], response: undefined, endorsements: [] };
const NOTHING = new Uint8Array();
/** The longest first argument that a summary shows, in bytes. */
const MAX_SUMMARY_BYTES = 256;

/**
 * Describes a transaction of any type: an endorser transaction, a configuration, or a type that this version does not know.
 * @throws `LEDGER.DAMAGED` when the bytes are not an envelope with its headers
 */
export function describeTransaction(transaction: RecordedTransaction): TransactionDescription {
  const { type, data, creator, channelId, transactionId, timestamp } = decodeEnvelope(transaction.envelope);
  const call = callIn({ type, data });
  const [name = encodedText(NOTHING), ...args] = call.arguments.map(encodedText);
  const { status = 0, message = '', payload = NOTHING } = call.response ?? {};
  const { text, encoding: payloadEncoding } = encodedText(payload);
  return {
    transactionId,
    blockHash: transaction.blockHash,
    blockNumber: transaction.blockNumber,
    channelId,
    creatorId: creator.idBytes.length === 0 ? '' : certificateName(creator.idBytes),
    creatorMspId: creator.mspId,
    chaincodeId: chaincodeOf(call),
    endorsers: call.endorsements.map(({ endorser }) => certificateName(endorser.idBytes)),
    function: name.text,
    arguments: args.map(({ text: argument }) => argument),
    response: { status, message, payload: text },
    timestamp,
    validationCode: validationCodeName(transaction.validationCode),
    rawTransaction: {
      ...messageJson(Envelope, decodeMessage(Envelope, transaction.envelope)),
      functionEncoding: name.encoding,
      argumentEncodings: args.map(({ encoding }) => encoding),
      payloadEncoding,
    },
  };
}

/** Returns no call for other types, and where a peer recorded garbage: the raw transaction then shows it as base64. */
function callIn({ type, data }: Pick<DecodedEnvelope, 'type' | 'data'>): Call {
  const actions = type === HeaderType.ENDORSER_TRANSACTION ? attempt(() => decodeActions(data)) : undefined;
  return actions?.[0] ?? NO_CALL;
}

function chaincodeOf({ chaincode, called = '' }: Call): string {
  return chaincode ?? called;
}

/** A call as lists show it. */
export interface CallSummary extends Pick<TransactionDescription, 'chaincodeId' | 'function'> {
  /** As in the description; empty where there is none, or it is longer than an asset's id can be. */
  readonly firstArgument: string;
}

/** Summarizes the call in an envelope; the texts are empty for a transaction that is not a call. */
export function calledFunction(envelope: DecodedEnvelope): CallSummary {
  const call = callIn(envelope);
  const [name = NOTHING, first = NOTHING] = call.arguments;
  return {
    chaincodeId: chaincodeOf(call),
    function: textOrBase64(name),
    firstArgument: first.length > MAX_SUMMARY_BYTES ? '' : textOrBase64(first),
  };
}
