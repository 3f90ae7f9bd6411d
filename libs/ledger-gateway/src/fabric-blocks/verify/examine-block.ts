import { Buffer } from 'node:buffer';
import { decodeBlock, type DecodedBlock } from '../decode/decode-block.js';
import {
  decodeActions,
  type DecodedAction,
  type DecodedEnvelope,
  decodeEnvelope,
  decodeReadWriteSets,
} from '../decode/decode-envelope.js';
import { calledFunction, type CallSummary } from '../describe/describe-transaction.js';
import { bytesToSign, lastConfigEntry } from '../encode/block-encoder.js';
import { blockDataHash, proposalHashOf, transactionIdOf, type BlockHeader } from '../encode/hashes.js';
import { bytesField } from '../encode/proto-fields.js';
import { bytesToEndorse } from '../encode/transaction-encoder.js';
import { attempt, canonicalFault, decodeMessage } from '../messages/decode-message.js';
import {
  Block,
  ConfigEnvelope,
  Envelope,
  HeaderType,
  METADATA_ENTRIES,
  MetadataIndex,
  OrdererBlockMetadata,
  Payload,
  SignatureHeader,
  SignedMetadata,
  Transaction,
  TxValidationCode,
} from '../messages/fabric-messages.js';
import { hex } from '../messages/text.js';
import { IdentitySignatures, type SignedBy } from './trust/organisation.js';

/** The rule that a finding is about. */
export type Check =
  /** The bytes are not a block, or not in its one canonical form. */
  | 'BLOCK_FORMAT'
  /** The number is not the next one. */
  | 'BLOCK_NUMBER'
  /** The block does not name the hash of the previous block, or block 0 is not the expected one. */
  | 'BLOCK_LINK'
  /** The header contains the hash of other envelopes. */
  | 'DATA_HASH'
  /** Metadata that no signature or hash covers are not as Fabric writes them. */
  | 'METADATA'
  /** No orderer that the channel trusts signed it. */
  | 'BLOCK_SIGNATURE'
  /** The configuration cannot be read, or does not follow from the previous one. */
  | 'CONFIGURATION'
  /** The envelope is not in its one canonical form, or its parts contradict each other. */
  | 'TRANSACTION_FORMAT'
  /** The id is not the hash of nonce and creator, or appears in the chain already. */
  | 'TRANSACTION_ID'
  /** The creator is not a member of the channel, may not write, or did not sign this. */
  | 'CREATOR'
  /** The endorsements do not satisfy the policy, or do not sign this. */
  | 'ENDORSEMENT'
  /** The recorded validation code differs from the result of replaying the chain. */
  | 'VALIDATION_CODE'
  /** The commit hash differs from the result of replaying the chain. */
  | 'COMMIT_HASH'
  /** Something that this version cannot check. */
  | 'UNCHECKED';

/** An error without its place. */
export interface Fault {
  readonly check: Check;
  /** The error in words. */
  readonly what: string;
}

/** Records an error. */
export type Note = (check: Check, what: string) => void;

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

/** The SIGNATURES metadata of a block. */
export interface BlockSignatures {
  /** Why they are not in their canonical form. */
  readonly fault: string | undefined;
  /** The newest configuration block by the signed value. */
  readonly lastConfig?: number | undefined;
  /** Each signature, or why it cannot be checked. */
  readonly signers: readonly (SignedBy | string)[];
}

/** The results of all checks on one transaction that need nothing else. */
export interface ExaminedTransaction {
  /** Its recorded `TxValidationCode`. */
  readonly code: number;
  /** The errors in its form, and its contradictions; empty for a transaction that the peers refused, which may be anything. */
  readonly faults: readonly Fault[];
  /** Undefined when the envelope cannot be decoded. */
  readonly transactionId: string | undefined;
  /** As lists of transactions show it; undefined when the envelope cannot be decoded. */
  readonly summary: ExaminedSummary | undefined;
  /** The serialized `common.Envelope` of a configuration; undefined for another type. */
  readonly configuration: Uint8Array | undefined;
  /** Undefined when it cannot be decoded or is of another type, and for a transaction that the peers refused. */
  readonly envelope: ExaminedEnvelope | undefined;
}

/** The creator, the timestamp and the called function of a transaction, which may be refused. */
export type ExaminedSummary = Pick<DecodedEnvelope, 'creator' | 'timestamp'> & Pick<CallSummary, 'function'>;

/** The envelope of a configuration or a call that was not refused. */
export type ExaminedEnvelope = Readonly<NonNullable<ReturnType<typeof examineEnvelope>>>;

/** The call of a chaincode in an endorser transaction. */
export type ExaminedCall = Readonly<NonNullable<ReturnType<typeof examineCall>>>;

const { VALID, MVCC_READ_CONFLICT, PHANTOM_READ_CONFLICT, NOT_VALIDATED } = TxValidationCode;
/** Peers check reads and writes last: with these codes everything else was in order. */
const PASSED = new Set<number>([VALID, MVCC_READ_CONFLICT, PHANTOM_READ_CONFLICT]);
/** The parts of a block that must be in their canonical form. Some client libraries write default values in their part. */
const PARTS = {
  block: { schema: Block, check: 'BLOCK_FORMAT', allowDefaults: false },
  envelope: { schema: Envelope, check: 'TRANSACTION_FORMAT', allowDefaults: false },
  payload: { schema: Payload, check: 'TRANSACTION_FORMAT', allowDefaults: true },
  configuration: { schema: ConfigEnvelope, check: 'CONFIGURATION', allowDefaults: true },
  transaction: { schema: Transaction, check: 'TRANSACTION_FORMAT', allowDefaults: true },
} as const;
const NOTHING = new Uint8Array();
const HASH_BYTES = 32;

