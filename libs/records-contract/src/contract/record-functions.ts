import { Buffer } from 'node:buffer';
import {
  ContractError,
  idFault,
  requireId,
  type Arguments,
  type DecidingCall,
  type Decision,
  type PrivateWrite,
  type Write,
  type Rule,
  type StoredValue,
  type TransactionFacts,
} from '#contract-kit';
import { digestsIn, DOCUMENTS_COLLECTION, notSealed, purgedKey, SealedDocuments } from './outside-documents.js';
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
import { readSealed } from './sealed-document.js';
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
 * @param call - `type`, `id` and `document`; an empty id makes one from the transaction, which needs no read. For a type with
 *   documents outside the blocks `document` is a digest, and the transient data have the {@link SealedDocument} under its name.
 */
export function create(
  [type, id, document]: Arguments<readonly ['type', 'id', 'document']>,
  transaction: TransactionFacts,
): DecidingCall {
  if (id !== '') requireId(id);
  const key = keyOfType(type);
  const own = id === '' ? recordId(transaction) : id;
  const sealed = new SealedDocuments(transaction.transient);
  return {
    reads: id === '' ? [key] : [key, recordKey(type, id)],
    decide([definition, present]) {
      const content = contentOf(requireType(type, definition), document, sealed);
      if (present !== undefined) throw alreadyExists(type, id);
      return writing('CreateRecord', { type, id: own }, content);
    },
  };
}

/** Replaces the document of a record of a mutable type, if it is still one of those that `digests` names (empty: whichever). */
export function update(
  [type, id, document, digests]: Arguments<readonly ['type', 'id', 'document', 'digests']>,
  { transient }: TransactionFacts,
): DecidingCall {
  const sealed = new SealedDocuments(transient);
  return {
    reads: keysOf(type, id),
    decide(stored) {
      requireChangeable(type, id, digests, stored);
      return writing('UpdateRecord', { type, id }, contentOf(requireType(type, stored[0]), document, sealed));
    },
  };
}

/** What a write of a record stores. */
interface Content {
  /** The stored form of the record. */
  readonly value: Uint8Array;
  readonly privateWrites: readonly PrivateWrite[];
}

/** @param document - JSON text, or the digest of a document that is outside the blocks */
function contentOf(type: RecordType, document: string, sealed: SealedDocuments): Content {
  if (type.payload === 'outside') {
    return { value: sealed.encode(type, document), privateWrites: [sealed.write(document)] };
  }
  sealed.requireNone(type);
  return { value: encodeRecord(type, document), privateWrites: [] };
}

/** Deletes a record of a mutable type on the same condition; its history stays. */
export const remove: Rule<readonly [type: string, id: string, digests: string]> = {
  reads: ([type, id]) => keysOf(type, id),
  decide([type, id, digests], stored) {
    requireChangeable(type, id, digests, stored);
    const event = { name: 'DeleteRecord', payload: Buffer.from(canonicalJson({ type, id })) };
    return { writes: [{ key: recordKey(type, id), value: undefined }], payload: new Uint8Array(), event };
  },
};

/**
 * Erases documents that are outside the blocks, and deletes the record, whichever its mode: the history of both stays.
 * @param call - `type`, `id`, `documents`: a JSON array with the digests of all versions, or a part of them with the newest one, and
 *   `digests` as for {@link update}
 */
export function purge([type, id, text, digests]: Arguments<
  readonly ['type', 'id', 'documents', 'digests']
>): DecidingCall {
  const listed = digestsIn(text);
  const key = recordKey(type, id);
  const privateWrites = listed.map((digest): PrivateWrite => {
    return { collection: DOCUMENTS_COLLECTION, key: digest, value: undefined, isPurge: true };
  });
  return {
    reads: keysOf(type, id),
    historyOf: key,
    decide([definition, stored], _, changes = []) {
      requireErasable(requireType(type, definition));
      if (changes.length === 0) throw recordNotFound(type, id);
      if (digests !== '') requireUnchanged(type, id, digests, stored);
      const versions = changes.flatMap(({ value }) => (value === undefined ? [] : (readSealed(value)?.h ?? [])));
      const [newest] = versions;
      // A version that was added since the caller read the history would not be erased.
      if (newest === undefined || !listed.includes(newest)) throw hasChanged(type, id);
      const foreign = listed.find((digest) => !versions.includes(digest));
      if (foreign !== undefined) {
        throw new ContractError('INVALID_ARGUMENT', `${foreign} is not the digest of a version of the record`);
      }
      const mark = Buffer.from(canonicalJson({ id, type }));
      const marks = listed.map((digest) => ({ key: purgedKey(digest), value: mark }));
      const event = { name: 'PurgeRecord', payload: mark };
      return { writes: [{ key, value: undefined }, ...marks], privateWrites, payload: new Uint8Array(), event };
    },
  };
}

