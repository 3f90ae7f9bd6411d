import { Buffer } from 'node:buffer';
import { blockDataHash, blockHash, blockHeaderBytes, type BlockHeader } from './hashes.js';
import { bytesField, elementField, integerField, join, messageField, messageParts } from '../messages/proto-fields.js';

/** A block before its metadata. */
export interface BlockDraft {
  readonly header: BlockHeader;
  /** SHA-256 of the header, which the next block names. */
  readonly hash: Buffer;
  readonly envelopes: readonly Uint8Array[];
}

/** The content that an orderer's signature covers in addition to the block's header. */
export interface BlockSignatureInput {
  /** Number of the last configuration block. */
  readonly lastConfig: number;
  /** The serialized `common.OrdererBlockMetadata`. */
  readonly value: Uint8Array;
  /** The serialized `common.SignatureHeader`. */
  readonly signatureHeader: Uint8Array;
}

/** The metadata of a block. */
export interface BlockMetadata {
  readonly signatureInput: BlockSignatureInput;
  /** The orderer's, DER with low S. */
  readonly signature: Uint8Array;
  /** One `TxValidationCode` per envelope. */
  readonly validationCodes: Uint8Array;
  /** Empty for block 0. */
  readonly commitHash: Uint8Array;
}

const NOTHING = Buffer.alloc(0);

/** Puts envelopes into a block and computes its hashes. */
export function draftBlock(number: number, previousHash: Uint8Array, envelopes: readonly Uint8Array[]): BlockDraft {
  const header = { number, previousHash, dataHash: blockDataHash(envelopes) };
  return { header, hash: blockHash(header), envelopes };
}

/** Creates the signed content: the number of the last configuration block, the signer, and a random nonce. */
export function blockSignatureInput(lastConfig: number, orderer: Uint8Array, nonce: Uint8Array): BlockSignatureInput {
  const signatureHeader = join([bytesField(1, orderer), bytesField(2, nonce)]);
  return { lastConfig, value: messageField(1, integerField(1, lastConfig)), signatureHeader };
}

/** Returns the bytes that the orderer signs (multichannel.BlockWriter.addBlockSignature). */
export function bytesToSign(
  { value, signatureHeader }: Omit<BlockSignatureInput, 'lastConfig'>,
  header: BlockHeader,
): Buffer {
  return join([value, signatureHeader, blockHeaderBytes(header)]);
}

/** Encodes a `common.Block`. */
export function encodeBlock(draft: BlockDraft, metadata: BlockMetadata): Buffer {
  const { lastConfig, value, signatureHeader } = metadata.signatureInput;
  const signature = messageField(2, bytesField(1, signatureHeader), bytesField(2, metadata.signature));
  const signatures = join([bytesField(1, value), signature]);
  const commitHash = bytesField(1, metadata.commitHash);
  return assembleBlock(draft, [signatures, lastConfigEntry(lastConfig), metadata.validationCodes, NOTHING, commitHash]);
}

/** Encodes block 0, which no orderer signs. */
export function encodeFirstBlock(draft: BlockDraft): Buffer {
  const value = messageField(1, integerField(1, 0));
  return assembleBlock(draft, [bytesField(1, value), lastConfigEntry(0), Buffer.from([0]), NOTHING, NOTHING]);
}

/**
 * Returns the LAST_CONFIG entry that an orderer writes (multichannel.BlockWriter.addLastConfig), `Metadata { value: LastConfig { index } }`:
 * empty only while the index is 0. Since Fabric 2.0 the signed value holds the same number.
 */
export function lastConfigEntry(index: number): Buffer {
  return bytesField(1, integerField(1, index));
}

/** Encodes a block with no metadata but the signatures, as the orderers sealed it. */
export function encodeSealedBlock(draft: Omit<BlockDraft, 'hash'>, signatures: Uint8Array): Buffer {
  return assembleBlock(draft, [signatures, NOTHING, NOTHING, NOTHING, NOTHING]);
}

/**
 * Joins the parts of a block.
 * @param metadata - entries by `common.BlockMetadataIndex`; ORDERER is empty, since Fabric 2.0 the signed value holds its content
 */
function assembleBlock({ header, envelopes }: Omit<BlockDraft, 'hash'>, metadata: readonly Uint8Array[]): Buffer {
  const { number, previousHash, dataHash } = header;
  const head = messageField(1, integerField(1, number), bytesField(2, previousHash), bytesField(3, dataHash));
  const data = messageParts(2, ...envelopes.flatMap((envelope) => messageParts(1, envelope)));
  return join([head, ...data, messageField(3, ...metadata.map((entry) => elementField(1, entry)))]);
}
