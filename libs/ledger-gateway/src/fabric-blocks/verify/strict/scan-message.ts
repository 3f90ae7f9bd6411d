import { Buffer, isUtf8 } from 'node:buffer';
import type { FieldSchema, MessageSchema } from './schema.js';
import { WireReader, type WireField } from './wire-reader.js';

/** How strictly to look. */
export interface ScanOptions {
  /** Whether a scalar may be written although it has its default value, as some client libraries do. */
  readonly allowDefaults: boolean;
}

/**
 * Finds out whether bytes are the one canonical form of a message, so that encoding what they say gives the same bytes:
 * known fields in the order of their numbers, each once unless it is repeated, the shortest varints, nothing behind.
 * Entries of a map may stand in any order: Go writes them so.
 * @returns what is wrong and where, or undefined
 */
export function scanMessage(content: Uint8Array, schema: MessageSchema, options: ScanOptions): string | undefined {
  const reader = new WireReader(content);
  const keys = new Set<string>();
  let last = 0;
  while (!reader.atEnd) {
    const field = reader.next();
    if (typeof field === 'string') return `${schema.name}: ${field}`;
    const fault = scanField(field, schema, { ...options, last, keys });
    if (fault !== undefined) return `${schema.name}.${fault}`;
    last = field.number;
  }
  return undefined;
}

interface FieldContext extends ScanOptions {
  /** The number of the field before. */
  readonly last: number;
  /** Keys of maps seen so far. */
  readonly keys: Set<string>;
}

function scanField(field: WireField, { fields }: MessageSchema, context: FieldContext): string | undefined {
  const { number } = field;
  const schema = fields.get(number);
  if (schema === undefined) return `${number}: unknown field`;
  if (number < context.last) return `${number}: fields are out of order`;
  if (number === context.last && schema.repeated !== true) return `${number}: the field stands twice`;
  const fault = scanValue(field, schema, context) ?? (schema.map === true ? scanKey(field, context) : undefined);
  return fault && `${number}${fault}`;
}

function scanValue(field: WireField, schema: FieldSchema, context: FieldContext): string | undefined {
  const isVarint = schema.type === 'integer' || schema.type === 'boolean';
  if (isVarint !== (field.content === undefined)) return ': wrong wire type';
  if (!mayBeDefault(schema, context) && isDefault(field, schema)) return ': a default value is written out';
  if (field.content !== undefined) return scanContent(field.content, schema, context);
  return schema.type === 'boolean' && field.value > 1n ? ': no boolean' : undefined;
}

function scanContent(content: Uint8Array, { type }: FieldSchema, context: FieldContext): string | undefined {
  if (type === 'text') return isUtf8(content) ? undefined : ': text is not UTF-8';
  if (typeof type === 'string') return undefined;
  const fault = scanMessage(content, type, context);
  return fault && ` ${fault}`;
}

function mayBeDefault(schema: FieldSchema, { allowDefaults }: ScanOptions): boolean {
  return allowDefaults || schema.repeated === true || schema.explicit === true;
}

/** A message that is there says something even when it is empty. */
function isDefault({ value, content }: WireField, { type, embedded }: FieldSchema): boolean {
  if (content === undefined) return value === 0n;
  return content.length === 0 && (typeof type === 'string' || embedded === true);
}

function scanKey({ number, content = new Uint8Array() }: WireField, { keys }: FieldContext): string | undefined {
  const first = new WireReader(content).next();
  // An entry that does not begin with its key has the empty one.
  const key = typeof first === 'string' || first.number !== 1 ? undefined : first.content;
  const name = `${number}:${Buffer.from(key ?? '').toString('latin1')}`;
  if (keys.has(name)) return ': the map has a key twice';
  keys.add(name);
  return undefined;
}
