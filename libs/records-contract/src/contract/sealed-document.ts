// It runs in browsers too, where documents are compared with receipts.
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { canonicalJson, isObject, parseStrictly, type Json } from './strict-json.js';

/** The name of the chaincode: on the embedded ledger, and the one to install it under on a Fabric network. */
export const RECORDS_NAME = 'records';
/** Maximum number of bytes of a document, as it is sent and in its canonical form. */
export const MAX_DOCUMENT_BYTES = 65_536;
/** Bytes of a salt: too many to guess, so that a digest does not reveal a document of which few are possible. */
export const SALT_BYTES = 32;

/**
 * Parses a document, without its type.
 * @throws `ContractError` RECORD_INVALID for what no type accepts
 */
export function parseDocument(text: string): Json {
  return parseStrictly(text, { code: 'RECORD_INVALID', name: 'the document', maxBytes: MAX_DOCUMENT_BYTES });
}

/** A document with its salt, and the digest that blocks contain in its place. */
export interface SealedDocument {
  /** SHA-256 of `bytes`, in hexadecimal. It is also the key of the private value. */
  readonly digest: string;
  /** The salt, then the document in canonical JSON (RFC 8785). */
  readonly bytes: Uint8Array;
}

/** Seals a document. @param salt - {@link SALT_BYTES} random bytes */
export function sealDocument(document: Json, salt: Uint8Array): SealedDocument {
  const bytes = Buffer.concat([salt, Buffer.from(canonicalJson(document))]);
  return { digest: digestOf(bytes), bytes };
}

/** Returns the SHA-256 of bytes, in hexadecimal. */
export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

/** The stored form of a record whose document is outside the blocks. */
export interface SealedRecord {
  readonly v: number;
  /** The digest of the document. */
  readonly h: string;
}

/** Parses a stored record whose document is outside the blocks; undefined for another value. */
export function readSealed(stored: Uint8Array): SealedRecord | undefined {
  try {
    const value = JSON.parse(Buffer.from(stored).toString()) as Json;
    if (!isObject(value) || typeof value['v'] !== 'number' || typeof value['h'] !== 'string') return undefined;
    return { v: value['v'], h: value['h'] };
  } catch {
    return undefined;
  }
}

/** Returns the type and the id in the key of a record; undefined for another key. */
export function splitRecordKey(key: string): { readonly type: string; readonly id: string } | undefined {
  const [, type, id] = /^r\/([^/]+)\/([^]+)$/.exec(key) ?? [];
  return type === undefined || id === undefined ? undefined : { type, id };
}
