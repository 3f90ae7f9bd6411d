import { decodeBlock } from '../decode/decode-block.js';
import { findTransaction } from '../decode/find-transaction.js';
import { encodeSealedBlock } from '../encode/block-encoder.js';
import { MetadataIndex } from '../messages/fabric-messages.js';
import { base64, validationCodeName } from '../messages/text.js';

/** The `format` of every receipt. */
export const RECEIPT_FORMAT = 'ledger-receipt';
/** The version of the format; docs/receipts.md describes it. */
export const RECEIPT_VERSION = 1;

/** The place of a transaction in the chain, and its validation code. */
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
 * A peer's signature over the validation code, which no signature in a block covers: its own statement about the place
 * ({@link statementOf}), or its endorsed answer to `GetTransactionByID` of the system chaincode `qscc`.
 */
export type Attestation =
  | {
      readonly kind: 'statement';
      readonly statement: string;
      /** The serialized `msp.SerializedIdentity`. */
      readonly endorser: Uint8Array;
      /** Over the statement followed by the endorser, as a peer endorses. */
      readonly signature: Uint8Array;
    }
  | {
      readonly kind: 'qscc';
      /** The serialized `common.Payload` of a transaction that was endorsed and not ordered. */
      readonly payload: Uint8Array;
    };

/** A proof of one transaction for anyone without the ledger. */
export interface Receipt extends RecordedPlace {
  /** The serialized `common.Block` as the orderers sealed it: without the part that a peer adds, which no signature covers. */
  readonly block: Uint8Array;
  readonly attestation: Attestation;
}

/**
 * Returns the place of a transaction in a serialized `common.Block` that a peer has validated; see {@link findTransaction}.
 * @throws `LEDGER.DAMAGED` when the bytes are not a block
 */
export function placeInBlock(block: Uint8Array, transactionId: string): RecordedPlace | undefined {
  const found = findTransaction(block, transactionId);
  return found && placeFields({ ...found, validationCode: validationCodeName(found.validationCode) });
}

/** Returns a block without the validation codes and the commit hash, which a peer adds and no signature covers. */
export function sealedBlock(bytes: Uint8Array): Uint8Array {
  const block = decodeBlock(bytes);
  return encodeSealedBlock(block, block.metadata[MetadataIndex.SIGNATURES] ?? new Uint8Array());
}

/** Returns the statement of a peer of an embedded ledger. It is JSON, so that it cannot be a message of Fabric. */
export function statementOf(place: RecordedPlace): string {
  return JSON.stringify({ statement: `${RECEIPT_FORMAT}/${RECEIPT_VERSION}`, ...placeFields(place) });
}

/**
 * Returns the receipt as a file: one JSON object.
 * @param block - the serialized `common.Block` of that place
 */
export function receiptText(place: RecordedPlace, block: Uint8Array, attestation: Attestation): string {
  return JSON.stringify({
    format: RECEIPT_FORMAT,
    version: RECEIPT_VERSION,
    ...placeFields(place),
    block: base64(sealedBlock(block)),
    attestation: attestationJson(attestation),
  });
}

/** Picks the fields of a place in the order in which they are written and signed. */
function placeFields(place: RecordedPlace): RecordedPlace {
  const { channel, transactionId, blockNumber, blockHash, position, validationCode } = place;
  return { channel, transactionId, blockNumber, blockHash, position, validationCode };
}

function attestationJson(attestation: Attestation): Readonly<Record<string, string>> {
  const { kind } = attestation;
  if (kind === 'qscc') return { kind, payload: base64(attestation.payload) };
  const { statement, endorser, signature } = attestation;
  return { kind, statement, endorser: base64(endorser), signature: base64(signature) };
}
