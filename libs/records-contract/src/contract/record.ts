import { hash } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { ContractError, idFault, type StoredValue, type TransactionFacts } from '#contract-kit';
import { requireValidDocument } from './record-schema.js';
import type { RecordType } from './record-type.js';
import { MAX_DOCUMENT_BYTES, parseDocument } from './sealed-document.js';
import { canonicalJson, isArray, isObject, type Json } from './strict-json.js';

/** Maximum number of bytes of a stored record: a document and its envelope. */
export const MAX_RECORD_BYTES = MAX_DOCUMENT_BYTES + 64;
/** Maximum number of bytes of UTF-8 in an indexed value. Longer values are not indexed. */
export const MAX_INDEXED_BYTES = 256;
/** Maximum number of indexed values of a field of one document, which bounds the rows of a record. Further ones are not indexed. */
const MAX_INDEXED_VALUES = 100;

/**
 * The stored form of a record. A document is not at the top, so that a member of it is not taken for one of the other form
 * (`h`, the digest of a document outside the blocks, in place of `d`), nor for the owner of an asset.
 */
export interface StoredRecord {
  /** Version of the type whose schema the document met. */
  readonly v: number;
  /** The document. */
  readonly d: Json;
}

/**
 * Parses a document and checks it against its type.
 * @returns the stored form, in canonical JSON
 * @throws `ContractError` RECORD_INVALID with the JSON pointer and the rule of each fault
 */
export function encodeRecord(type: RecordType, text: string): Uint8Array {
  return encodeDocument(type, parseDocument(text));
}

/** The same for a document that was parsed as a part of a larger text. */
export function encodeDocument(type: RecordType, document: Json): Uint8Array {
  requireValidDocument(type.schema, document);
  const text = canonicalJson(document);
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) {
    throw new ContractError(
      'RECORD_INVALID',
      `the document is refused: it must not exceed ${MAX_DOCUMENT_BYTES} bytes`,
    );
  }
  return Buffer.from(`{"d":${text},"v":${type.version}}`);
}

/**
 * Parses a stored record.
 * @returns undefined for a record whose document is outside the blocks, and for bytes that are no record, which another program wrote
 */
export function readRecord(stored: Uint8Array): StoredRecord | undefined {
  try {
    const value = JSON.parse(Buffer.from(stored).toString()) as Json;
    if (!isObject(value) || typeof value['v'] !== 'number' || value['d'] === undefined) return undefined;
    return { v: value['v'], d: value['d'] };
  } catch {
    return undefined;
  }
}

/** Returns the stored form of a record whose document is outside the blocks, in canonical JSON. */
export function encodeSealed(type: RecordType, digest: string): Uint8Array {
  return Buffer.from(canonicalJson({ h: digest, v: type.version }));
}

/** Returns the digest by which a caller names the record that it has read: hexadecimal SHA-256 of the stored form. */
export function recordDigest(stored: Uint8Array): string {
  return hash('sha256', stored);
}

/**
 * Returns the id of a record that has none of its own: a UUID of version 7 (RFC 9562) from the time and the id of its
 * transaction, so that each peer, and each repetition of the call, creates the same. Its counter is the position, so that the records of a
 * transaction are listed in their order.
 * @param index - position among the records of the transaction
 */
export function recordId({ transactionId, timestamp }: TransactionFacts, index = 0): string {
  const time = Math.max(0, Date.parse(timestamp)).toString(16).padStart(12, '0').slice(-12);
  const random = hash('sha256', `${transactionId}/${index}`);
  const counter = index.toString(16).padStart(3, '0');
  const variant = (8 + (Number.parseInt(random.charAt(0), 16) & 3)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`;
}

/** Creates the refusal for an id that no record of the type has. */
export function recordNotFound(type: string, id: string): ContractError {
  // An invalid id may have any length and content: it is not repeated.
  const name = idFault(id) === undefined ? `the record ${id} of ${type}` : `a record of ${type} with that id`;
  return new ContractError('RECORD_NOT_FOUND', `${name} does not exist`);
}

/** @throws `ContractError` RECORD_NOT_FOUND */
export function requireRecord(type: string, id: string, stored: StoredValue): Uint8Array {
  if (stored === undefined) throw recordNotFound(type, id);
  return stored;
}

/** A value by which a record can be found. */
export interface IndexedField {
  readonly field: string;
  readonly value: string;
}

/**
 * Returns the indexed values of a document: texts as they are, numbers, `true`, `false` and `null` as in JSON. Each element of an
 * array counts. Values of more than 256 bytes are left out.
 */
export function indexedFields(indexes: readonly string[], document: Json): readonly IndexedField[] {
  return indexes.flatMap((field) => {
    const values = new Set(valuesAt(document, field.split('.')));
    return [...values].slice(0, MAX_INDEXED_VALUES).map((value) => ({ field, value }));
  });
}

function valuesAt(value: Json | undefined, path: readonly string[]): readonly string[] {
  if (value === undefined) return [];
  if (isArray(value)) return value.flatMap((element) => (isArray(element) ? [] : valuesAt(element, path)));
  const [name, ...rest] = path;
  if (name !== undefined) return isObject(value) && Object.hasOwn(value, name) ? valuesAt(value[name], rest) : [];
  if (isObject(value)) return [];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return Buffer.byteLength(text) <= MAX_INDEXED_BYTES ? [text] : [];
}
