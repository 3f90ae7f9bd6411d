import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import { Buffer } from 'node:buffer';
import { decodeBlock } from '../decode/decode-block.js';
import { decodeEnvelope } from '../decode/decode-envelope.js';
import { attempt, decoding, readMessage } from '../decode/read-message.js';
import { base64, validationCodeName } from '../decode/text-of.js';

/** What every receipt says it is. */
export const RECEIPT_FORMAT = 'ledger-receipt';
/** The version of the format; docs/receipts.md describes it. */
export const RECEIPT_VERSION = 1;

/** Where a transaction stands, and what became of it. */
export interface RecordedPlace {
  readonly channel: string;
  readonly transactionId: string;
  readonly blockNumber: number;
  /** Hexadecimal hash of the block's header. */
  readonly blockHash: string;
  /** Index of the transaction in the block. */
  readonly position: number;
  /** Fabric's name of the validation code. */
  readonly validationCode: string;
}

/**
 * A peer's signed word on the validation code, which no signature in a block covers: a sentence of its own about the place
 * ({@link statementOf}), or its endorsed answer to `GetTransactionByID` of the system chaincode `qscc`.
 */
export type Attestation =
  | {
      readonly kind: 'statement';
      readonly statement: string;
      /** Message `msp.SerializedIdentity`. */
      readonly endorser: Uint8Array;
      /** Over the statement and the endorser behind one another, as a peer endorses. */
      readonly signature: Uint8Array;
    }
  | {
      readonly kind: 'qscc';
      /** Message `common.Payload` of a transaction that was endorsed and not ordered. */
      readonly payload: Uint8Array;
    };

/** What can be proven of one transaction to whoever has not the ledger. */
export interface Receipt extends RecordedPlace {
  /** Message `common.Block` as the orderers sealed it: without what a peer adds, which no signature covers. */
  readonly block: Uint8Array;
  readonly attestation: Attestation;
}

/** `common.BlockMetadataIndex`: the signatures, and four entries that no signature covers. */
const METADATA_ENTRIES = 5;
/** `TxValidationCode.NOT_VALIDATED` */
const NOT_VALIDATED = 254;

/**
 * Finds a transaction in a serialized `common.Block` that a peer has validated; of several copies the first, which is the one that counts.
 * @returns undefined when it is not there
 * @throws `LEDGER.DAMAGED` when the bytes are not a block
 */
export function placeInBlock(block: Uint8Array, transactionId: string): RecordedPlace | undefined {
  const { header, hash, envelopes, validationCodes } = decodeBlock(block);
  for (const [position, bytes] of envelopes.entries()) {
    const envelope = attempt(() => decodeEnvelope(bytes));
    if (envelope?.transactionId !== transactionId) continue;
    return {
      channel: envelope.channelId,
      transactionId,
      blockNumber: header.number,
      blockHash: Buffer.from(hash).toString('hex'),
      position,
      validationCode: validationCodeName(validationCodes[position] ?? NOT_VALIDATED),
    };
  }
  return undefined;
}

/** A block without the validation codes and the commit hash, which a peer adds and nobody signs. */
export function sealedBlock(bytes: Uint8Array): Uint8Array {
  const block = decoding('block', () => readMessage(common.Block, bytes));
  const [signatures = new Uint8Array()] = block.getMetadata()?.getMetadataList_asU8() ?? [];
  const sealed = new common.BlockMetadata();
  sealed.setMetadataList([signatures, ...Array.from({ length: METADATA_ENTRIES - 1 }, () => new Uint8Array())]);
  block.setMetadata(sealed);
  return block.serializeBinary();
}

/** The sentence with which the peer of an embedded ledger says where a transaction stands. JSON, so that it is no message of Fabric's. */
export function statementOf(place: RecordedPlace): string {
  return JSON.stringify({ statement: `${RECEIPT_FORMAT}/${RECEIPT_VERSION}`, ...placeAlone(place) });
}

/**
 * The receipt as a file: one JSON object.
 * @param block - the serialized `common.Block` of that place
 */
export function receiptText(place: RecordedPlace, block: Uint8Array, attestation: Attestation): string {
  return JSON.stringify({
    format: RECEIPT_FORMAT,
    version: RECEIPT_VERSION,
    ...placeAlone(place),
    block: base64(sealedBlock(block)),
    attestation: attestationJson(attestation),
  });
}

/** The fields of a place in the order in which they are written and signed, without what else its object may hold. */
function placeAlone(place: RecordedPlace): RecordedPlace {
  const { channel, transactionId, blockNumber, blockHash, position, validationCode } = place;
  return { channel, transactionId, blockNumber, blockHash, position, validationCode };
}

function attestationJson(attestation: Attestation): Readonly<Record<string, string>> {
  const { kind } = attestation;
  if (kind === 'qscc') return { kind, payload: base64(attestation.payload) };
  const { statement, endorser, signature } = attestation;
  return { kind, statement, endorser: base64(endorser), signature: base64(signature) };
}
