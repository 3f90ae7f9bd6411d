import { Buffer } from 'node:buffer';
import { decodeBlock, type DecodedBlock } from '../decode/decode-block.js';
import { bytesToSign, lastConfigEntry } from '../encode/block-encoder.js';
import { blockDataHash, type BlockHeader } from '../encode/hashes.js';
import { bytesField } from '../encode/proto-fields.js';
import { scanMessage } from '../messages/canonical-form.js';
import { attempt, decodeMessage } from '../messages/decode-message.js';
import {
  Block,
  Metadata,
  METADATA_ENTRIES,
  MetadataIndex,
  OrdererBlockMetadata,
  SignatureHeader,
} from '../messages/fabric-messages.js';
import type { Decoded } from '../messages/schema.js';
import { hex } from '../messages/text.js';
import { ByteArena, examineTransaction, type ExaminedTransaction } from './examine-transaction.js';
import { IdentitySignatures, type SignedBy } from './identity-signatures.js';

/**
 * The results of all checks on one block that need no other block: its canonical form, its hashes and ids, and each signature
 * against the identity it names. A `ChainVerifier` checks what depends on the channel's configuration and on earlier
 * blocks. It can be sent from one thread to another.
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
  /** The serialized identities that {@link SignedBy} refers to. */
  readonly identities: readonly Uint8Array[];
}

/** The SIGNATURES metadata of a block. */
export interface BlockSignatures {
  /** Why they cannot be read. */
  readonly fault: string | undefined;
  /** Why the value that they cover is not in its canonical form. */
  readonly valueFault: string | undefined;
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
  #arena = new ByteArena();

  /** @param bytes - a serialized `common.Block`; the result does not refer to it */
  examine(bytes: Uint8Array): ExaminedBlock {
    const block = attempt(() => decodeBlock(bytes));
    return {
      fault: scanMessage(bytes, Block, STRICT),
      content: block && this.#examine(block),
    };
  }

  /** Returns the memory of all results since the last call, to be transferred to another thread with them. */
  takeMemory(): ArrayBuffer[] {
    const { buffers } = this.#arena;
    this.#arena = new ByteArena();
    return buffers;
  }

  #examine(block: DecodedBlock): BlockContent {
    const arena = this.#arena;
    const identities = this.#signatures.begin();
    const transactions = block.envelopes.map((envelope, index) =>
      examineTransaction(envelope, block.validationCodes[index], identities, arena),
    );
    const signatures = examineSignatures(block.header, block.metadata[MetadataIndex.SIGNATURES], identities);
    return {
      number: block.header.number,
      hash: hex(block.hash),
      previousHash: hex(block.header.previousHash),
      isDataHashRight: isSame(block.header.dataHash, blockDataHash(block.envelopes)),
      metadataFaults: metadataFaults(block, signatures),
      validationCodes: arena.copy(block.validationCodes),
      commitHash: arena.copy(block.commitHash),
      signatures,
      transactions,
      identities: identities.identities.map((identity) => arena.copy(identity)),
    };
  }
}

/**
 * Lists the errors in the metadata that no signature covers. Since Fabric 2.0 the signed value holds the content of LAST_CONFIG
 * and ORDERER: LAST_CONFIG repeats it, and ORDERER is empty.
 */
function metadataFaults(block: DecodedBlock, { fault, valueFault, lastConfig = 0 }: BlockSignatures): string[] {
  const { metadata, validationCodes, envelopes } = block;
  const { [MetadataIndex.LAST_CONFIG]: lastConfigBytes, [MetadataIndex.ORDERER]: ordererBytes } = metadata;
  const faults: string[] = [];
  if (metadata.length !== METADATA_ENTRIES) {
    faults.push(`there are ${metadata.length} metadata entries, not ${METADATA_ENTRIES}`);
  }
  const isReadable = fault === undefined && valueFault === undefined;
  if (isReadable && !isSame(lastConfigBytes, lastConfigEntry(lastConfig))) {
    faults.push(`the metadata entry LAST_CONFIG does not name block ${lastConfig}, as the signed metadata do`);
  }
  if (!isSame(ordererBytes, NOTHING)) faults.push('the metadata entry ORDERER is not empty');
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
  const fault = scanMessage(bytes, Metadata, STRICT);
  if (fault !== undefined) return { fault, valueFault: undefined, lastConfig: undefined, signers: [] };
  const { value, signatures } = decodeMessage(Metadata, bytes);
  const valueFault = scanMessage(value, OrdererBlockMetadata, STRICT);
  return {
    fault,
    valueFault,
    lastConfig: valueFault === undefined ? decodeMessage(OrdererBlockMetadata, value).lastConfig?.index : undefined,
    signers: signatures.map((signature) => examineSignature(header, value, signature, identities)),
  };
}

function examineSignature(
  header: BlockHeader,
  value: Uint8Array,
  { signatureHeader, signature, identifierHeader }: Decoded<typeof Metadata>['signatures'][number],
  identities: IdentitySignatures,
): SignedBy | string {
  if (identifierHeader.length > 0) return 'signatures of BFT orderers cannot be checked';
  const fault = scanMessage(signatureHeader, SignatureHeader, STRICT);
  if (fault !== undefined) return `a signature header is not in its canonical form: ${fault}`;
  const { creator } = decodeMessage(SignatureHeader, signatureHeader);
  return identities.check(creator, bytesToSign({ value, signatureHeader }, header), signature);
}
