import { isObject, type Json, type JsonObject } from './json-value.js';
import { MangoError } from './mango-error.js';

/** The names that lead to a field, from the document on. */
export type FieldPath = readonly string[];

const DOT = /(?<!\\)\./;
const INDEX = /^[+-]?\d+$/;

/** Parses `a.b`. A backslash before a dot makes it a part of the name. @throws {@link MangoError} for an empty name */
export function parseField(field: string): FieldPath {
  const parts = field.split(DOT);
  if (parts.includes('')) throw new MangoError('invalid_field_name', `Invalid field name: ${field.slice(0, 500)}`);
  return field.includes('\\') ? parts.map((part) => part.replaceAll('\\', '')) : parts;
}

/** Returns the field of a path as text. */
export function joinField(path: FieldPath): string {
  return path.map((name) => name.replaceAll('.', '\\.')).join('.');
}

/** There is no such field; the objects on the way to it may exist. */
export const NOT_FOUND = Symbol('not found');
/** The path leads through a value that has no fields. */
export const BAD_PATH = Symbol('bad path');

/** Returns the value of a field. A name that is a number selects the item of an array. */
export function fieldOf(document: Json, path: FieldPath): Json | typeof NOT_FOUND | typeof BAD_PATH {
  let value = document;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return BAD_PATH;
    const next = Array.isArray(value) ? itemOf(value, name) : memberOf(value as JsonObject, name);
    if (typeof next === 'symbol') return next;
    value = next;
  }
  return value;
}

function memberOf(value: JsonObject, name: string): Json | typeof NOT_FOUND {
  return Object.hasOwn(value, name) ? (value[name] ?? null) : NOT_FOUND;
}

function itemOf(value: readonly Json[], name: string): Json | typeof BAD_PATH {
  const index = INDEX.test(name) ? Number(name) : -1;
  return index >= 0 && index < value.length ? (value[index] ?? null) : BAD_PATH;
}

/** Returns a document of the given fields of another one. Items of arrays become members of an object. */
export function project(document: JsonObject, paths: readonly FieldPath[]): JsonObject {
  const projected = emptyObject();
  for (const path of paths) {
    const value = fieldOf(document, path);
    if (typeof value !== 'symbol') setField(projected, path, value);
  }
  return projected;
}

type Mutable = Record<string, Json>;

function setField(target: Mutable, path: FieldPath, value: Json): void {
  let parent = target;
  for (const name of path.slice(0, -1)) {
    if (!Object.hasOwn(parent, name)) parent[name] = emptyObject();
    const next = parent[name];
    // A field of the document that was selected as a whole contains this one already.
    if (!isObject(next)) return;
    const copy = Object.assign(emptyObject(), next);
    parent[name] = copy;
    parent = copy;
  }
  parent[path.at(-1) ?? ''] = value;
}

/** An object without a prototype, so that a field may be called `__proto__`. */
function emptyObject(): Mutable {
  return Object.create(null) as Mutable;
}
