import { createReadStream } from 'node:fs';
import { CsvParser, LoadError, type CsvRow } from './csv.js';

/** The fields of a create. */
export const FIELDS = ['id', 'appraisedValue', 'color', 'owner', 'size'] as const;
export type Field = (typeof FIELDS)[number];

/** Columns by the fields that they contain. */
export type Mapping = ReadonlyMap<Field, string>;

/** A record of a file as a line of an upload. */
export interface FileRecord {
  /** The number of its first line in the file, from 1 on. */
  readonly line: number;
  /** Without a line feed. */
  readonly body: Buffer;
  /** Bytes of the file that were read so far. */
  readonly read: number;
}

/**
 * Reads the records of a CSV or NDJSON file. A record that is not a valid asset is not refused here, but by the ledger.
 * @param mapping - columns with other names than those of the fields, which are compared without case
 * @throws {@link LoadError}, system errors
 */
export async function* readRecords(file: string, mapping: Mapping): AsyncGenerator<FileRecord, void, undefined> {
  if (/\.csv$/i.test(file)) yield* readCsv(file, mapping);
  else if (/\.(ndjson|jsonl)$/i.test(file)) yield* readLines(file, mapping);
  else throw new LoadError(`${file} must be a .csv or .ndjson file.`);
}

async function* readCsv(file: string, mapping: Mapping): AsyncGenerator<FileRecord, void, undefined> {
  const parser = new CsvParser();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let names: readonly string[] | undefined;
  let read = 0;
  const recordsOf = function* (rows: Iterable<CsvRow>): Generator<FileRecord> {
    for (const { line, cells } of rows) {
      if (names === undefined) names = namesOf(file, cells, mapping);
      else yield { line, body: Buffer.from(JSON.stringify(namedCells(names, cells))), read };
    }
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    read += chunk.length;
    yield* recordsOf(parser.push(decoded(file, decoder, chunk)));
  }
  yield* recordsOf(parser.push(decoded(file, decoder)));
  yield* recordsOf(parser.end());
  if (names === undefined) throw new LoadError(`${file} is empty: its first row must name the columns.`);
}

function decoded(file: string, decoder: InstanceType<typeof TextDecoder>, chunk?: Buffer): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new LoadError(`${file} is not UTF-8.`);
  }
}

/** Returns the field of each column; columns that no field needs are ignored, and their names are empty. */
function namesOf(file: string, columns: readonly string[], mapping: Mapping): readonly string[] {
  const missing = [...mapping.values()].find((column) => !columns.includes(column));
  if (missing !== undefined) throw new LoadError(`${file} has no column "${missing}". It has ${columns.join(', ')}.`);
  const names = columns.map((column) => fieldOf(column, mapping) ?? '');
  const twice = FIELDS.find((field) => names.indexOf(field) !== names.lastIndexOf(field));
  if (twice !== undefined)
    throw new LoadError(`${file} has several columns for "${twice}". Name one: --map ${twice}=COLUMN`);
  return names;
}

/** Names the cells of a row. The ledger refuses cells beyond the columns as unknown fields. */
function namedCells(names: readonly string[], cells: readonly string[]): object {
  const entries = cells.map((cell, index) => [names[index] ?? `column ${index + 1}`, cell] as const);
  return Object.fromEntries(entries.filter(([name]) => name !== ''));
}

/** Returns the field that a column contains. */
function fieldOf(column: string, mapping: Mapping): Field | undefined {
  const mapped = FIELDS.find((field) => mapping.get(field) === column);
  const named = FIELDS.find((field) => field.toLowerCase() === column.toLowerCase());
  return mapped ?? (named !== undefined && !mapping.has(named) ? named : undefined);
}

const LINE_FEED = 0x0a;
/** Most bytes of a line; the ledger refuses shorter ones too. */
const MAX_LINE = 1024 * 1024;

async function* readLines(file: string, mapping: Mapping): AsyncGenerator<FileRecord, void, undefined> {
  let rest = Buffer.alloc(0);
  let [line, read] = [0, 0];
  const record = (body: Buffer): FileRecord => ({ line: ++line, body: renamed(body, mapping), read });
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    read += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield record(Buffer.concat([rest, chunk.subarray(start, end)]));
      rest = Buffer.alloc(0);
      start = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(start)]);
    if (rest.length > MAX_LINE) throw new LoadError(`Line ${line + 1} of ${file} is too long.`);
  }
  if (rest.length > 0) yield record(rest);
}

/** Renames the members of a JSON object to fields. Everything else stays as it is, for the ledger to refuse. */
function renamed(body: Buffer, mapping: Mapping): Buffer {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return body;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return body;
  const entries = Object.entries(value).map(([name, member]) => [fieldOf(name, mapping) ?? name, member] as const);
  if (entries.every(([name]) => Object.hasOwn(value, name))) return body;
  return Buffer.from(JSON.stringify(Object.fromEntries(entries)));
}
