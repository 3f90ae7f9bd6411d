/** A JSON value. Integers of a query that a number cannot represent are bigints, so that comparisons with them are exact. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Root collation, as CouchDB uses ICU; English does not change it. */
const COLLATOR = new Intl.Collator('en');

/** The place of each type in CouchDB's order: null < false < true < numbers < texts < arrays < objects. */
const ORDER = { null: 0, boolean: 1, number: 3, string: 4, array: 5, object: 6 } as const;

/** Returns the type of a value as the operator `$type` names it. */
export function typeOf(value: Json): keyof typeof ORDER {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : (typeof value as 'boolean' | 'number' | 'string' | 'object');
}

/** Objects with many keys may be compared with each condition of a selector: their keys are sorted once. */
const MANY_KEYS = 32;
const sortedKeys = new WeakMap<JsonObject, readonly string[]>();

/** Returns the keys of an object in the order of their UTF-8: Go writes them in this order, and CouchDB keeps it. */
export function keysOf(value: JsonObject): readonly string[] {
  const known = sortedKeys.get(value);
  if (known !== undefined) return known;
  const keys = Object.keys(value).sort(compareBytes);
  if (keys.length > MANY_KEYS) sortedKeys.set(value, keys);
  return keys;
}

/** Yields the members of an object in that order. */
export function* membersOf(value: JsonObject): Generator<[key: string, member: Json]> {
  for (const key of keysOf(value)) yield [key, value[key] ?? null];
}

/** Compares two texts by the bytes of their UTF-8, which is the order of their code points. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    // A surrogate stands for a code point above all others of one unit.
    const isLeftPair = (left & 0xf800) === 0xd800;
    const isRightPair = (right & 0xf800) === 0xd800;
    return isLeftPair === isRightPair ? left - right : Number(isLeftPair) - Number(isRightPair);
  }
  return a.length - b.length;
}

/** Compares two values as CouchDB collates them. @returns a negative number, 0, or a positive number */
export function collate(a: Json, b: Json): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA - rankB;
  if (typeof a === 'string') return collateTexts(a, b as string);
  if (typeof a === 'number' || typeof a === 'bigint') return collateNumbers(a, b as number | bigint);
  if (typeof a !== 'object' || a === null) return 0;
  return Array.isArray(a) ? collateArrays(a, b as readonly Json[]) : collateObjects(a as JsonObject, b as JsonObject);
}

function at(value: object, key: string): Json {
  return (value as Record<string, Json>)[key] ?? null;
}

function rankOf(value: Json): number {
  return value === true ? ORDER.boolean + 1 : ORDER[typeOf(value)];
}

function collateTexts(a: string, b: string): number {
  return a === b ? 0 : COLLATOR.compare(a, b);
}

function collateNumbers(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

function collateArrays(a: readonly Json[], b: readonly Json[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const order = collate(a[index] ?? null, b[index] ?? null);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Compares objects member by member in the order in which they are stored: first the name, then the value. */
function collateObjects(a: JsonObject, b: JsonObject): number {
  const [keysA, keysB] = [keysOf(a), keysOf(b)];
  const length = Math.min(keysA.length, keysB.length);
  for (let index = 0; index < length; index++) {
    const [keyA = '', keyB = ''] = [keysA[index], keysB[index]];
    const order = collateTexts(keyA, keyB) || collate(at(a, keyA), at(b, keyB));
    if (order !== 0) return order;
  }
  return keysA.length - keysB.length;
}
