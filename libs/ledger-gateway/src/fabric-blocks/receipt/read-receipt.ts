import { Buffer } from 'node:buffer';
import { namesTwice } from '../../json/repeated-names.js';
import { attempt } from '../messages/decode-message.js';
import { TxValidationCode } from '../messages/fabric-messages.js';
import { quotedShort } from '../messages/text.js';
import { ReceiptFault } from './receipt-report.js';
import { RECEIPT_FORMAT, RECEIPT_VERSION, type Attestation, type Receipt } from './receipt.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** The members of a receipt and their checks. */
const MEMBERS = {
  format: (value: unknown) => value === RECEIPT_FORMAT,
  version: (value: unknown) => value === RECEIPT_VERSION,
  channel: isText,
  transactionId: isHash,
  blockNumber: isCount,
  blockHash: isHash,
  position: isCount,
  validationCode: (value: unknown) => isText(value) && Object.hasOwn(TxValidationCode, value),
  block: isBase64,
  attestation: isObject,
} as const;

/** The members of an attestation, by its kind. */
const ATTESTATIONS = {
  statement: { kind: isText, statement: isText, endorser: isBase64, signature: isBase64 },
  qscc: { kind: isText, payload: isBase64 },
} as const;

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
  requireMembers(json, MEMBERS, '');
  if (namesTwice(text, json)) throw fault('a member appears twice, so that it can be read in two ways');
  const receipt = json as unknown as Receipt & { readonly block: string; readonly attestation: JsonObject };
  return { ...receipt, block: bytesOf(receipt.block), attestation: readAttestation(receipt.attestation) };
}

function readAttestation(json: JsonObject): Attestation {
  const { kind } = json;
  if (kind !== 'statement' && kind !== 'qscc') throw fault(`the attestation is of the unknown kind ${shown(kind)}`);
  requireMembers(json, ATTESTATIONS[kind], 'attestation.');
  const member = (name: string): string => json[name] as string;
  if (kind === 'qscc') return { kind, payload: bytesOf(member('payload')) };
  const [endorser, signature] = [bytesOf(member('endorser')), bytesOf(member('signature'))];
  return { kind, statement: member('statement'), endorser, signature };
}

function requireMembers(
  json: JsonObject,
  members: Readonly<Record<string, (value: unknown) => boolean>>,
  prefix: string,
): void {
  for (const name of Object.keys(json)) {
    if (!Object.hasOwn(members, name)) throw fault(`it has an unknown member: ${shown(prefix + name)}`);
  }
  for (const [name, isValid] of Object.entries(members)) {
    if (!Object.hasOwn(json, name)) throw fault(`"${prefix}${name}" is missing`);
    if (!isValid(json[name])) throw fault(`"${prefix}${name}" is not valid`);
  }
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

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

/** Quotes a value of unknown origin, shortened to fit in a line. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  return isText(value) ? quotedShort(value) : JSON.stringify(value).slice(0, 64);
}

function fault(what: string): ReceiptFault {
  return new ReceiptFault('FORMAT', what);
}
