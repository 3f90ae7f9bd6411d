import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import { Buffer } from 'node:buffer';
import { decodeBlock, type DecodedBlock } from '../decode/decode-block.js';
import { attempt, readMessage } from '../decode/read-message.js';
import { bytesToSign, lastConfigEntry } from '../encode/block-encoder.js';
import { bytesField } from '../encode/proto-fields.js';
import { blockDataHash, type BlockHeader } from '../encode/hashes.js';
import { scanMessage } from './canonical-form.js';
import { examineTransaction, type ExaminedTransaction } from './examine-transaction.js';
import { Block, Metadata, OrdererBlockMetadata, SignatureHeader } from './fabric-messages.js';
import { IdentitySignatures, type SignedBy } from './identity-signatures.js';
import { KeptBytes } from './kept-bytes.js';

/**
 * What one block says by itself, without anything that stands before it: whether its form is canonical, whether its hashes
 * and ids are right, and whether each signature is that of the identity it names. Whom the channel trusts, and what
 * follows from the blocks before, is for a `ChainVerifier` to say. Threads can hand it to each other.
 */
export interface ExaminedBlock {
  /** Why it is not in its canonical form. */
  readonly fault: string | undefined;
  /** Undefined when it cannot be decoded. */
  readonly content: BlockContent | undefined;
}

/** A block that could be decoded. */
export interface BlockContent {
  readonly number: number;
  /** Hexadecimal hash of its header. */
  readonly hash: string;
  /** Hexadecimal; empty for block 0. */
  readonly previousHash: string;
  /** Whether the header names the transactions that are there. */
  readonly isDataHashRight: boolean;
  /** What is wrong with the metadata that no signature covers. */
  readonly metadataFaults: readonly string[];
  readonly validationCodes: Uint8Array;
  readonly commitHash: Uint8Array;
  readonly signatures: BlockSignatures;
  readonly transactions: readonly ExaminedTransaction[];
  /** The serialized identities that {@link SignedBy} counts. */
  readonly identities: readonly Uint8Array[];
}

/** The SIGNATURES metadata of a block. */
export interface BlockSignatures {
  /** Why they cannot be read. */
  readonly fault: string | undefined;
  /** Why the value that they cover is not in its canonical form. */
  readonly valueFault: string | undefined;
  /** The block that they name as the newest configuration. */
  readonly lastConfig: number | undefined;
  /** Each signature, or why it is none. */
  readonly signers: readonly (SignedBy | string)[];
}

const STRICT = { allowDefaults: false };
const NOTHING = new Uint8Array();
/** `common.BlockMetadataIndex` */
const SIGNATURES = 0;
const LAST_CONFIG = 1;
const ORDERER = 3;
const COMMIT_HASH = 4;
const ENTRIES = 5;
const HASH_BYTES = 32;

/** Examines blocks one after the other, in whatever order. */
export class BlockExaminer {
  readonly #signatures = new IdentitySignatures();
  #kept = new KeptBytes();

  /** @param bytes - a serialized `common.Block`; the result keeps nothing of it */
  examine(bytes: Uint8Array): ExaminedBlock {
    const block = attempt(() => decodeBlock(bytes));
    return {
      fault: scanMessage(bytes, Block, STRICT),
      content: block && this.#examine(block),
    };
  }

  /** The memory of all that was examined since the last time, to be handed to another thread with it. */
  takeMemory(): ArrayBuffer[] {
    const { buffers } = this.#kept;
    this.#kept = new KeptBytes();
    return buffers;
  }

  #examine(block: DecodedBlock): BlockContent {
    const kept = this.#kept;
    const signatures = this.#signatures.begin();
    const transactions = block.envelopes.map((envelope, index) =>
      examineTransaction(envelope, block.validationCodes[index], signatures, kept),
    );
    const blockSignatures = examineSignatures(block.header, block.metadata[SIGNATURES] ?? new Uint8Array(), signatures);
    return {
      number: block.header.number,
      hash: hex(block.hash),
      previousHash: hex(block.header.previousHash),
      isDataHashRight: Buffer.compare(block.header.dataHash, blockDataHash(block.envelopes)) === 0,
      metadataFaults: metadataFaults(block, blockSignatures),
      validationCodes: kept.keep(block.validationCodes),
      commitHash: kept.keep(block.commitHash),
      signatures: blockSignatures,
      transactions,
      identities: signatures.identities.map((identity) => kept.keep(identity)),
    };
  }
}

