import {
  argumentsOf,
  decodeActions,
  decodeEnvelope,
  type DecodedAction,
  type DecodedEnvelope,
} from '../decode/decode-envelope.js';
import { attempt, decodeMessage } from '../messages/decode-message.js';
import { Envelope, HeaderType } from '../messages/fabric-messages.js';
import { messageJson, type JsonObject } from '../messages/message-json.js';
import {
  certificateName,
  encodedText,
  textOrBase64,
  validationCodeName,
  type EncodedText,
  type TextEncoding,
} from '../messages/text.js';

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

/** The call of a chaincode in a transaction; all empty for a transaction that is not a call. */
export interface RecordedCall {
  readonly chaincodeId: string;
  readonly endorsers: readonly string[];
  readonly function: EncodedText;
  readonly arguments: readonly EncodedText[];
  readonly response: Omit<TransactionResponse, 'payload'> & { readonly payload: EncodedText };
}

const NO_TEXT: EncodedText = { text: '', encoding: 'utf8' };
const NO_RESPONSE = { status: 0, message: '', payload: NO_TEXT };
const NO_CALL: RecordedCall = {
  chaincodeId: '',
  endorsers: [],
  function: NO_TEXT,
  arguments: [],
  response: NO_RESPONSE,
};

/** The longest first argument that a summary shows, in bytes. */
const MAX_SUMMARY_BYTES = 256;

/**
 * Describes a transaction of any type: an endorser transaction, a configuration, or a type that this version does not know.
 * @throws `LEDGER.DAMAGED` when the bytes are not an envelope with its headers
 */
export function describeTransaction(transaction: RecordedTransaction): TransactionDescription {
  const envelope = decodeEnvelope(transaction.envelope);
  const call = recordedCall(envelope);
  const { response } = call;
  return {
    transactionId: envelope.transactionId,
    blockHash: transaction.blockHash,
    blockNumber: transaction.blockNumber,
    channelId: envelope.channelId,
    creatorId: envelope.creator.idBytes.length === 0 ? '' : certificateName(envelope.creator.idBytes),
    creatorMspId: envelope.creator.mspId,
    chaincodeId: call.chaincodeId,
    endorsers: call.endorsers,
    function: call.function.text,
    arguments: call.arguments.map(({ text }) => text),
    response: { status: response.status, message: response.message, payload: response.payload.text },
    timestamp: envelope.timestamp,
    validationCode: validationCodeName(transaction.validationCode),
    rawTransaction: {
      ...messageJson(Envelope, decodeMessage(Envelope, transaction.envelope)),
      functionEncoding: call.function.encoding,
      argumentEncodings: call.arguments.map(({ encoding }) => encoding),
      payloadEncoding: response.payload.encoding,
    },
  };
}

/** Returns the call in an envelope. A transaction of Fabric has one action. */
export function recordedCall(envelope: DecodedEnvelope): RecordedCall {
  const action = firstAction(envelope);
  if (action === undefined) return NO_CALL;
  const { result, endorsements } = action;
  const [name, ...args] = argumentsOf(action);
  const response = result.response && { ...result.response, payload: encodedText(result.response.payload) };
  return {
    chaincodeId: chaincodeOf(action),
    endorsers: endorsements.map(({ endorser }) => certificateName(endorser.idBytes)),
    function: name === undefined ? NO_TEXT : encodedText(name),
    arguments: args.map(encodedText),
    response: response ?? NO_RESPONSE,
  };
}

/** Returns undefined for other types, and where a peer recorded garbage: the raw transaction then shows it as base64. */
function firstAction({ type, data }: DecodedEnvelope): DecodedAction | undefined {
  return type === HeaderType.ENDORSER_TRANSACTION ? attempt(() => decodeActions(data))?.[0] : undefined;
}

function chaincodeOf({ result, invocation }: DecodedAction): string {
  return (result.chaincodeId ?? invocation.chaincodeSpec?.chaincodeId)?.name ?? '';
}

/** A call as lists show it. */
export interface CallSummary extends Pick<TransactionDescription, 'chaincodeId' | 'function'> {
  /** As in the description; empty where there is none, or it is longer than an asset's id can be. */
  readonly firstArgument: string;
}

/** Summarizes the call in an envelope; the texts are empty for a transaction that is not a call. */
export function calledFunction(envelope: DecodedEnvelope): CallSummary {
  const action = firstAction(envelope);
  if (action === undefined) return { chaincodeId: '', function: '', firstArgument: '' };
  const [name, first] = argumentsOf(action);
  return {
    chaincodeId: chaincodeOf(action),
    function: name === undefined ? '' : textOrBase64(name),
    firstArgument: first === undefined || first.length > MAX_SUMMARY_BYTES ? '' : textOrBase64(first),
  };
}
