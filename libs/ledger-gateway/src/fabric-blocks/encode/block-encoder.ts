import { Buffer } from 'node:buffer';
import { blockDataHash, blockHash, blockHeaderBytes, type BlockHeader } from './hashes.js';
import { bytesField, elementField, integerField, join, messageField, messageParts } from './proto-fields.js';

/** A block before its metadata. */
export interface BlockDraft {
  readonly header: BlockHeader;
  /** SHA-256 of the header, which the next block names. */
  readonly hash: Buffer;
  readonly envelopes: readonly Uint8Array[];
}

/** The `common.SignatureHeader` and the value that an orderer's signature covers in addition to the block's header. */
export interface BlockSignatureInput {
  /** Number of the last configuration block. */
  readonly lastConfig: number;
  /** Message `common.OrdererBlockMetadata`. */
  readonly value: Uint8Array;
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

/** Puts envelopes into a block and computes its hashes. */
export function draftBlock(number: number, previousHash: Uint8Array, envelopes: readonly Uint8Array[]): BlockDraft {
  const header = { number, previousHash, dataHash: blockDataHash(envelopes) };
  return { header, hash: blockHash(header), envelopes };
}

/** Makes the signed content: the number of the last configuration block, the signer, and a fresh nonce. */
export function blockSignatureInput(lastConfig: number, orderer: Uint8Array, nonce: Uint8Array): BlockSignatureInput {
  return {
    lastConfig,
    value: messageField(1, integerField(1, lastConfig)),
    signatureHeader: join([bytesField(1, orderer), bytesField(2, nonce)]),
  };
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
  return assembleBlock(draft, {
    signatures: join([bytesField(1, value), signature]),
    lastConfig: lastConfigEntry(lastConfig),
    validationCodes: metadata.validationCodes,
    commitHash: bytesField(1, metadata.commitHash),
  });
}

/** Encodes block 0, which no orderer signs. */
export function encodeFirstBlock(draft: BlockDraft): Buffer {
  const value = messageField(1, integerField(1, 0));
  return assembleBlock(draft, {
    signatures: bytesField(1, value),
    lastConfig: lastConfigEntry(0),
    validationCodes: Buffer.from([0]),
    commitHash: Buffer.alloc(0),
  });
}

/**
 * Returns the LAST_CONFIG entry that an orderer writes (multichannel.BlockWriter.addLastConfig), `Metadata { value: LastConfig { index } }`:
 * empty only while the index is 0. Since Fabric 2.0 the signed value holds the same number.
 */
export function lastConfigEntry(index: number): Buffer {
  return bytesField(1, integerField(1, index));
}

/** Encodes a block with no metadata but the signatures, as the orderers sealed it. */
export function encodeSealedBlock(draft: Pick<BlockDraft, 'header' | 'envelopes'>, signatures: Uint8Array): Buffer {
  const nothing = Buffer.alloc(0);
  return assembleBlock(draft, { signatures, lastConfig: nothing, validationCodes: nothing, commitHash: nothing });
}

interface MetadataEntries {
  readonly signatures: Uint8Array;
  readonly lastConfig: Uint8Array;
  readonly validationCodes: Uint8Array;
  readonly commitHash: Uint8Array;
}

function assembleBlock(
  { header, envelopes }: Pick<BlockDraft, 'header' | 'envelopes'>,
  entries: MetadataEntries,
): Buffer {
  const head = messageField(
    1,
    integerField(1, header.number),
    bytesField(2, header.previousHash),
    bytesField(3, header.dataHash),
  );
  const data = messageParts(2, ...envelopes.flatMap((envelope) => messageParts(1, envelope)));
  const metadata = messageField(
    3,
    elementField(1, entries.signatures),
    elementField(1, entries.lastConfig),
    elementField(1, entries.validationCodes),
    // ORDERER: since Fabric 2.0 its content is part of the signed value.
    elementField(1, Buffer.alloc(0)),
    elementField(1, entries.commitHash),
  );
  return join([head, ...data, metadata]);
}
