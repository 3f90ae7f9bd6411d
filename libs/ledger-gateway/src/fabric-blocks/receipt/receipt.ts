import { Buffer } from 'node:buffer';
import { namesTwice } from '../../json/repeated-names.js';
import { decodeBlock, findTransaction } from '../decode/decode-block.js';
import { encodeSealedBlock } from '../encode/block-encoder.js';
import { attempt } from '../messages/decode-message.js';
import { MetadataIndex, TxValidationCode } from '../messages/fabric-messages.js';
import { base64, quotedShort, validationCodeName } from '../messages/text.js';

/** The `format` of every receipt. */
const RECEIPT_FORMAT = 'ledger-receipt';
/** The version of the format; docs/receipts.md describes it. */
const RECEIPT_VERSION = 1;

/** The place of a transaction in the chain, and its validation code. */
export interface RecordedPlace {
  readonly channel: string;
  readonly transactionId: string;
  readonly blockNumber: number;
  /** Hexadecimal hash of the block's header. */
  readonly blockHash: string;
  /** Index of the transaction in the block. */
  readonly position: number;
  /** Fabric's name of the validation code. */
  readonly validationCode: string;
}

/**
 * A peer's signature over the validation code, which no signature in a block covers: its own statement about the place
 * ({@link statementOf}), or its endorsed answer to `GetTransactionByID` of the system chaincode `qscc`.
 */
export type Attestation =
  | {
      readonly kind: 'statement';
      readonly statement: string;
      /** The serialized `msp.SerializedIdentity`. */
      readonly endorser: Uint8Array;
      /** Over the statement followed by the endorser, as a peer endorses. */
      readonly signature: Uint8Array;
    }
  | {
      readonly kind: 'qscc';
      /** The serialized `common.Payload` of a transaction that was endorsed and not ordered. */
      readonly payload: Uint8Array;
    };

/** A proof of one transaction for anyone without the ledger. */
export interface Receipt extends RecordedPlace {
  /** The serialized `common.Block` as the orderers sealed it: without the part that a peer adds, which no signature covers. */
  readonly block: Uint8Array;
  readonly attestation: Attestation;
}

/** The checks of a receipt, in this order. */
export type ReceiptCheck =
  /** It is a receipt of a known version, in its one form. */
  | 'FORMAT'
  /** The block is in its canonical form, and has the number, the hash and the transactions that its header names. */
  | 'BLOCK'
  /** Orderers under the given roots signed it. */
  | 'BLOCK_SIGNATURE'
  /** The transaction is at the receipt's position, and its id is the hash of nonce and creator. */
  | 'TRANSACTION'
  /** Its creator is a member under the given roots and signed it. */
  | 'CREATOR'
  /** The endorsers are members under the given roots and signed the transaction's effects. */
  | 'ENDORSEMENT'
  /** A peer under the given roots signed that the transaction has this validation code. */
  | 'VALIDATION_CODE'
  /** The block is the one that the caller knows from elsewhere. */
  | 'EXPECTED_HEAD';

/** The reason why a receipt proves nothing. */
export class ReceiptFault extends Error {
  readonly check: ReceiptCheck;

  constructor(check: ReceiptCheck, what: string) {
    super(what);
    this.name = new.target.name;
    this.check = check;
  }
}

/**
 * Returns the place of a transaction in a serialized `common.Block` that a peer has validated; see {@link findTransaction}.
 * @throws `LEDGER.DAMAGED` when the bytes are not a block
 */
export function placeInBlock(block: Uint8Array, transactionId: string): RecordedPlace | undefined {
  const found = findTransaction(block, transactionId);
  return found && placeFields({ ...found, validationCode: validationCodeName(found.validationCode) });
}

/** Returns a block without the validation codes and the commit hash, which a peer adds and no signature covers. */
export function sealedBlock(bytes: Uint8Array): Uint8Array {
  const block = decodeBlock(bytes);
  return encodeSealedBlock(block, block.metadata[MetadataIndex.SIGNATURES] ?? new Uint8Array());
}

/** Returns the statement of a peer of an embedded ledger. It is JSON, so that it cannot be a message of Fabric. */
export function statementOf(place: RecordedPlace): string {
  return JSON.stringify({ statement: `${RECEIPT_FORMAT}/${RECEIPT_VERSION}`, ...placeFields(place) });
}

