import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import { blockHash, type BlockHeader } from '../encode/hashes.js';
import { decoding, readMessage } from './read-message.js';

/** A block, taken apart as far as its envelopes. */
export interface DecodedBlock {
  readonly header: BlockHeader;
  /** SHA-256 of the header: what the next block must name. */
  readonly hash: Uint8Array;
  /** The serialized `common.Envelope` of each transaction, as it stands in the block. */
  readonly envelopes: readonly Uint8Array[];
  /** One `TxValidationCode` an envelope, as the peer wrote them; empty in a block that no peer has validated. */
  readonly validationCodes: Uint8Array;
  /** Empty in block 0 and in a block that no peer has committed. */
  readonly commitHash: Uint8Array;
  /** All metadata entries, by `common.BlockMetadataIndex`. */
  readonly metadata: readonly Uint8Array[];
}

const NOTHING = new Uint8Array();

/**
 * Takes a serialized `common.Block` apart. It looks at the form only: whether hashes and signatures are right is for the
 * verifier to say.
 * @throws `LEDGER.DAMAGED` when the bytes are not a block
 */
export function decodeBlock(bytes: Uint8Array): DecodedBlock {
  return decoding('block', () => {
    const block = readMessage(common.Block, bytes);
    const header = readHeader(block.getHeader());
    const metadata = block.getMetadata()?.getMetadataList_asU8() ?? [];
    return {
      header,
      hash: blockHash(header),
      envelopes: block.getData()?.getDataList_asU8() ?? [],
      validationCodes: metadata[common.BlockMetadataIndex.TRANSACTIONS_FILTER] ?? NOTHING,
      commitHash: readCommitHash(metadata[common.BlockMetadataIndex.COMMIT_HASH]),
      metadata,
    };
  });
}

function readHeader(header: common.BlockHeader | undefined): BlockHeader {
  if (header === undefined) throw new RangeError('no header');
  return {
    number: header.getNumber(),
    previousHash: header.getPreviousHash_asU8(),
    dataHash: header.getDataHash_asU8(),
  };
}

function readCommitHash(entry: Uint8Array | undefined): Uint8Array {
  return entry === undefined ? NOTHING : readMessage(common.Metadata, entry).getValue_asU8();
}