function requireErasable({ name, payload }: RecordType): void {
  if (payload === 'outside') return;
  const reason = `documents of ${name} cannot be erased: they are stored inside the blocks`;
  const advice = 'Use a type with the payload outside for documents that must be erasable';
  throw new ContractError('RECORD_NOT_ERASABLE', `${reason}. ${advice}`);
}

/** Returns the stored form of a record. */
export const get: Rule<readonly [type: string, id: string]> = {
  reads: ([type, id]) => keysOf(type, id),
  decide([type, id], [definition, stored]) {
    requireType(type, definition);
    return { writes: [], payload: requireRecord(type, id, stored) };
  },
};

/** Members of an element of a batch. */
const ELEMENT_MEMBERS: readonly string[] = ['id', 'document', 'digest'];

/** A document of a batch with the id of its own, if it has one. */
interface Entry {
  readonly id: string;
  readonly hasOwnId: boolean;
  /** Undefined when it is outside the blocks. */
  readonly document: Json | undefined;
  /** The digest of a document that is outside the blocks. */
  readonly digest: string;
}

/** A document of a batch that was refused. */
export interface RefusedRecord {
  /** Position in the batch. */
  readonly index: number;
  readonly code: string;
  /** Without the faults of a document that is outside the blocks. */
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
 * @param call - `type`, and `records`: a JSON array of `{"document": …}`, each optionally with an `id`. For a type with documents
 *   outside the blocks it is `{"digest": …}`, and the transient data have each {@link SealedDocument} under its digest.
 */
export function createMany(
  [type, records]: Arguments<readonly ['type', 'records']>,
  transaction: TransactionFacts,
): DecidingCall {
  const entries = elementsIn(records).map((element, index) => entryOf(element, index, transaction));
  const ids = entries.flatMap((entry) => (entry instanceof ContractError || !entry.hasOwnId ? [] : entry.id));
  const keys = [...new Set(ids)].map((id) => recordKey(type, id));
  const sealed = new SealedDocuments(transaction.transient);
  return {
    reads: [keyOfType(type), ...keys],
    decide([definition, ...stored]) {
      const taken = new Set(keys.filter((_, index) => stored[index] !== undefined));
      return decideMany(requireType(type, definition), entries, { taken, sealed });
    },
  };
}

/** What decides about the documents of a batch. */
interface BatchState {
  /** Keys that have a record. */
  readonly taken: Set<string>;
  readonly sealed: SealedDocuments;
}

function decideMany(type: RecordType, entries: readonly (Entry | ContractError)[], state: BatchState): Decision {
  requirePlace(type, entries, state.sealed);
  const created: string[] = [];
  const refused: RefusedRecord[] = [];
  const writes: Write[] = [];
  const privateWrites: PrivateWrite[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      if (entry instanceof ContractError) throw entry;
      const content = decideOne(type, entry, state);
      writes.push({ key: recordKey(type.name, entry.id), value: content.value });
      privateWrites.push(...content.privateWrites);
      created.push(entry.id);
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      const { code, reason } = error as ContractError;
      refused.push({ index, code, reason: recordedReason(type, code) ?? reason });
    }
  }
  const result: RecordBatchResult = { created, refused };
  const payload = Buffer.from(JSON.stringify(result));
  if (writes.length === 0) return { writes, payload };
  const event = { name: 'CreateRecords', payload: Buffer.from(canonicalJson({ type: type.name, ids: created })) };
  return { writes, privateWrites, payload, event };
}

