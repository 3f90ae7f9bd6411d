import { decodeBlock, type DecodedBlock } from '../decode/decode-block.js';
import { lastConfigEntry } from '../encode/block-encoder.js';
import { blockDataHash } from '../encode/hashes.js';
import { bytesField } from '../messages/proto-fields.js';
import { attempt } from '../messages/decode-message.js';
import { METADATA_ENTRIES, MetadataIndex } from '../messages/enums.js';
import { hex } from '../messages/text.js';
import {
  checkForm,
  examineSignatures,
  examineTransaction,
  isSame,
  noteIn,
  type BlockSignatures,
  type ExaminedTransaction,
  type Fault,
  type Note,
} from './examine-transaction.js';
import { IdentitySignatures } from './trust/organisation.js';

/**
 * The results of all checks on one block that need no other block: its canonical form, its hashes and ids, and each signature
 * against the identity it names. A `ChainVerifier` checks what depends on the channel's configuration and on earlier
 * blocks. It can be sent from one thread to another. Its bytes are views of the block.
 */
export interface ExaminedBlock {
  /** The errors in the block itself, which its transactions do not have. */
  readonly faults: readonly Fault[];
  /** Undefined when it cannot be decoded. */
  readonly content: BlockContent | undefined;
}

/** A block that could be decoded. */
export interface BlockContent extends Pick<DecodedBlock, 'validationCodes' | 'commitHash'> {
  readonly number: number;
  /** Hexadecimal hash of its header. */
  readonly hash: string;
  /** Hexadecimal; empty for block 0. */
  readonly previousHash: string;
  readonly signatures: BlockSignatures;
  readonly transactions: readonly ExaminedTransaction[];
}

const NOTHING = new Uint8Array();
const HASH_BYTES = 32;

/** Examines blocks, in any order. */
export class BlockExaminer {
  readonly #identities = new IdentitySignatures();

  /** @param bytes - a serialized `common.Block` */
  examine(bytes: Uint8Array): ExaminedBlock {
    const faults: Fault[] = [];
    const note = noteIn(faults);
    checkForm('block', bytes, note);
    const block = attempt(() => decodeBlock(bytes));
    if (block === undefined) note('BLOCK_FORMAT', 'the block cannot be decoded');
    return { faults, content: block && this.#examine(block, note) };
  }

  #examine(block: DecodedBlock, note: Note): BlockContent {
    const { header, envelopes, validationCodes, commitHash, metadata } = block;
    if (!isSame(header.dataHash, blockDataHash(envelopes))) {
      note('DATA_HASH', 'the data hash is not that of the transactions');
    }
    const signatures = examineSignatures(header, metadata[MetadataIndex.SIGNATURES], this.#identities);
    checkMetadata(block, signatures, note);
    return {
      number: header.number,
      hash: hex(block.hash),
      previousHash: hex(header.previousHash),
      validationCodes,
      commitHash,
      signatures,
      transactions: envelopes.map((bytes, index) =>
        examineTransaction(bytes, validationCodes[index], this.#identities),
      ),
    };
  }
}

/**
 * Checks the metadata. No signature covers those after the first: since Fabric 2.0 the signed value holds the content of
 * LAST_CONFIG and ORDERER, LAST_CONFIG repeats it, and ORDERER is empty.
 */
function checkMetadata(block: DecodedBlock, { fault, lastConfig = 0 }: BlockSignatures, note: Note): void {
  const { header, metadata, validationCodes, envelopes, commitHash } = block;
  const require = (isMet: boolean, what: string): void => {
    if (!isMet) note('METADATA', what);
  };
  require(metadata.length ===
    METADATA_ENTRIES, `there are ${metadata.length} metadata entries, not ${METADATA_ENTRIES}`);
  require(fault === undefined, `the signatures are not in their canonical form: ${fault}`);
  require(fault !== undefined ||
    isSame(
      metadata[MetadataIndex.LAST_CONFIG],
      lastConfigEntry(lastConfig),
    ), `the metadata entry LAST_CONFIG does not name block ${lastConfig}, as the signed metadata do`);
  require(isSame(metadata[MetadataIndex.ORDERER], NOTHING), 'the metadata entry ORDERER is not empty');
  require(validationCodes.length ===
    envelopes.length, `there are ${validationCodes.length} validation codes for ${envelopes.length} transactions`);
  // A peer writes nothing but a hash there: none in block 0, a SHA-256 in every other.
  const canonical = bytesField(1, commitHash);
  require(commitHash.length === (header.number === 0 ? 0 : HASH_BYTES) &&
    isSame(
      metadata[MetadataIndex.COMMIT_HASH] ?? canonical,
      canonical,
    ), 'the commit hash is not in the form that a peer writes');
}
