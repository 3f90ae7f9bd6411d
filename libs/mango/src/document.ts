import { isJsonObject } from '#json';
import { Buffer } from 'node:buffer';
import { membersOf, type Json, type JsonObject } from './json-value.js';

/** Levels of arrays and objects in a document. */
export const MAX_DEPTH = 500;

/** Characters that Go escapes in JSON, next to those that every writer escapes. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/** Name of the field in which a peer stores a version. */
const VERSION_FIELD = '~version';

/** Returns the object in a value, as far as it can be parsed; undefined for other values, which no selector finds. */
export function parseDocument(value: Uint8Array): JsonObject | undefined {
  const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
  // Most values that are no objects are refused without an exception, which costs more than parsing.
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

/** Returns the name of a field that a peer does not store in CouchDB; undefined when there is none. */
export function reservedField(document: JsonObject): string | undefined {
  return Object.keys(document).find((name) => name.startsWith('_') || name === VERSION_FIELD);
}

/** Returns a document without its key, which selectors see as the field `_id`. */
export function withoutKey(document: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(document).filter(([name]) => name !== '_id'));
}

/**
 * Returns the JSON text of a document as a peer returns it from a query: members in the order of their names, numbers and
 * escapes as Go writes them. Undefined for a document that a peer cannot store: a number is too large, or it is nested too deep.
 */
export function documentText(document: JsonObject): string | undefined {
  const text = canonicalOf(document, 0);
  return text?.replaceAll(ESCAPED, escapeCharacter);
}

/** Returns the same text for equal values. */
export function canonicalText(value: Json): string {
  return canonicalOf(value, 0) ?? '';
}

function canonicalOf(value: Json, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return scalarText(value);
  if (depth === MAX_DEPTH) return undefined;
  const parts: string[] = [];
  for (const [key, member] of isJsonObject(value) ? membersOf(value) : value.entries()) {
    const part = canonicalOf(member, depth + 1);
    if (part === undefined) return undefined;
    parts.push(typeof key === 'number' ? part : `${JSON.stringify(key)}:${part}`);
  }
  return isJsonObject(value) ? `{${parts.join(',')}}` : `[${parts.join(',')}]`;
}

function scalarText(value: null | boolean | number | bigint | string): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
