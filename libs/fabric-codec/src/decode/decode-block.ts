import { blockHash, type BlockHeader } from '../encode/hashes.js';
import { attempt, decodeMessage, decoding } from '../messages/decode-message.js';
import { MetadataIndex, TxValidationCode } from '../messages/enums.js';
import { Block, Metadata } from '../messages/fabric-messages.js';
import { hex } from '../messages/text.js';
import { decodeEnvelope } from './decode-envelope.js';

/** A block, decoded except for its envelopes. */
export interface DecodedBlock {
  readonly header: BlockHeader;
  /** SHA-256 of the header, which the next block names. */
  readonly hash: Uint8Array;
  /** The serialized `common.Envelope` of each transaction. */
  readonly envelopes: readonly Uint8Array[];
  /** One `TxValidationCode` per envelope, as the peer recorded them; empty in a block that no peer has validated. */
  readonly validationCodes: Uint8Array;
  /** Empty in block 0 and in a block that no peer has committed. */
  readonly commitHash: Uint8Array;
  /** All metadata entries, by `common.BlockMetadataIndex`. */
  readonly metadata: readonly Uint8Array[];
}

const NOTHING = new Uint8Array();

/**
 * Decodes a serialized `common.Block`. Only its form is checked; the verifier checks hashes and signatures.
 * @throws `LEDGER.DAMAGED` when the bytes are not a block
 */
export function decodeBlock(bytes: Uint8Array): DecodedBlock {
  return decoding('block', () => {
    const { header, data, metadata: entries } = decodeMessage(Block, bytes);
    if (header === undefined) throw new RangeError('no header');
    const metadata = entries?.metadata ?? [];
    const commitHash = metadata[MetadataIndex.COMMIT_HASH];
    let hash: Uint8Array | undefined;
    return {
      header,
      // Pages of transactions do without it.
      get hash() {
        return (hash ??= blockHash(header));
      },
      envelopes: data?.data ?? [],
      validationCodes: metadata[MetadataIndex.TRANSACTIONS_FILTER] ?? NOTHING,
      commitHash: commitHash === undefined ? NOTHING : decodeMessage(Metadata, commitHash).value,
      metadata,
    };
  });
}

/** A transaction in a block, whatever its validation code. */
export interface LedgerTransaction {
  readonly transactionId: string;
  readonly blockNumber: number;
  /** Index within its block. */
  readonly position: number;
  /** Hexadecimal hash of the block that contains it. */
  readonly blockHash: string;
  /** Fabric's `TxValidationCode`; 0 is VALID. */
  readonly validationCode: number;
  /** The serialized `common.Envelope`. */
  readonly envelope: Uint8Array;
  /** The serialized `common.Metadata` with the signatures of its block. */
  readonly blockSignatures: Uint8Array;
}

/** A transaction found in a block. */
export interface FoundTransaction extends LedgerTransaction {
  readonly channel: string;
}

/**
 * Finds a transaction in a serialized `common.Block` that a peer has validated. Of several copies it returns the first, which is
 * the one that counts.
 * @returns undefined when it is not in the block
 * @throws `LEDGER.DAMAGED` when the bytes are not a block
 */
export function findTransaction(block: Uint8Array, transactionId: string): FoundTransaction | undefined {
  const { header, hash, envelopes, validationCodes, metadata } = decodeBlock(block);
  for (const [position, envelope] of envelopes.entries()) {
    const decoded = attempt(() => decodeEnvelope(envelope));
    if (decoded?.transactionId !== transactionId) continue;
    return {
      channel: decoded.channelId,
      transactionId,
      blockNumber: header.number,
      blockHash: hex(hash),
      position,
      validationCode: validationCodes[position] ?? TxValidationCode.NOT_VALIDATED,
      envelope,
      blockSignatures: metadata[MetadataIndex.SIGNATURES] ?? NOTHING,
    };
  }
  return undefined;
}
