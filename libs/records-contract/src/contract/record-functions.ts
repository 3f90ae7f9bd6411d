import { Buffer } from 'node:buffer';
import {
  ContractError,
  idFault,
  requireId,
  type Arguments,
  type DecidingCall,
  type Decision,
  type Rule,
  type StoredValue,
  type TransactionFacts,
} from '#contract-kit';
import { encodeDocument, encodeRecord, recordDigest, recordId, recordNotFound, requireRecord } from './record.js';
import {
  encodeType,
  isTypeName,
  nextType,
  readType,
  recordKey,
  requireType,
  requireTypeName,
  typeKey,
  unknownType,
  type RecordType,
} from './record-type.js';
import { canonicalJson, isArray, isObject, MAX_DEPTH, parseStrictly, type Json } from './strict-json.js';

/** Maximum number of documents of one CreateMany call. */
export const MAX_BATCH_RECORDS = 500;
/** Maximum number of bytes of the argument of a CreateMany call. */
export const MAX_BATCH_BYTES = 1_048_576;

/** Defines a type, or its next version; returns the stored definition. */
export const defineType: Rule<readonly [type: string, definition: string]> = {
  reads([type]) {
    requireTypeName(type);
    return [typeKey(type)];
  },
  decide([type, definition], [stored]) {
    const present = stored && readType(stored);
    const next = nextType(type, definition, present);
    const value = encodeType(next);
    if (next === present) return { writes: [], payload: value };
    const event = { name: 'DefineType', payload: Buffer.from(canonicalJson({ type, version: next.version })) };
    return { writes: [{ key: typeKey(type), value }], payload: value, event };
  },
};

/** Returns the definition of a type. */
export const getType: Rule<readonly [type: string]> = {
  reads: ([type]) => [keyOfType(type)],
  decide: ([type], [stored]) => ({ writes: [], payload: encodeType(requireType(type, stored)) }),
};

/**
 * Creates a record; returns `{"id": …, "record": …}`.
 * @param call - `type`, `id` and `document`; an empty id makes one from the transaction, which needs no read
 */
export function create(
  [type, id, document]: Arguments<readonly ['type', 'id', 'document']>,
  transaction: TransactionFacts,
): DecidingCall {
  if (id !== '') requireId(id);
  const key = keyOfType(type);
  const own = id === '' ? recordId(transaction) : id;
  return {
    reads: id === '' ? [key] : [key, recordKey(type, id)],
    decide([definition, present]) {
      const value = encodeRecord(requireType(type, definition), document);
      if (present !== undefined) throw alreadyExists(type, id);
      return writing('CreateRecord', { type, id: own }, value);
    },
  };
}

/** Replaces the document of a record of a mutable type, if it is still one of those that `digests` names (empty: whichever). */
export const update: Rule<readonly [type: string, id: string, document: string, digests: string]> = {
  reads: ([type, id]) => keysOf(type, id),
  decide([type, id, document, digests], stored) {
    requireChangeable(type, id, digests, stored);
    return writing('UpdateRecord', { type, id }, encodeRecord(requireType(type, stored[0]), document));
  },
};

/** Deletes a record of a mutable type on the same condition; its history stays. */
export const remove: Rule<readonly [type: string, id: string, digests: string]> = {
  reads: ([type, id]) => keysOf(type, id),
  decide([type, id, digests], stored) {
    requireChangeable(type, id, digests, stored);
    const event = { name: 'DeleteRecord', payload: Buffer.from(canonicalJson({ type, id })) };
    return { writes: [{ key: recordKey(type, id), value: undefined }], payload: new Uint8Array(), event };
  },
};

/** Returns the stored form of a record. */
export const get: Rule<readonly [type: string, id: string]> = {
  reads: ([type, id]) => keysOf(type, id),
  decide([type, id], [definition, stored]) {
    requireType(type, definition);
    return { writes: [], payload: requireRecord(type, id, stored) };
  },
};

/** A document of a batch with the id of its own, if it has one. */
interface Entry {
  readonly id: string;
  readonly hasOwnId: boolean;
  readonly document: Json;
}

/** A document of a batch that was refused. */
export interface RefusedRecord {
  /** Position in the batch. */
  readonly index: number;
  readonly code: string;
  readonly reason: string;
}

/** The result of a batch. */
export interface RecordBatchResult {
  /** The ids of the created records, in the order of the batch. */
  readonly created: readonly string[];
  readonly refused: readonly RefusedRecord[];
}

/**
 * Creates up to {@link MAX_BATCH_RECORDS} records in one transaction, with the effects of as many calls of Create in the order of
 * the argument: a document that is refused refuses no other. Returns a {@link RecordBatchResult}.
 * @param call - `type`, and `records`: a JSON array of `{"document": …}`, each optionally with an `id`
 */
