import { Buffer } from 'node:buffer';
import {
  ContractError,
  type Arguments,
  type DecidingCall,
  type PrivateWrite,
  type StoredValue,
  type TransactionFacts,
} from '#contract-kit';
import { encodeSealed } from './record.js';
import { requireValidDocument } from './record-schema.js';
import type { RecordType } from './record-type.js';
import { digestOf, parseDocument, SALT_BYTES } from './sealed-document.js';
import { canonicalJson, isArray, parseStrictly, type Json } from './strict-json.js';

/** The private collection with the documents that are outside the blocks. */
export const DOCUMENTS_COLLECTION = 'documents';
/** Maximum number of documents that one call reads or purges. */
export const MAX_SEALED = 1000;
const MAX_SEALED_BYTES = 100_000;

const DIGEST = /^[0-9a-f]{64}$/;

/** A document that is outside the blocks, and why it cannot be read if it cannot. */
export type OutsideDocument =
  | { readonly state: 'stored'; readonly salt: string; readonly document: Json }
  /** `erased`: a transaction records that it was purged. `absent`: this ledger has no copy, as after an import. */
  | { readonly state: 'erased' | 'absent' };

/** The sealed documents that came with a call, by their digests. */
export class SealedDocuments {
  readonly #bytes: ReadonlyMap<string, Uint8Array>;

  /**
   * @param transient - sealed documents under the names of their digests
   * @throws `ContractError` for other data
   */
  constructor(transient: TransactionFacts['transient'] = new Map()) {
    for (const [name, bytes] of transient) {
      if (!DIGEST.test(name) || digestOf(bytes) !== name) {
        const reason = 'transient data must be named by their SHA-256 digests, and be a salt and a document';
        throw new ContractError('INVALID_ARGUMENT', reason);
      }
    }
    this.#bytes = transient;
  }

  /** Returns the write of a document. */
  write(digest: string): PrivateWrite {
    return { collection: DOCUMENTS_COLLECTION, key: digest, value: this.#bytes.get(digest) };
  }

  /** @throws `ContractError` when there are any, which a type with documents inside the blocks does not accept */
  requireNone(type: RecordType): void {
    if (this.#bytes.size === 0) return;
    const reason = `documents of ${type.name} are stored inside the blocks: send no transient data`;
    throw new ContractError('INVALID_ARGUMENT', reason);
  }

  /**
   * Checks a document against its type, and returns the stored form of its record.
   * @param digest - in the place of the document
   * @throws `ContractError` RECORD_INVALID with the JSON pointer and the rule of each fault
   */
  encode(type: RecordType, digest: string): Uint8Array {
    const bytes = this.#bytes.get(digest);
    if (!DIGEST.test(digest) || bytes === undefined) throw notSealed(type);
    requireValidDocument(type.schema, openDocument(bytes));
    return encodeSealed(type, digest);
  }
}

/** Creates the refusal of a document that would be recorded in a block. */
export function notSealed({ name }: RecordType): ContractError {
  const reason = `documents of ${name} are stored outside the blocks: send the SHA-256 digest of salt and document, and them as transient data`;
  return new ContractError('INVALID_ARGUMENT', reason);
}

/** Parses a sealed document. @throws `ContractError` RECORD_INVALID */
function openDocument({ buffer, byteOffset, length }: Uint8Array): Json {
  const text = Buffer.from(buffer, byteOffset, length).subarray(SALT_BYTES);
  const document = parseDocument(text.toString());
  if (length < SALT_BYTES || !Buffer.from(canonicalJson(document)).equals(text)) {
    const reason = `the document is refused: it must be canonical JSON (RFC 8785) after ${SALT_BYTES} bytes of salt`;
    throw new ContractError('RECORD_INVALID', reason);
  }
  return document;
}

/** Returns the key that marks a document as purged. */
export function purgedKey(digest: string): string {
  return `p/${digest}`;
}

/** Parses the digests in an argument. @throws `ContractError` INVALID_ARGUMENT */
export function digestsIn(text: string): readonly string[] {
  const limits = { code: 'INVALID_ARGUMENT', name: 'documents', maxBytes: MAX_SEALED_BYTES };
  const digests = parseStrictly(text, limits);
  if (isArray(digests) && digests.length <= MAX_SEALED) {
    const found = digests.filter((digest) => typeof digest === 'string' && DIGEST.test(digest)) as string[];
    if (found.length === digests.length && new Set(found).size === found.length) return found;
  }
  throw new ContractError('INVALID_ARGUMENT', `documents must be a JSON array of at most ${MAX_SEALED} digests`);
}

/**
 * Returns documents outside the blocks: an array of {@link OutsideDocument} in the order of the digests.
 * @param call - a JSON array of digests
 */
export function documents([text]: Arguments<readonly ['documents']>): DecidingCall {
  const digests = digestsIn(text);
  return {
    reads: digests.map(purgedKey),
    privateReads: digests.map((key) => ({ collection: DOCUMENTS_COLLECTION, key })),
    decide(marks, stored = []) {
      const found = digests.map((_, index) => described(stored[index], marks[index] !== undefined));
      return { writes: [], payload: Buffer.from(JSON.stringify(found)) };
    },
  };
}

function described(stored: StoredValue, isPurged: boolean): OutsideDocument {
  if (stored !== undefined) {
    const salt = Buffer.from(stored.subarray(0, SALT_BYTES)).toString('hex');
    return { state: 'stored', salt, document: openDocument(stored) };
  }
  return { state: isPurged ? 'erased' : 'absent' };
}
