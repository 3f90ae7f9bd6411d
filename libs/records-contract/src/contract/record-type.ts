import { Buffer } from 'node:buffer';
import { ContractError, type StoredValue } from '#contract-kit';
import { requireValidSchema } from './record-schema.js';
import { canonicalJson, isArray, isObject, parseStrictly, shown, type Json, type JsonObject } from './strict-json.js';

/** The reasons of a refusal. */
export const RECORD_ERROR_CODES = [
  'RECORD_NOT_FOUND',
  'RECORD_EXISTS',
  'RECORD_CHANGED',
  'RECORD_INVALID',
  'RECORD_APPEND_ONLY',
  'RECORD_NOT_ERASABLE',
  'RECORD_TYPE_UNKNOWN',
  'RECORD_TYPE_INVALID',
  'RECORD_TYPE_CONFLICT',
  'INVALID_ARGUMENT',
  'FUNCTION_UNKNOWN',
] as const;

/** Whether records of a type can change: `append` refuses updates and deletions. */
export type RecordMode = 'append' | 'mutable';

/** Where documents of a type are stored: in the blocks, or outside of them, where they can be erased. */
export type RecordPayload = 'inside' | 'outside';

/** A type of records, as it is stored. */
export interface RecordType {
  readonly name: string;
  /** 1, and one more for each new definition. */
  readonly version: number;
  readonly mode: RecordMode;
  readonly payload: RecordPayload;
  /** JSON Schema 2020-12; `true` accepts any document. */
  readonly schema: Json;
  /** Paths of the fields by which records can be filtered: names of members, with dots between nested ones. */
  readonly indexes: readonly string[];
}

/** Maximum number of indexed fields of a type. */
const MAX_INDEXES = 16;
const MAX_DEFINITION_BYTES = 65_536;
const TYPE_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const FIELD_PATH = /^[^.\p{Cc}]{1,64}(\.[^.\p{Cc}]{1,64}){0,7}$/u;
const MEMBERS = ['mode', 'payload', 'schema', 'indexes'];

/** Returns whether a text can be the name of a type. */
export function isTypeName(name: string): boolean {
  return TYPE_NAME.test(name);
}

/** Returns the key of a type's definition. Names of types contain no `/`. */
export function typeKey(type: string): string {
  return `t/${type}`;
}

/** Returns the key of a record; with an empty id the text with which the keys of a type begin. */
export function recordKey(type: string, id: string): string {
  return `r/${type}/${id}`;
}

/** @throws `ContractError` INVALID_ARGUMENT for a text that cannot be the name of a type */
export function requireTypeName(name: string): void {
  if (isTypeName(name)) return;
  const rule = 'must be 1 to 64 letters, digits and _ . -, and begin with a letter';
  throw new ContractError('INVALID_ARGUMENT', `type ${rule}`);
}

/** Definitions that are cached by their stored text, because each write of a record reads its type. */
const CACHED_TYPES = 100;
const types = new Map<string, RecordType>();

/** Parses the stored definition of a type. */
export function readType(stored: Uint8Array): RecordType {
  const text = Buffer.from(stored).toString();
  const cached = types.get(text);
  if (cached !== undefined) return cached;
  const type = JSON.parse(text) as RecordType;
  // The oldest entry is the first one.
  if (types.size >= CACHED_TYPES) types.delete(types.keys().next().value ?? '');
  types.set(text, type);
  return type;
}

/** @throws `ContractError` RECORD_TYPE_UNKNOWN when there is no definition */
export function requireType(name: string, stored: StoredValue): RecordType {
  if (stored === undefined) throw unknownType(name);
  return readType(stored);
}

/** Creates the refusal for a name that no type has. */
export function unknownType(name: string): ContractError {
  const subject = isTypeName(name) ? `the record type ${name}` : 'a record type of that name';
  return new ContractError('RECORD_TYPE_UNKNOWN', `${subject} is not defined`);
}

