import { isObject, member, type FormField, type Json } from './schema-form.ts';

/**
 * The value of a field as the form edits it: the text of a leaf (empty for no value), a value for each member of a group, or
 * a value for each item of a list.
 */
export type FormValue = string | FormValue[];

/** The errors of a form, by the JSON pointers of its fields. */
export type Faults = ReadonlyMap<string, string>;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Returns the value of a field that nobody has edited. */
export function emptyValue(field: FormField): FormValue {
  if (field.kind === 'object') return field.members.map(({ field: inner }) => emptyValue(inner));
  return field.kind === 'array' ? [] : field.initial;
}

/** Returns the value of a field that shows a part of a document. */
export function valueOf(field: FormField, part: Json | undefined): FormValue {
  if (field.kind === 'object') {
    return field.members.map(({ name, field: inner }) =>
      valueOf(inner, isObject(part) ? member(part, name) : undefined),
    );
  }
  if (field.kind === 'array') return Array.isArray(part) ? part.map((item: Json) => valueOf(field.item, item)) : [];
  if (part === undefined) return '';
  if (field.kind === 'json') return JSON.stringify(part, null, 2);
  return field.kind === 'choice' || typeof part !== 'string' ? JSON.stringify(part) : part;
}

/** Returns the JSON text of a form as {@link jsonOf}, with the error of each field that is not valid. */
export function readForm(
  field: FormField,
  value: FormValue,
): { readonly text: string | undefined; readonly faults: Faults } {
  const faults = new Map<string, string>();
  return { text: jsonOf(field, value, faults), faults };
}

/**
 * Returns the JSON text of a field; undefined if it has no value, so that its member is omitted. Numbers and JSON texts stay as
 * they were typed: the API refuses what parsing would change.
 * @param faults - receives the error of each field that is not valid
 */
export function jsonOf(
  field: FormField,
  value: FormValue,
  faults: Map<string, string>,
  pointer = '',
): string | undefined {
  if (typeof value === 'string') return leafJson(field, value, faults, pointer);
  const parts = value.map((each, index) => {
    const inner = field.kind === 'object' ? field.members[index] : undefined;
    if (inner === undefined) return itemJson(itemOf(field), each, faults, `${pointer}/${index}`);
    const text = jsonOf(inner.field, each, faults, pointerTo(pointer, inner.name));
    return text === undefined ? undefined : `${JSON.stringify(inner.name)}:${text}`;
  });
  const given = parts.filter((part) => part !== undefined);
  if (given.length === 0 && !field.isRequired) return undefined;
  return field.kind === 'object' ? `{${given.join(',')}}` : `[${given.join(',')}]`;
}

function itemJson(item: FormField, value: FormValue, faults: Map<string, string>, pointer: string): string {
  const text = jsonOf(item, value, faults, pointer);
  if (text === undefined) faults.set(pointer, 'Must not be empty.');
  return text ?? 'null';
}

/** Returns the field of each item of a list. */
export function itemOf(field: FormField): FormField {
  return field.kind === 'array' ? field.item : field;
}

function leafJson(
  { kind }: FormField,
  value: string,
  faults: Map<string, string>,
  pointer: string,
): string | undefined {
  const isText = kind === 'text' || kind === 'long-text';
  const text = isText ? value : value.trim();
  if (text === '') return undefined;
  if (isText || kind === 'date' || kind === 'date-time') return JSON.stringify(text);
  const error = errorOf(kind, text);
  if (error !== undefined) faults.set(pointer, error);
  return text;
}

/** Returns the error in the JSON text of a field. */
function errorOf(kind: FormField['kind'], text: string): string | undefined {
  if (kind === 'json') return syntaxError(text);
  const isNumber = kind === 'number' || kind === 'integer';
  return isNumber && !NUMBER.test(text) ? 'Must be a number, such as 12 or 3.5.' : undefined;
}

/** Returns why a text is not JSON; undefined if it is. */
export function syntaxError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`;
  }
}

/** Returns whether the form of a field can show a document without a loss. */
export function canShow(field: FormField, document: Json): boolean {
  const faults = new Map<string, string>();
  const text = jsonOf(field, valueOf(field, document), faults);
  return text !== undefined && faults.size === 0 && sorted(JSON.parse(text) as Json) === sorted(document);
}

function sorted(value: Json): string {
  return JSON.stringify(value, (_name, each: Json) =>
    isObject(each) ? { members: Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)) } : each,
  );
}

/** Returns the pointer of a member (RFC 6901). */
export function pointerTo(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
