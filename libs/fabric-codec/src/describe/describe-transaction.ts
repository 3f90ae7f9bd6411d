import type { LedgerTransaction } from '../decode/decode-block.js';
import { decodeCall, decodeEnvelope, decodeIdentity, type DecodedEnvelope } from '../decode/decode-envelope.js';
import { attempt, decodeMessage } from '../messages/decode-message.js';
import { Envelope, SignatureHeader, SignedMetadata } from '../messages/fabric-messages.js';
import { messageJson, type JsonObject } from '../messages/message-json.js';
import { encodedText, textOrBase64, validationCodeName } from '../messages/text.js';
import { certificateName } from './certificate-name.js';

const NOTHING = new Uint8Array();
/** The longest first argument that a summary shows, in bytes. */
const MAX_SUMMARY_BYTES = 256;

/**
 * The content of a transaction. A configuration transaction has no creator, endorsers, chaincode, function or arguments: those
 * are empty, and the response is status 0 without message or payload.
 */
export type TransactionDescription = Readonly<ReturnType<typeof describe>>;

/**
 * Describes a transaction of any type: an endorser transaction, a configuration, or a type that this version does not know.
 * @throws `LEDGER.DAMAGED` when the bytes are not an envelope with its headers
 */
export function describeTransaction(transaction: RecordedTransaction): TransactionDescription {
  return describe(transaction);
}

type RecordedTransaction = Omit<LedgerTransaction, 'transactionId' | 'position'>;

function describe({ envelope, validationCode, blockNumber, blockHash, blockSignatures }: RecordedTransaction) {
  const { type, data, creator, channelId, transactionId, timestamp } = decodeEnvelope(envelope);
  const call = decodeCall({ type, data });
  const [name = encodedText(NOTHING), ...args] = call.arguments.map(encodedText);
  const { status = 0, message = '', payload = NOTHING } = call.response ?? {};
  const result = encodedText(payload);
  const additions = {
    functionEncoding: name.encoding,
    argumentEncodings: args.map(({ encoding }) => encoding),
    payloadEncoding: result.encoding,
    /** MSP ids of those who signed its block: orderers, or an embedded ledger. */
    blockSignerMspIds: attempt(() => signersIn(blockSignatures)) ?? [],
  };
  return {
    transactionId,
    blockHash,
    blockNumber,
    channelId,
    /** Common name of the certificate that signed the transaction. */
    creatorId: creator.idBytes.length === 0 ? '' : certificateName(creator.idBytes),
    creatorMspId: creator.mspId,
    chaincodeId: call.answeredBy,
    /** Common names of the certificates that endorsed it, in the order of the envelope. */
    endorsers: call.endorsements.map(({ endorser }) => certificateName(endorser.idBytes)),
    function: name.text,
    /** Text where the bytes are UTF-8, else base64. */
    arguments: args.map(({ text }) => text),
    /** The answer of the function when it was endorsed, with its payload as text where the bytes are UTF-8, else base64. */
    response: { status, message, payload: result.text },
    timestamp,
    /** Fabric's name, such as `VALID` or `MVCC_READ_CONFLICT`; a code without a name is `UNKNOWN_<number>`. */
    validationCode: validationCodeName(validationCode),
    /**
     * The whole envelope, decoded, with read and write sets and full certificates. The encodings distinguish text from base64,
     * where the same characters can represent different bytes.
     */
    rawTransaction: { ...messageJson(Envelope, decodeMessage(Envelope, envelope)), ...additions } as JsonObject &
      typeof additions,
  };
}

function signersIn(blockSignatures: Uint8Array): string[] {
  const { signatures } = decodeMessage(SignedMetadata, blockSignatures);
  const creators = signatures.map(({ signatureHeader }) => decodeMessage(SignatureHeader, signatureHeader).creator);
  return [...new Set(creators.map((creator) => decodeIdentity(creator).mspId))];
}

/** A call as lists show it. */
export interface CallSummary extends Pick<TransactionDescription, 'chaincodeId' | 'function'> {
  /** As in the description; empty where there is none, or it is longer than an asset's id can be. */
  readonly firstArgument: string;
}

/** Summarizes the call in an envelope; the texts are empty for a transaction that is not a call. */
export function calledFunction(envelope: DecodedEnvelope): CallSummary {
  const call = decodeCall(envelope);
  const [name = NOTHING, first = NOTHING] = call.arguments;
  return {
    chaincodeId: call.answeredBy,
    function: textOrBase64(name),
    firstArgument: first.length > MAX_SUMMARY_BYTES ? '' : textOrBase64(first),
  };
}
