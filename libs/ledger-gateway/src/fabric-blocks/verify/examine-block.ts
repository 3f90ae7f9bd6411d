import { Buffer } from 'node:buffer';
import { decodeBlock, type DecodedBlock } from '../decode/decode-block.js';
import { bytesToSign, lastConfigEntry } from '../encode/block-encoder.js';
import { blockDataHash, type BlockHeader } from '../encode/hashes.js';
import { bytesField } from '../encode/proto-fields.js';
import { attempt, canonicalFault, decodeMessage } from '../messages/decode-message.js';
import {
  Block,
  METADATA_ENTRIES,
  MetadataIndex,
  OrdererBlockMetadata,
  SignatureHeader,
  SignedMetadata,
} from '../messages/fabric-messages.js';
import { hex } from '../messages/text.js';
import { examineTransaction, type ExaminedTransaction } from './examine-transaction.js';
import { IdentitySignatures, type SignedBy } from './identity-signatures.js';

/**
 * The results of all checks on one block that need no other block: its canonical form, its hashes and ids, and each signature
 * against the identity it names. A `ChainVerifier` checks what depends on the channel's configuration and on earlier
 * blocks. It can be sent from one thread to another. Its bytes are views of the block.
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
  /** Whether the header contains the hash of the transactions. */
  readonly isDataHashRight: boolean;
  /** The errors in the metadata that no signature covers. */
  readonly metadataFaults: readonly string[];
  readonly validationCodes: Uint8Array;
  readonly commitHash: Uint8Array;
  readonly signatures: BlockSignatures;
  readonly transactions: readonly ExaminedTransaction[];
}

/** The SIGNATURES metadata of a block. */
export interface BlockSignatures {
  /** Why they are not in their canonical form. */
  readonly fault: string | undefined;
  /** The newest configuration block by the signed value. */
  readonly lastConfig: number | undefined;
  /** Each signature, or why it cannot be checked. */
  readonly signers: readonly (SignedBy | string)[];
}

const STRICT = { allowDefaults: false };
const NOTHING = new Uint8Array();
const HASH_BYTES = 32;

/** Examines blocks, in any order. */
export class BlockExaminer {
  readonly #signatures = new IdentitySignatures();

  /** @param bytes - a serialized `common.Block` */
  examine(bytes: Uint8Array): ExaminedBlock {
    const block = attempt(() => decodeBlock(bytes));
    return { fault: canonicalFault(bytes, Block, STRICT), content: block && this.#examine(block) };
  }

  #examine(block: DecodedBlock): BlockContent {
    const { header, envelopes, validationCodes, commitHash, metadata } = block;
    const signatures = examineSignatures(header, metadata[MetadataIndex.SIGNATURES], this.#signatures);
    return {
      number: header.number,
      hash: hex(block.hash),
      previousHash: hex(header.previousHash),
      isDataHashRight: isSame(header.dataHash, blockDataHash(envelopes)),
      metadataFaults: metadataFaults(block, signatures),
      validationCodes,
      commitHash,
      signatures,
      transactions: envelopes.map((envelope, index) =>
        examineTransaction(envelope, validationCodes[index], this.#signatures),
      ),
    };
  }
}

/**
 * Lists the errors in the metadata that no signature covers. Since Fabric 2.0 the signed value holds the content of LAST_CONFIG
 * and ORDERER: LAST_CONFIG repeats it, and ORDERER is empty.
 */
function metadataFaults(block: DecodedBlock, { fault, lastConfig = 0 }: BlockSignatures): string[] {
  const { metadata, validationCodes, envelopes } = block;
  const faults: string[] = [];
  if (metadata.length !== METADATA_ENTRIES) {
    faults.push(`there are ${metadata.length} metadata entries, not ${METADATA_ENTRIES}`);
  }
  if (fault === undefined && !isSame(metadata[MetadataIndex.LAST_CONFIG], lastConfigEntry(lastConfig))) {
    faults.push(`the metadata entry LAST_CONFIG does not name block ${lastConfig}, as the signed metadata do`);
  }
  if (!isSame(metadata[MetadataIndex.ORDERER], NOTHING)) faults.push('the metadata entry ORDERER is not empty');
  if (validationCodes.length !== envelopes.length) {
    faults.push(`there are ${validationCodes.length} validation codes for ${envelopes.length} transactions`);
  }
  if (!hasCommitHashForm(block)) faults.push('the commit hash is not in the form that a peer writes');
  return faults;
}

/** A peer writes nothing but a hash there: none in block 0, a SHA-256 in every other. */
function hasCommitHashForm({ header, metadata, commitHash }: DecodedBlock): boolean {
  const canonical = bytesField(1, commitHash);
  return (
    commitHash.length === (header.number === 0 ? 0 : HASH_BYTES) &&
    isSame(metadata[MetadataIndex.COMMIT_HASH] ?? canonical, canonical)
  );
}

function isSame(bytes: Uint8Array = NOTHING, expected: Uint8Array): boolean {
  return Buffer.compare(bytes, expected) === 0;
}

/** Examines a `common.Metadata` with the signatures of orderers (protoutil.BlockSignatureVerifier). */
export function examineSignatures(
  header: BlockHeader,
  bytes: Uint8Array = NOTHING,
  identities: IdentitySignatures,
): BlockSignatures {
  const fault = canonicalFault(bytes, SignedMetadata, STRICT);
  if (fault !== undefined) return { fault, lastConfig: undefined, signers: [] };
  const { value, signatures } = decodeMessage(SignedMetadata, bytes);
  return {
    fault,
    lastConfig: decodeMessage(OrdererBlockMetadata, value).lastConfig?.index,
    signers: signatures.map(({ signatureHeader, signature, identifierHeader }) => {
      if (identifierHeader.length > 0) return 'signatures of BFT orderers cannot be checked';
      const { creator } = decodeMessage(SignatureHeader, signatureHeader);
      return identities.check(creator, bytesToSign({ value, signatureHeader }, header), signature);
    }),
  };
}