/**
 * Returns the receipt as a file: one JSON object.
 * @param block - the serialized `common.Block` of that place
 */
export function receiptText(place: RecordedPlace, block: Uint8Array, attestation: Attestation): string {
  return JSON.stringify({
    format: RECEIPT_FORMAT,
    version: RECEIPT_VERSION,
    ...placeFields(place),
    block: base64(sealedBlock(block)),
    attestation: Object.fromEntries(
      Object.entries(attestation).map(([name, value]) => [name, typeof value === 'string' ? value : base64(value)]),
    ),
  });
}

/** Picks the fields of a place in the order in which they are written and signed. */
export function placeFields(place: RecordedPlace): RecordedPlace {
  const { channel, transactionId, blockNumber, blockHash, position, validationCode } = place;
  return { channel, transactionId, blockNumber, blockHash, position, validationCode };
}

type JsonObject = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, (value: unknown) => boolean>>;

/** The members of a receipt and their checks. */
const MEMBERS: Members = {
  format: (value) => value === RECEIPT_FORMAT,
  version: (value) => value === RECEIPT_VERSION,
  channel: isText,
  transactionId: isHash,
  blockNumber: isCount,
  blockHash: isHash,
  position: isCount,
  validationCode: (value) => isText(value) && Object.hasOwn(TxValidationCode, value),
  block: isBase64,
  attestation: isObject,
};

/** The members of an attestation, by its kind. */
const ATTESTATIONS: ReadonlyMap<unknown, Members> = new Map<string, Members>([
  ['statement', { kind: isText, statement: isText, endorser: isBase64, signature: isBase64 }],
  ['qscc', { kind: isText, payload: isBase64 }],
]);

/**
 * Reads a receipt strictly: exactly the members of a receipt, and bytes in the one canonical form of base64.
 * @throws {@link ReceiptFault} FORMAT
 */
export function readReceipt(text: string): Receipt {
  const json = attempt(() => JSON.parse(text) as unknown);
  if (json === undefined) throw fault('it is not JSON, or truncated');
  if (!isObject(json) || json['format'] !== RECEIPT_FORMAT) {
    throw fault(`it is not a receipt: a receipt has the "format" "${RECEIPT_FORMAT}"`);
  }
  if (json['version'] !== RECEIPT_VERSION) {
    throw fault(
      `its version is ${shown(json['version'])}, and this program supports ${RECEIPT_VERSION} only: use a newer one`,
    );
  }
  const receipt = readMembers(json, MEMBERS, '');
  if (namesTwice(text, json)) throw fault('a member appears twice, so that it can be read in two ways');
  const { attestation } = json as { readonly attestation: JsonObject };
  const members = ATTESTATIONS.get(attestation['kind']);
  if (members === undefined) throw fault(`the attestation is of the unknown kind ${shown(attestation['kind'])}`);
  return { ...receipt, attestation: readMembers(attestation, members, 'attestation.') } as unknown as Receipt;
}

/** Returns the members of an object with base64 decoded, after checking that they are exactly the expected ones. */
function readMembers(json: JsonObject, members: Members, prefix: string): JsonObject {
  for (const name of Object.keys(json)) {
    if (!Object.hasOwn(members, name)) throw fault(`it has an unknown member: ${shown(prefix + name)}`);
  }
  return Object.fromEntries(
    Object.entries(members).map(([name, isValid]) => {
      if (!Object.hasOwn(json, name)) throw fault(`"${prefix}${name}" is missing`);
      const value = json[name];
      if (!isValid(value)) throw fault(`"${prefix}${name}" is not valid`);
      return [name, isValid === isBase64 ? Buffer.from(value as string, 'base64') : value];
    }),
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isHash(value: unknown): boolean {
  return isText(value) && /^[0-9a-f]{64}$/.test(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isBase64(value: unknown): boolean {
  return isText(value) && Buffer.from(value, 'base64').toString('base64') === value;
}

/** Quotes a value of unknown origin, shortened to fit in a line. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  return isText(value) ? quotedShort(value) : JSON.stringify(value).slice(0, 64);
}

function fault(what: string): ReceiptFault {
  return new ReceiptFault('FORMAT', what);
}
