import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { toSpreadsheetCell } from '#bulk-data';
import type { Page } from '#ledger-gateway';
import type { OperationPart } from './operation.decorator.js';
import { wholeListError, type PageRequest } from './paging.js';
import { NDJSON } from './json-body.js';
import { isPreferred, varyBy } from './preconditions.js';

/** Returns a Content-Disposition with a file name, in which other characters than these are replaced. */
export function attachment(name: string): string {
  return `attachment; filename="${name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}"`;
}

const CSV = 'text/csv';

type Cell = string | number | boolean;

/** A list as a table. */
export interface CsvTable<T, C, Column extends string> {
  readonly file: string;
  readonly columns: readonly Column[];
  /** Returns the cells of an item by their columns; a missing one is empty. */
  readonly row: (item: T) => Readonly<Partial<Record<Column, Cell>>>;
  /** Reads a page of the list, by default the first one. */
  readonly read: (cursor: C | undefined) => Promise<Page<T, C>>;
  /** Yields what replaces the items of a page, a part at a time; by default the page is one part. */
  readonly expand?: (items: readonly T[]) => AsyncIterable<readonly T[]>;
}

/** A list that is also offered as CSV. */
export const CSV_LIST: OperationPart = {
  otherContent: { [CSV]: { schema: { type: 'string' } } },
  errors: [wholeListError('limit')],
};

/** A list that is also offered as one JSON text on each line. */
export function ndjsonList(schema: object): OperationPart {
  return { otherContent: { [NDJSON]: { schema } }, errors: [wholeListError('limit')] };
}

/** Returns whether a request prefers lines of JSON to one JSON text, and adds Accept to the Vary header of the response. */
export function prefersLines(reply: FastifyReply): boolean {
  varyBy(reply, 'Accept');
  return isPreferred(reply.request, NDJSON);
}

/** Returns whether a request prefers CSV to JSON, and adds Accept to the Vary header of the response. */
export function prefersCsv(reply: FastifyReply): boolean {
  varyBy(reply, 'Accept');
  return isPreferred(reply.request, CSV);
}

/**
 * Answers a whole list as CSV (RFC 4180) with a header row, page by page at the pace of the client: only one page is in
 * memory. The first page is read before the answer starts, so that an unavailable ledger is a 500. A later failure, or a caller
 * that was revoked meanwhile, cuts the connection.
 * @throws `API.INVALID_REQUEST` for a request with a limit or a cursor
 */
export async function csvAnswer<T, C, Column extends string>(
  reply: FastifyReply,
  page: Pick<PageRequest<unknown>, 'requireWhole'>,
  table: CsvTable<T, C, Column>,
): Promise<StreamableFile> {
  const { columns, row, ...list } = table;
  const line = (item: T): string => {
    const cells = row(item);
    // A column may have the name of a member that every object inherits.
    return lineOf(columns.map((name) => (Object.hasOwn(cells, name) ? (cells[name] ?? '') : '')));
  };
  const type = `${CSV}; charset=utf-8; header=present`;
  return wholeList(reply, page, { ...list, type, head: lineOf(columns), line });
}

/** Answers a whole list with one JSON text on each line, as {@link csvAnswer} does. */
export function ndjsonAnswer<T, C>(
  reply: FastifyReply,
  page: Pick<PageRequest<unknown>, 'requireWhole'>,
  list: Pick<CsvTable<T, C, never>, 'file' | 'read'>,
): Promise<StreamableFile> {
  return wholeList(reply, page, { ...list, type: NDJSON, head: '', line: (item) => `${JSON.stringify(item)}\n` });
}

interface WholeList<T, C> extends Pick<CsvTable<T, C, never>, 'file' | 'read' | 'expand'> {
  readonly type: string;
  /** The text before the first item. */
  readonly head: string;
  readonly line: (item: T) => string;
}

async function wholeList<T, C>(
  reply: FastifyReply,
  page: Pick<PageRequest<unknown>, 'requireWhole'>,
  list: WholeList<T, C>,
): Promise<StreamableFile> {
  page.requireWhole();
  const isHead = reply.request.method === 'HEAD';
  const content = isHead ? [] : rows(list, await list.read(undefined), reply);
  const options = { type: list.type, disposition: attachment(list.file) };
  return new StreamableFile(Readable.from(content, { objectMode: false }), options);
}

async function* rows<T, C>(
  { head, line, read, expand }: WholeList<T, C>,
  first: Page<T, C>,
  reply: FastifyReply,
): AsyncGenerator<Uint8Array> {
  if (head !== '') yield Buffer.from(head);
  for (let page = first; ; page = await read(page.next)) {
    for await (const items of expand?.(page.items) ?? [page.items]) {
      // A long list continues for hours, in which the caller may be revoked; one page may have as many parts as transactions.
      reply.request.requireAccess();
      if (items.length > 0) yield Buffer.from(items.map(line).join(''));
    }
    if (page.next === undefined || (page.items.length === 0 && !keepOpen(reply))) return;
    reply.request.requireAccess();
  }
}

/**
 * Restarts the timeout of a connection on which no byte moves: a filter that matches rarely may select nothing for minutes.
 * Returns whether the connection is open.
 */
function keepOpen({ request: { socket } }: FastifyReply): boolean {
  socket.setTimeout(socket.timeout ?? 0);
  return !socket.destroyed;
}

function lineOf(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join()}\r\n`;
}

function cellOf(value: Cell): string {
  const text = typeof value === 'string' ? toSpreadsheetCell(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