/** Returns whether a transaction with that `TxValidationCode` was in order, even if its reads were outdated. */
export function isPassed(code: number): boolean {
  return PASSED.has(code);
}

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

/** Examines a `common.Metadata` with the signatures of orderers (protoutil.BlockSignatureVerifier). */
export function examineSignatures(
  header: BlockHeader,
  bytes: Uint8Array = NOTHING,
  identities: IdentitySignatures,
): BlockSignatures {
  const fault = canonicalFault(bytes, SignedMetadata, { allowDefaults: false });
  if (fault !== undefined) return { fault, signers: [] };
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

/**
 * Examines a serialized `common.Envelope`, whose form is checked strictly, as Fabric does since CVE-2023-46132.
 * @param code - undefined when the block has none for it
 */
export function examineTransaction(
  bytes: Uint8Array,
  code: number = NOT_VALIDATED,
  identities: IdentitySignatures,
): ExaminedTransaction {
  const faults: Fault[] = [];
  const decoded = attempt(() => decodeEnvelope(bytes));
  const configuration = decoded?.type === HeaderType.CONFIG ? bytes : undefined;
  const known = {
    code,
    faults,
    transactionId: decoded?.transactionId,
    summary: decoded && summaryOf(decoded),
    configuration,
  };
  if (!isPassed(code)) return { ...known, envelope: undefined };
  const note = noteIn(faults);
  checkForm('envelope', bytes, note);
  if (decoded === undefined) note('TRANSACTION_FORMAT', 'the envelope cannot be decoded');
  return { ...known, envelope: decoded && examineEnvelope(decoded, identities, note) };
}

function summaryOf(envelope: DecodedEnvelope): ExaminedSummary {
  const { creator, timestamp } = envelope;
  return { creator, timestamp, function: calledFunction(envelope).function };
}

function examineEnvelope(envelope: DecodedEnvelope, identities: IdentitySignatures, note: Note) {
  const { type, channelId, transactionId, nonce, creatorBytes, payload, signature, data } = envelope;
  checkForm('payload', payload, note);
  const isCall = type === HeaderType.ENDORSER_TRANSACTION;
  if (!isCall && type !== HeaderType.CONFIG) {
    note('TRANSACTION_FORMAT', `a channel contains no transactions of the type ${type}`);
    return undefined;
  }
  // A configuration that an orderer made has the empty id.
  if (transactionIdOf(nonce, creatorBytes) !== transactionId && (isCall || transactionId !== '')) {
    note('TRANSACTION_ID', 'the id is not the hash of nonce and creator');
  }
  if (!isCall) checkForm('configuration', data, note);
  return {
    channelId,
    creator: identities.check(creatorBytes, payload, signature),
    isUnsigned: signature.length === 0,
    /** Undefined for a configuration, and when it is not one call of a chaincode. */
    call: isCall ? examineCall(envelope, identities, note) : undefined,
  };
}

function examineCall(envelope: DecodedEnvelope, identities: IdentitySignatures, note: Note) {
  checkForm('transaction', envelope.data, note);
  const [action, ...more] = attempt(() => decodeActions(envelope.data)) ?? [];
  const namespaces = action && attempt(() => decodeReadWriteSets(action.results));
  if (action === undefined || namespaces === undefined || more.length > 0) {
    note('TRANSACTION_FORMAT', 'the transaction is not one call of a chaincode');
    return undefined;
  }
  checkProposal(envelope, action, note);
  const { chaincode = '', responsePayload, endorsements } = action;
  return {
    /** The chaincode that answered. */
    chaincode,
    /** One per endorsement. */
    endorsers: endorsements.map(({ endorserBytes, signature }) =>
      identities.check(endorserBytes, bytesToEndorse(responsePayload, endorserBytes), signature),
    ),
    namespaces,
  };
}

/** The action must repeat the envelope's header, and the endorsers must have answered the call that it contains. */
function checkProposal(envelope: DecodedEnvelope, action: DecodedAction, note: Note): void {
  const { signatureHeader, proposalHash, called, chaincode } = action;
  if (!isSame(signatureHeader, envelope.signatureHeader)) {
    note('TRANSACTION_FORMAT', 'the action has another signature header than the envelope');
  }
  if (!isSame(proposalHashOf({ ...action, channelHeader: envelope.channelHeader }), proposalHash)) {
    note('ENDORSEMENT', 'the endorsers answered another proposal');
  }
  if (called !== chaincode) {
    note('TRANSACTION_FORMAT', 'another chaincode answered than was called');
  }
}

/** Checks the canonical form of a part. */
function checkForm(part: keyof typeof PARTS, bytes: Uint8Array, note: Note): void {
  const { schema, check, ...form } = PARTS[part];
  const fault = canonicalFault(bytes, schema, form);
  if (fault !== undefined) note(check, `the ${part} is not in its canonical form: ${fault}`);
}

/** Returns a function that adds errors to a list. */
function noteIn(faults: Fault[]): Note {
  return (check, what) => {
    faults.push({ check, what });
  };
}

function isSame(bytes: Uint8Array = NOTHING, expected: Uint8Array): boolean {
  return Buffer.compare(bytes, expected) === 0;
}