/** Serializes a definition in its stored form. */
export function encodeType({ name, version, mode, payload, schema, indexes }: RecordType): Uint8Array {
  return Buffer.from(canonicalJson({ name, version, mode, payload, schema, indexes }));
}

/**
 * Returns the definition that a call asks for. A definition that is equal to the present one but for its version is the present
 * one.
 * @param text - a JSON object with `schema`, and optionally `mode` (`append` by default), `payload` and `indexes`
 * @throws `ContractError` RECORD_TYPE_INVALID for a definition that is refused, RECORD_TYPE_CONFLICT when mode or payload would change
 */
export function nextType(name: string, text: string, present: RecordType | undefined): RecordType {
  const code = 'RECORD_TYPE_INVALID';
  const definition = parseStrictly(text, { code, name: 'the definition', maxBytes: MAX_DEFINITION_BYTES });
  if (!isObject(definition)) throw new ContractError(code, 'the definition is refused: it must be an object');
  const foreign = Object.keys(definition).find((member) => !MEMBERS.includes(member));
  if (foreign !== undefined) {
    const known = `it has ${MEMBERS.join(', ')}`;
    throw new ContractError(code, `the definition is refused: it must not have the member ${shown(foreign)}; ${known}`);
  }
  const mode = modeOf(definition, present);
  const payload = payloadOf(definition, present);
  if (present !== undefined) requireFixed(present, { mode, payload });
  const { schema = true } = definition;
  requireValidSchema(schema);
  const next = { name, version: (present?.version ?? 0) + 1, mode, payload, schema, indexes: indexesOf(definition) };
  return present !== undefined && isSame(present, next) ? present : next;
}

/** @throws `ContractError` RECORD_TYPE_CONFLICT when what never changes would change */
function requireFixed(present: RecordType, { mode, payload }: Pick<RecordType, 'mode' | 'payload'>): void {
  const { name } = present;
  if (mode !== present.mode) {
    throw new ContractError('RECORD_TYPE_CONFLICT', `the mode of ${name} is ${present.mode} and cannot change`);
  }
  if (payload === present.payload) return;
  const reason = `documents of ${name} are stored ${present.payload} the blocks, which cannot change`;
  throw new ContractError('RECORD_TYPE_CONFLICT', reason);
}

function isSame(present: RecordType, next: RecordType): boolean {
  return Buffer.compare(encodeType({ ...present, version: 0 }), encodeType({ ...next, version: 0 })) === 0;
}

function modeOf({ mode }: JsonObject, present: RecordType | undefined): RecordMode {
  if (mode === undefined) return present?.mode ?? 'append';
  if (mode === 'append' || mode === 'mutable') return mode;
  throw new ContractError('RECORD_TYPE_INVALID', 'the definition is refused: /mode must be append or mutable');
}

function payloadOf({ payload }: JsonObject, present: RecordType | undefined): RecordPayload {
  if (payload === undefined) return present?.payload ?? 'inside';
  if (payload === 'inside' || payload === 'outside') return payload;
  throw new ContractError('RECORD_TYPE_INVALID', 'the definition is refused: /payload must be inside or outside');
}

function indexesOf({ indexes = [] }: JsonObject): readonly string[] {
  const refuse = (pointer: string, rule: string): never => {
    throw new ContractError('RECORD_TYPE_INVALID', `the definition is refused: ${pointer} ${rule}`);
  };
  if (!isArray(indexes) || indexes.length > MAX_INDEXES) {
    return refuse('/indexes', `must be an array of at most ${MAX_INDEXES} fields`);
  }
  const fields = indexes.map((field, index) => {
    if (typeof field === 'string' && FIELD_PATH.test(field)) return field;
    return refuse(`/indexes/${index}`, 'must be the name of a field, with dots between nested names');
  });
  const twice = fields.findIndex((field, index) => fields.indexOf(field) !== index);
  if (twice >= 0) refuse(`/indexes/${twice}`, `names ${shown(fields[twice] ?? '')} again`);
  return fields;
}