/**
 * Lists the errors in the metadata that no signature covers. Since Fabric 2.0 the signed value holds what LAST_CONFIG and ORDERER
 * held: LAST_CONFIG repeats it, and ORDERER is empty.
 */
function metadataFaults(block: DecodedBlock, { fault, valueFault, lastConfig = 0 }: BlockSignatures): string[] {
  const { metadata, validationCodes, envelopes } = block;
  const faults: string[] = [];
  if (metadata.length !== ENTRIES) faults.push(`there are ${metadata.length} metadata entries, not ${ENTRIES}`);
  const isReadable = fault === undefined && valueFault === undefined;
  if (isReadable && !isSame(metadata[LAST_CONFIG], lastConfigEntry(lastConfig))) {
    faults.push(`metadata entry ${LAST_CONFIG} does not name block ${lastConfig}, as the signed metadata do`);
  }
  if (!isSame(metadata[ORDERER], NOTHING)) faults.push(`metadata entry ${ORDERER} is not empty`);
  if (validationCodes.length !== envelopes.length) {
    faults.push(`there are ${validationCodes.length} validation codes for ${envelopes.length} transactions`);
  }
  if (!hasCommitHashForm(block)) faults.push('the commit hash is not written as a peer writes it');
  return faults;
}

function isSame(entry: Uint8Array = NOTHING, expected: Uint8Array): boolean {
  return Buffer.compare(entry, expected) === 0;
}

/** A peer writes nothing but a hash there: none in block 0, a SHA-256 in every other. */
function hasCommitHashForm({ header, metadata, commitHash }: DecodedBlock): boolean {
  const canonical = bytesField(1, commitHash);
  return (
    commitHash.length === (header.number === 0 ? 0 : HASH_BYTES) &&
    Buffer.compare(metadata[COMMIT_HASH] ?? canonical, canonical) === 0
  );
}

/** Message `common.Metadata` with the signatures of orderers (protoutil.BlockSignatureVerifier). */
export function examineSignatures(
  header: BlockHeader,
  bytes: Uint8Array,
  signatures: IdentitySignatures,
): BlockSignatures {
  const fault = scanMessage(bytes, Metadata, STRICT);
  if (fault !== undefined) return { fault, valueFault: undefined, lastConfig: undefined, signers: [] };
  const metadata = readMessage(common.Metadata, bytes);
  const value = metadata.getValue_asU8();
  const valueFault = scanMessage(value, OrdererBlockMetadata, STRICT);
  return {
    fault,
    valueFault,
    lastConfig:
      valueFault === undefined
        ? readMessage(common.OrdererBlockMetadata, value).getLastConfig()?.getIndex()
        : undefined,
    signers: metadata.getSignaturesList().map((signature) => examineSignature(header, value, signature, signatures)),
  };
}

function examineSignature(
  header: BlockHeader,
  value: Uint8Array,
  signature: common.MetadataSignature,
  signatures: IdentitySignatures,
): SignedBy | string {
  const signatureHeader = signature.getSignatureHeader_asU8();
  if (signature.getIdentifierHeader_asU8().length > 0) return 'signatures of BFT orderers cannot be checked';
  const fault = scanMessage(signatureHeader, SignatureHeader, STRICT);
  if (fault !== undefined) return `a signature header is not in its canonical form: ${fault}`;
  const creator = readMessage(common.SignatureHeader, signatureHeader).getCreator_asU8();
  return signatures.check(creator, bytesToSign({ value, signatureHeader }, header), signature.getSignature_asU8());
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
