import { Buffer } from 'node:buffer';
import {
  decodeActions,
  decodeCall,
  type DecodedAction,
  type DecodedEnvelope,
  decodeEnvelope,
  decodeReadWriteSets,
} from '../decode/decode-envelope.js';
import { bytesToSign } from '../encode/block-encoder.js';
import { proposalHashOf, transactionIdOf, type BlockHeader } from '../encode/hashes.js';
import { bytesToEndorse } from '../encode/transaction-encoder.js';
import { attempt, canonicalFault, decodeMessage } from '../messages/decode-message.js';
import { HeaderType, TxValidationCode } from '../messages/enums.js';
import {
  Block,
  ConfigEnvelope,
  Envelope,
  OrdererBlockMetadata,
  Payload,
  SignatureHeader,
  SignedMetadata,
  Transaction,
} from '../messages/fabric-messages.js';
import { textOrBase64 } from '../messages/text.js';
import type { SignatureChecker, SignedBy } from './trust/membership.js';

// These checks also run in browsers, where signatures can only be verified asynchronously: a `SignatureChecker` decides when.

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

/** The SIGNATURES metadata of a block. */
export interface BlockSignatures<S = SignedBy> {
  /** Why they are not in their canonical form. */
  readonly fault: string | undefined;
  /** The newest configuration block by the signed value. */
  readonly lastConfig?: number | undefined;
  /** Each signature, or why it cannot be checked. */
  readonly signers: readonly (S | string)[];
}

/** The results of all checks on one transaction that need nothing else. */
export interface ExaminedTransaction<S = SignedBy> {
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
  readonly envelope: ExaminedEnvelope<S> | undefined;
}

/** The creator, the timestamp and the called function of a transaction, which may be refused. */
export type ExaminedSummary = Pick<DecodedEnvelope, 'creator' | 'timestamp'> & { readonly function: string };

/** The envelope of a configuration or a call that was not refused. */
export type ExaminedEnvelope<S = SignedBy> = Readonly<NonNullable<ReturnType<typeof examineEnvelope<S>>>>;

/** The call of a chaincode in an endorser transaction. */
export type ExaminedCall<S = SignedBy> = Readonly<NonNullable<ReturnType<typeof examineCall<S>>>>;

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

/** Returns whether a transaction with that `TxValidationCode` was in order, even if its reads were outdated. */
export function isPassed(code: number): boolean {
  return PASSED.has(code);
}

/** Examines a `common.Metadata` with the signatures of orderers (protoutil.BlockSignatureVerifier). */
export function examineSignatures<S>(
  header: BlockHeader,
  bytes: Uint8Array = NOTHING,
  identities: SignatureChecker<S>,
): BlockSignatures<S> {
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
export function examineTransaction<S>(
  bytes: Uint8Array,
  code: number = NOT_VALIDATED,
  identities: SignatureChecker<S>,
): ExaminedTransaction<S> {
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
  const [name = NOTHING] = decodeCall(envelope).arguments;
  return { creator, timestamp, function: textOrBase64(name) };
}

function examineEnvelope<S>(envelope: DecodedEnvelope, identities: SignatureChecker<S>, note: Note) {
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

function examineCall<S>(envelope: DecodedEnvelope, identities: SignatureChecker<S>, note: Note) {
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
export function checkForm(part: keyof typeof PARTS, bytes: Uint8Array, note: Note): void {
  const { schema, check, ...form } = PARTS[part];
  const fault = canonicalFault(bytes, schema, form);
  if (fault !== undefined) note(check, `the ${part} is not in its canonical form: ${fault}`);
}

/** Returns a function that adds errors to a list. */
export function noteIn(faults: Fault[]): Note {
  return (check, what) => {
    faults.push({ check, what });
  };
}

/** Returns whether two byte arrays are equal; missing bytes count as empty. */
export function isSame(bytes: Uint8Array = NOTHING, expected: Uint8Array): boolean {
  return Buffer.compare(bytes, expected) === 0;
}
