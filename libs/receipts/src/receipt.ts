import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { base64, decodeBlock, findTransaction, quotedShort, validationCodeName } from '#fabric-codec';
import { encodeSealedBlock, transactionLeaves, treeEntry } from '#fabric-codec/encode';
import { attempt, MetadataIndex, TxValidationCode } from '#fabric-codec/messages';
import { isJsonObject, namesTwice, type JsonObject } from '#json';
import { pathAmong } from '#tlog/verify';

/** The `format` of every receipt. */
const RECEIPT_FORMAT = 'ledger-receipt';
/** The version with the block and a peer's attestation; docs/receipts.md describes both. */
const ATTESTED = 1;
/** The version with a proof of a transparency log. */
const WITNESSED = 2;

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

/** A proof of one transaction for anyone without the ledger, who trusts those who signed its block. */
export interface AttestedReceipt extends RecordedPlace {
  readonly version: typeof ATTESTED;
  /** The serialized `common.Block` as the orderers sealed it: without the part that a peer adds, which no signature covers. */
  readonly block: Uint8Array;
  readonly attestation: Attestation;
}

/** A proof of one transaction for anyone without the ledger, who trusts witnesses of its log. */
export interface WitnessedReceipt extends RecordedPlace {
  readonly version: typeof WITNESSED;
  /** The entry of the block in the log, see `treeEntry`. */
  readonly entry: Uint8Array;
  /** The serialized `common.Envelope` of the transaction. */
  readonly envelope: Uint8Array;
  /** The hashes from the transaction to the root in the entry (RFC 6962, section 2.1.1). */
  readonly path: readonly Uint8Array[];
  /** That the log contains the entry (https://c2sp.org/tlog-proof). */
  readonly proof: string;
  /** As in {@link AttestedReceipt}, where it was requested. */
  readonly block: Uint8Array | undefined;
}

/** A receipt of any version. */
export type Receipt = AttestedReceipt | WitnessedReceipt;

/** The checks of a receipt, in this order; those of a block and those of a log are not both in each receipt. */
export type ReceiptCheck =
  /** It is a receipt of a known version, in its one form. */
  | 'FORMAT'
  /** The transaction with its code is in the entry of its block, and the log of the checkpoint contains the entry. */
  | 'INCLUSION'
  /** A log of the given policy signed the checkpoint. */
  | 'CHECKPOINT'
  /** Enough witnesses of the given policy confirmed the checkpoint. */
  | 'WITNESSES'
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
  | 'EXPECTED_HEAD'
  /** The document that the caller has is one that the transaction wrote outside the blocks. */
  | 'DOCUMENT';

/** The reason why a receipt proves nothing. */
export class ReceiptFault extends Error {
  readonly check: ReceiptCheck;

  constructor(check: ReceiptCheck, what: string) {
    super(what);
    this.name = new.target.name;
    this.check = check;
  }
}

/** @throws {@link ReceiptFault} unless a condition of a check is met */
export function ensure(check: ReceiptCheck, isMet: boolean, what: string): asserts isMet {
  if (!isMet) throw new ReceiptFault(check, what);
}

/**
 * Returns the place of a transaction in a serialized `common.Block` that a peer has validated; see {@link findTransaction}.
 * @throws `LEDGER.DAMAGED` when the bytes are not a block
 */
export function blockPosition(block: Uint8Array, transactionId: string): RecordedPlace | undefined {
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
  return JSON.stringify({ statement: `${RECEIPT_FORMAT}/${ATTESTED}`, ...placeFields(place) });
}

/**
 * Returns the receipt as a file: one JSON object.
 * @param block - the serialized `common.Block` of that place
 */
export function receiptText(place: RecordedPlace, block: Uint8Array, attestation: Attestation): string {
  return JSON.stringify({
    format: RECEIPT_FORMAT,
    version: ATTESTED,
    ...placeFields(place),
    block: base64(sealedBlock(block)),
    attestation: Object.fromEntries(
      Object.entries(attestation).map(([name, value]) => [name, typeof value === 'string' ? value : base64(value)]),
    ),
  });
}