/**
 * Returns the reason that a block may contain in the place of the full one. That of a document outside the blocks may quote names of
 * its members, and nothing of it may be in a block. Its sender can validate it again.
 */
function recordedReason({ payload }: RecordType, code: string): string | undefined {
  return payload === 'outside' && code === 'RECORD_INVALID' ? 'the document is refused' : undefined;
}

/** @throws `ContractError` when documents of a batch are not where the type has them; a transaction also records what it refuses */
function requirePlace(type: RecordType, entries: readonly (Entry | ContractError)[], sealed: SealedDocuments): void {
  if (type.payload === 'inside') sealed.requireNone(type);
  else if (entries.some((entry) => entry instanceof ContractError || entry.digest === '')) throw notSealed(type);
}

function decideOne(type: RecordType, entry: Entry, { taken, sealed }: BatchState): Content {
  const { id, digest } = entry;
  const key = recordKey(type.name, id);
  const content =
    type.payload === 'outside'
      ? { value: sealed.encode(type, digest), privateWrites: [sealed.write(digest)] }
      : { value: encodeDocument(type, documentOf(entry)), privateWrites: [] };
  if (taken.has(key)) throw alreadyExists(type.name, id);
  taken.add(key);
  return content;
}

function documentOf({ document }: Entry): Json {
  if (document !== undefined) return document;
  throw new ContractError('INVALID_ARGUMENT', 'a record must have a document');
}

/** Parses the elements of a batch. @throws `ContractError` INVALID_ARGUMENT */
export function elementsIn(records: string): readonly Json[] {
  // Each document is two levels deep in the array.
  const limits = { code: 'INVALID_ARGUMENT', name: 'records', maxBytes: MAX_BATCH_BYTES, maxDepth: MAX_DEPTH + 2 };
  const elements = parseStrictly(records, limits);
  if (isArray(elements) && elements.length >= 1 && elements.length <= MAX_BATCH_RECORDS) return elements;
  throw new ContractError('INVALID_ARGUMENT', `records must be a JSON array of 1 to ${MAX_BATCH_RECORDS} records`);
}

function entryOf(element: Json, index: number, transaction: TransactionFacts): Entry | ContractError {
  const isForm = isObject(element) && Object.keys(element).every((name) => ELEMENT_MEMBERS.includes(name));
  const { id, document, digest = '' }: { id?: Json; document?: Json; digest?: Json } = isForm ? element : {};
  if (typeof digest !== 'string' || (document === undefined) === (digest === '')) {
    return new ContractError('INVALID_ARGUMENT', 'a record must have a document, optionally an id, and nothing else');
  }
  const content = { document, digest };
  if (id === undefined) return { id: recordId(transaction, index), hasOwnId: false, ...content };
  const fault = typeof id === 'string' ? idFault(id) : 'must be a string';
  if (fault !== undefined) return new ContractError('INVALID_ARGUMENT', `id ${fault}`);
  return { id: id as string, hasOwnId: true, ...content };
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
  requireRecord(type, id, stored);
  if (digests !== '') requireUnchanged(type, id, digests, stored);
}

/** @throws `ContractError` RECORD_CHANGED when a record is not one of those that `digests` names */
function requireUnchanged(type: string, id: string, digests: string, stored: StoredValue): void {
  if (stored === undefined || !digests.split(',').includes(recordDigest(stored))) throw hasChanged(type, id);
}

function hasChanged(type: string, id: string): ContractError {
  return new ContractError('RECORD_CHANGED', `the record ${id} of ${type} has changed since it was read`);
}

function alreadyExists(type: string, id: string): ContractError {
  return new ContractError('RECORD_EXISTS', `the record ${id} of ${type} already exists`);
}

/** Writes a record, returns it with its id, and announces it without its document. */
function writing(
  event: string,
  { type, id }: Readonly<{ type: string; id: string }>,
  { value, privateWrites }: Content,
): Decision {
  return {
    writes: [{ key: recordKey(type, id), value }],
    privateWrites,
    payload: Buffer.from(`{"id":${JSON.stringify(id)},"record":${Buffer.from(value).toString()}}`),
    event: { name: event, payload: Buffer.from(canonicalJson({ type, id })) },
  };
}
