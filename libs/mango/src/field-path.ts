import type { Json, JsonObject } from './json-value.js';
import { MangoError } from './mango-error.js';

/** The names that lead to a field, from the document on. */
export type FieldPath = readonly string[];

/** Names of a path, which each condition below it repeats. */
const MAX_NAMES = 100;

const DOT = /(?<!\\)\./;
const INDEX = /^[+-]?\d+$/;

/**
 * Parses `a.b`. A backslash before a dot makes it a part of the name.
 * @throws {@link MangoError} for an empty name, or too many
 */
export function parseField(field: string): FieldPath {
  return appendField([], field);
}

/** Parses a field of an object at a path. @throws as {@link parseField} */
export function appendField(path: FieldPath, field: string): FieldPath {
  const parts = field.split(DOT, MAX_NAMES + 1);
  if (parts.includes('') || path.length + parts.length > MAX_NAMES) {
    throw new MangoError('invalid_field_name', `Invalid field name: ${field.slice(0, 500)}`);
  }
  return [...path, ...(field.includes('\\') ? parts.map((part) => part.replaceAll('\\', '')) : parts)];
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
  const projection = new Projection();
  for (const path of paths) {
    const value = fieldOf(document, path);
    if (typeof value !== 'symbol') projection.set(path, value);
  }
  return projection.root;
}

type Mutable = Record<string, Json>;

/** An object that is built from fields of a document, whose own objects it does not change. */
class Projection {
  readonly root: Mutable;
  readonly #created = new Set<Json>();

  constructor() {
    this.root = this.#create();
  }

  set(path: FieldPath, value: Json): void {
    let parent = this.root;
    for (const name of path.slice(0, -1)) {
      const next = Object.hasOwn(parent, name) ? parent[name] : (parent[name] = this.#create());
      // A field of the document that was selected as a whole contains this one already.
      if (next === undefined || !this.#created.has(next)) return;
      parent = next as Mutable;
    }
    parent[path.at(-1) ?? ''] = value;
  }

  /** Creates an object without a prototype, so that a field may be called `__proto__`. */
  #create(): Mutable {
    const created = Object.create(null) as Mutable;
    this.#created.add(created);
    return created;
  }
}