/**
 * Returns the receipt with a proof of a log as a file: one JSON object.
 * @param bytes - the serialized `common.Block` of that place, as a peer has validated it
 * @param proof - that the log contains the entry of the block
 */
export function witnessedReceiptText(
  place: RecordedPlace,
  bytes: Uint8Array,
  { proof, hasBlock }: { readonly proof: string; readonly hasBlock: boolean },
): string {
  const block = decodeBlock(bytes);
  const members = {
    format: RECEIPT_FORMAT,
    version: WITNESSED,
    ...placeFields(place),
    entry: base64(treeEntry(block)),
    envelope: block.envelopes
      .slice(place.position, place.position + 1)
      .map(base64)
      .join(''),
    path: pathAmong(transactionLeaves(block), place.position).map(base64),
    proof,
    ...(hasBlock ? { block: base64(sealedBlock(bytes)) } : {}),
  };
  return JSON.stringify({ ...members, checksum: checksumOf(members) });
}

/** Returns a hash over everything else in a receipt, which shows damage where no signature does. Anyone can compute it. */
function checksumOf(members: JsonObject): string {
  return hash('sha256', Buffer.from(JSON.stringify(members)), 'hex');
}

/** Picks the fields of a place in the order in which they are written and signed. */
export function placeFields(place: RecordedPlace): RecordedPlace {
  const { channel, transactionId, blockNumber, blockHash, position, validationCode } = place;
  return { channel, transactionId, blockNumber, blockHash, position, validationCode };
}

type Members = Readonly<Record<string, (value: unknown) => boolean>>;

/** The members of every receipt and their checks. */
const PLACE: Members = {
  format: (value) => value === RECEIPT_FORMAT,
  version: isCount,
  channel: isText,
  transactionId: isHash,
  blockNumber: isCount,
  blockHash: isHash,
  position: isCount,
  validationCode: (value) => isText(value) && Object.hasOwn(TxValidationCode, value),
};
/** Those of a version. */
const MEMBERS: ReadonlyMap<unknown, Members> = new Map<number, Members>([
  [ATTESTED, { ...PLACE, block: isBase64, attestation: isJsonObject }],
  [
    WITNESSED,
    {
      ...PLACE,
      entry: isBase64,
      envelope: isBase64,
      path: (value) => Array.isArray(value) && value.every(isBase64),
      proof: isText,
      checksum: isHash,
    },
  ],
]);

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
  if (!isJsonObject(json) || json['format'] !== RECEIPT_FORMAT) {
    throw fault(`it is not a receipt: a receipt has the "format" "${RECEIPT_FORMAT}"`);
  }
  const members = MEMBERS.get(json['version']);
  if (members === undefined) {
    const versions = [...MEMBERS.keys()].join(' and ');
    throw fault(`its version is ${shown(json['version'])}, and this program supports ${versions}: use a newer one`);
  }
  if (namesTwice(text, json)) throw fault('a member appears twice, so that it can be read in two ways');
  return json['version'] === ATTESTED ? readAttested(json, members) : readWitnessed(json, members);
}

function readAttested(json: JsonObject, members: Members): AttestedReceipt {
  const receipt = readMembers(json, members, '');
  const attestation = receipt['attestation'] as JsonObject;
  const own = ATTESTATIONS.get(attestation['kind']);
  if (own === undefined) throw fault(`the attestation is of the unknown kind ${shown(attestation['kind'])}`);
  return { ...receipt, attestation: readMembers(attestation, own, 'attestation.') } as unknown as AttestedReceipt;
}

function readWitnessed(json: JsonObject, members: Members): WitnessedReceipt {
  const own = Object.hasOwn(json, 'block') ? { ...members, block: isBase64 } : members;
  const receipt = readMembers(json, own, '');
  const { checksum, ...covered } = json;
  if (checksumOf(covered) !== checksum) throw fault('it is damaged: its checksum is that of another content');
  const path = (receipt['path'] as readonly string[]).map((hash) => Buffer.from(hash, 'base64'));
  return { block: undefined, ...receipt, path } as unknown as WitnessedReceipt;
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
