import { Buffer } from 'node:buffer';
import { leafHash, rootOf } from '#tlog/verify';
import { blockHeaderBytes, sha256, type BlockHeader } from './hashes.js';

// The entries of a channel's Merkle tree, one for each block (docs/proofs.md).

const COUNT_BYTES = 4;
const ROOT_BYTES = 32;
/** `TxValidationCode.NOT_VALIDATED`, for a block that has no codes. */
const NOT_VALIDATED = 254;

/** An entry of the tree. */
export interface TreeEntry {
  readonly header: BlockHeader;
  /** The number of transactions, without which a path could belong to two of them. */
  readonly transactions: number;
  /** The root of the tree over the transactions, see {@link transactionLeaves}. */
  readonly root: Uint8Array;
}

/** A block with the outcome of its transactions. */
interface ValidatedBlock {
  readonly header: BlockHeader;
  /** The serialized `common.Envelope` of each transaction. */
  readonly envelopes: readonly Uint8Array[];
  /** One `TxValidationCode` per envelope. */
  readonly validationCodes: Uint8Array;
}

/** Encodes the entry of a block: its header as DER, the number of transactions (big-endian), the root over them. */
export function treeEntry(block: ValidatedBlock): Buffer {
  const count = Buffer.alloc(COUNT_BYTES);
  count.writeUInt32BE(block.envelopes.length);
  return Buffer.concat([blockHeaderBytes(block.header), count, rootOf(transactionLeaves(block))]);
}

/** Returns the hashes of the leaves of a block's transactions, in their order (RFC 6962, section 2.1). */
export function transactionLeaves({ envelopes, validationCodes }: Omit<ValidatedBlock, 'header'>): Uint8Array[] {
  return envelopes.map((envelope, position) =>
    leafHash(transactionLeaf(validationCodes[position] ?? NOT_VALIDATED, envelope)),
  );
}

/** Encodes the leaf of a transaction: its validation code as one byte, then the SHA-256 of its envelope. */
export function transactionLeaf(validationCode: number, envelope: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([validationCode]), sha256(envelope)]);
}

/** Parses an entry; returns undefined for bytes that are not in the one form that {@link treeEntry} writes. */
export function parseTreeEntry(bytes: Uint8Array): TreeEntry | undefined {
  const entry = Buffer.from(bytes);
  const end = entry.length - COUNT_BYTES - ROOT_BYTES;
  if (end < 0) return undefined;
  const [number, previousHash, dataHash] = derContents(entry.subarray(0, end));
  if (number === undefined || previousHash === undefined || dataHash === undefined) return undefined;
  const header = { number: Number(`0x0${number.toString('hex')}`), previousHash, dataHash };
  if (Buffer.compare(blockHeaderBytes(header), entry.subarray(0, end)) !== 0) return undefined;
  const root = entry.subarray(end + COUNT_BYTES);
  return { header, transactions: entry.readUInt32BE(end), root };
}

/** Returns the contents of the values in a DER sequence, all of them short. The caller encodes them again to check the form. */
function derContents(sequence: Buffer): Buffer[] {
  const contents: Buffer[] = [];
  for (let offset = 2; offset + 1 < sequence.length;) {
    const end = offset + 2 + sequence.readUInt8(offset + 1);
    contents.push(sequence.subarray(offset + 2, end));
    offset = end;
  }
  return contents;
}
