import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { fromSpreadsheetCell } from '#bulk-data';
import { detectDialect, firstRow, parseCsv } from './csv.js';
import { FIELDS, REQUIRED_FIELDS, type Field } from './fields.js';
import { assetOf } from './json-records.js';
import { requireText } from './file-kind.js';
import { ToolError } from '../../tool-error.js';

/** How records become assets. */
export interface RecordOptions {
  /** Columns by the fields that they contain, where they have other names than the fields. */
  readonly mapping: ReadonlyMap<Field, string>;
  /** Whether the numbers of JSON become texts. */
  readonly numbersAsText: boolean;
}

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
 * Reads the records of a CSV or NDJSON file. A record that is not a valid asset is not refused here, but by the ledger. The names
 * of columns are compared without case.
 * @throws {@link ToolError}, system errors
 */
export async function* readRecords(file: string, options: RecordOptions): AsyncGenerator<FileRecord, void, undefined> {
  if (TABLE.test(file)) yield* readCsv(file, options);
  else if (/\.(ndjson|jsonl|json)$/i.test(file)) yield* readLines(file, options);
  else throw new ToolError(`${file} must be a .csv, .tsv or .ndjson file.`);
}

const TABLE = /\.(csv|tsv)$/i;
/** Bytes that contain the first row. */
const HEAD_BYTES = 64 * 1024;

/**
 * Reads a whole file and checks that it has a record, and a table a column for each field without which every record would be
 * refused. An upload that ended in a damaged row would have written the records before it.
 * @throws {@link ToolError}, system errors
 */
export async function requireRecords(file: string, options: RecordOptions): Promise<void> {
  requireText(file, await headOf(file), TABLE.test(file));
  if (TABLE.test(file)) {
    const { head, dialect } = await startOf(file, options);
    const row = firstRow(head, dialect);
    const names = namesOf(file, row, options);
    const missing = REQUIRED_FIELDS.filter((field) => !names.includes(field));
    if (missing.length > 0) throw lacking(file, `column for ${missing.join(', ')}`, row);
  }
  let line = 0;
  for await (const record of readRecords(file, options)) ({ line } = record);
  if (line === 0) throw new ToolError(`${file} contains no records.`);
}

async function* readCsv(file: string, options: RecordOptions): AsyncGenerator<FileRecord, void, undefined> {
  const { encoding, dialect } = await startOf(file, options);
  let read = 0;
  const text = async function* (): AsyncGenerator<string> {
    const decoder = new TextDecoder(encoding, { fatal: true });
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      read += chunk.length;
      yield decoded(file, decoder, chunk);
    }
    yield decoded(file, decoder);
  };
  let names: readonly string[] | undefined;
  for await (const { line, cells } of parseCsv(text(), dialect)) {
    if (names === undefined) names = namesOf(file, cells, options);
    else yield { line, body: Buffer.from(JSON.stringify(namedCells(names, cells))), read };
  }
  if (names === undefined) namesOf(file, [], options);
}

/** What the first bytes of a table show: its first characters, their encoding, and how its cells are separated. */
async function startOf(file: string, options: RecordOptions) {
  const bytes = await headOf(file);
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  const head = new TextDecoder(encoding).decode(bytes);
  return { head, encoding, dialect: detectDialect(head, (name) => fieldOf(name, options) !== undefined) } as const;
}

async function headOf(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(HEAD_BYTES) });
  return buffer.subarray(0, bytesRead);
}

function decoded(file: string, decoder: InstanceType<typeof TextDecoder>, chunk?: Buffer): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new ToolError(`${file} is not UTF-8. Save it as "CSV UTF-8".`);
  }
}

/** Returns the field of each column; columns that no field needs are ignored, and their names are empty. */
function namesOf(file: string, row: readonly string[], options: RecordOptions): readonly string[] {
  if (row.length === 0) throw new ToolError(`${file} is empty: its first row must name the columns.`);
  const columns = row.map((column) => column.trim());
  const missing = [...options.mapping.values()].find((column) => !columns.includes(column.trim()));
  if (missing !== undefined) throw lacking(file, `column "${missing}"`, row);
  const names = columns.map((column) => fieldOf(column, options) ?? '');
  if (names.every((name) => name === '')) throw lacking(file, 'column with the name of a field', row);
  const twice = FIELDS.find((field) => names.indexOf(field) !== names.lastIndexOf(field));
  if (twice !== undefined)
    throw new ToolError(`${file} has several columns for "${twice}". Name one: --map ${twice}=COLUMN`);
  return names;
}

function lacking(file: string, what: string, row: readonly string[]): ToolError {
  const found = row.map((column) => JSON.stringify(column.trim())).join(', ');
  const wanted = `The fields are ${FIELDS.join(', ')}; only id may be missing. Use --map FIELD=COLUMN for other names.`;
  return new ToolError(`${file} has no ${what}. Its columns are ${found}. ${wanted}`);
}

/**
 * Names the cells of a row, as texts without what the API's own CSV adds to them. The ledger refuses cells beyond the columns as
 * unknown fields, unless they are empty: some programs end rows with a delimiter.
 */
function namedCells(names: readonly string[], cells: readonly string[]): object {
  const entries = cells.map(
    (cell, index) => [names[index] ?? `column ${index + 1}`, fromSpreadsheetCell(cell)] as const,
  );
  return Object.fromEntries(
    entries.filter(([name, cell], index) => name !== '' && (index < names.length || cell !== '')),
  );
}

/** Returns the field that a column contains. */
function fieldOf(column: string, { mapping }: RecordOptions): Field | undefined {
  const mapped = FIELDS.find((field) => mapping.get(field)?.trim() === column);
  const named = FIELDS.find((field) => field.toLowerCase() === column.toLowerCase());
  return mapped ?? (named !== undefined && !mapping.has(named) ? named : undefined);
}

const LINE_FEED = 0x0a;
/** Most bytes of a line; the ledger refuses shorter ones too. */
const MAX_LINE = 1024 * 1024;

async function* readLines(file: string, options: RecordOptions): AsyncGenerator<FileRecord, void, undefined> {
  let rest = Buffer.alloc(0);
  let [line, read] = [0, 0];
  const record = (body: Buffer): FileRecord => {
    line += 1;
    if (line === 1) requireObjectOnLine(file, body);
    return { line, body: assetOf(body, (name) => fieldOf(name, options), options.numbersAsText), read };
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    read += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield record(Buffer.concat([rest, chunk.subarray(start, end)]));
      rest = Buffer.alloc(0);
      start = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(start)]);
    if (rest.length > MAX_LINE) throw new ToolError(`Line ${line + 1} of ${file} is too long.`);
  }
  if (rest.length > 0) yield record(rest);
}

/** Refuses a file of which the first line shows that it is one JSON array, or has an object on several lines. */
function requireObjectOnLine(file: string, firstLine: Buffer): void {
  if (!/^\s*(\[|\{\s*$)/.test(firstLine.toString())) return;
  throw new ToolError(`${file} must have one JSON object on each line. Convert it, such as by: jq -c '.[]' ${file}`);
}