export function createMany(
  [type, records]: Arguments<readonly ['type', 'records']>,
  transaction: TransactionFacts,
): DecidingCall {
  const entries = elementsOf(records).map((element, index) => entryOf(element, index, transaction));
  const ids = entries.flatMap((entry) => (entry instanceof ContractError || !entry.hasOwnId ? [] : entry.id));
  const keys = [...new Set(ids)].map((id) => recordKey(type, id));
  return {
    reads: [keyOfType(type), ...keys],
    decide([definition, ...stored]) {
      const taken = new Set(keys.filter((_, index) => stored[index] !== undefined));
      return decideMany(requireType(type, definition), entries, taken);
    },
  };
}

function decideMany(type: RecordType, entries: readonly (Entry | ContractError)[], taken: Set<string>): Decision {
  const created: string[] = [];
  const refused: RefusedRecord[] = [];
  const writes: { key: string; value: Uint8Array }[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      if (entry instanceof ContractError) throw entry;
      const key = recordKey(type.name, entry.id);
      const value = encodeDocument(type, entry.document);
      if (taken.has(key)) throw alreadyExists(type.name, entry.id);
      taken.add(key);
      writes.push({ key, value });
      created.push(entry.id);
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      const { code, reason } = error as ContractError;
      refused.push({ index, code, reason });
    }
  }
  const result: RecordBatchResult = { created, refused };
  const payload = Buffer.from(JSON.stringify(result));
  if (writes.length === 0) return { writes, payload };
  const event = { name: 'CreateRecords', payload: Buffer.from(canonicalJson({ type: type.name, ids: created })) };
  return { writes, payload, event };
}

function elementsOf(records: string): readonly Json[] {
  // Each document is two levels deep in the array.
  const limits = { code: 'INVALID_ARGUMENT', name: 'records', maxBytes: MAX_BATCH_BYTES, maxDepth: MAX_DEPTH + 2 };
  const elements = parseStrictly(records, limits);
  if (isArray(elements) && elements.length >= 1 && elements.length <= MAX_BATCH_RECORDS) return elements;
  throw new ContractError('INVALID_ARGUMENT', `records must be a JSON array of 1 to ${MAX_BATCH_RECORDS} records`);
}

function entryOf(element: Json, index: number, transaction: TransactionFacts): Entry | ContractError {
  const isForm = isObject(element) && Object.keys(element).every((name) => name === 'id' || name === 'document');
  if (!isForm || element['document'] === undefined) {
    return new ContractError('INVALID_ARGUMENT', 'a record must have a document, optionally an id, and nothing else');
  }
  const { id, document } = element as { readonly id?: Json; readonly document: Json };
  if (id === undefined) return { id: recordId(transaction, index), hasOwnId: false, document };
  const fault = typeof id === 'string' ? idFault(id) : 'must be a string';
  if (fault !== undefined) return new ContractError('INVALID_ARGUMENT', `id ${fault}`);
  return { id: id as string, hasOwnId: true, document };
}

/** Returns the key of a type that must exist. */
function keyOfType(type: string): string {
  if (!isTypeName(type)) throw unknownType(type);
  return typeKey(type);
}

/** Returns the keys of a call on a record that must exist. */
function keysOf(type: string, id: string): readonly string[] {
  const key = keyOfType(type);
  if (idFault(id) !== undefined) throw recordNotFound(type, id);
  return [key, recordKey(type, id)];
}

function requireChangeable(
  type: string,
  id: string,
  digests: string,
  [definition, stored]: readonly StoredValue[],
): void {
  if (requireType(type, definition).mode === 'append') {
    throw new ContractError(
      'RECORD_APPEND_ONLY',
      `records of ${type} cannot be changed or deleted: its mode is append`,
    );
  }
  const present = recordDigest(requireRecord(type, id, stored));
  if (digests === '' || digests.split(',').includes(present)) return;
  throw new ContractError('RECORD_CHANGED', `the record ${id} of ${type} has changed since it was read`);
}

function alreadyExists(type: string, id: string): ContractError {
  return new ContractError('RECORD_EXISTS', `the record ${id} of ${type} already exists`);
}

/** Writes a record, returns it with its id, and announces it without its document. */
function writing(event: string, { type, id }: Readonly<{ type: string; id: string }>, value: Uint8Array): Decision {
  return {
    writes: [{ key: recordKey(type, id), value }],
    payload: Buffer.from(`{"id":${JSON.stringify(id)},"record":${Buffer.from(value).toString()}}`),
    event: { name: event, payload: Buffer.from(canonicalJson({ type, id })) },
  };
}
