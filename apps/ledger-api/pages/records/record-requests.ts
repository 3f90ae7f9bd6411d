import { client, read, send, type RecordChange, type RecordType, type StoredRecord } from '../api/client.ts';
import { countOf, type Page } from '../api/paging.ts';
import type { ListQuery } from '../routes/route.ts';
import { session } from '../api/session.svelte.ts';
import { present } from '../routes/route.ts';

/** Returns whether the caller may write records on the channel that is shown. */
export function mayWrite(): boolean {
  return session.hasOn(present.channel, 'writer');
}

/** Returns whether the caller may erase documents on the channel that is shown. */
export function mayErase(): boolean {
  return session.hasOn(present.channel, 'admin');
}

/** Returns a record type. */
export async function readType(type: string, signal: AbortSignal | null = null): Promise<RecordType> {
  return read(client.GET('/record-types/{type}', { params: { path: { type } }, signal }));
}

/** Returns the first record types, and the token of the next page. */
export async function listTypes(query: Partial<ListQuery>, signal: AbortSignal): Promise<Page<RecordType>> {
  const { types: items, next } = await read(client.GET('/record-types', { params: { query }, signal }));
  return { items, ...(next !== null && { next }) };
}

/** Returns a page of the records of a type. */
export async function listRecords(type: string, query: ListQuery, signal: AbortSignal): Promise<Page<StoredRecord>> {
  const params = { path: { type }, query };
  const { data, headers } = await send(client.GET('/records/{type}', { params, signal }));
  const { records: items, next } = data;
  const matches = countOf(headers);
  return { items, ...(next !== null && { next }), ...(matches !== undefined && { matches }) };
}

/** The name of a record. */
export interface RecordName {
  readonly type: string;
  readonly id: string;
}

/**
 * Returns a record and its ETag.
 * @param at - the number of the block after which the state is read; the present state if undefined, which alone has an ETag
 */
export async function readRecord(
  path: RecordName,
  signal: AbortSignal | null = null,
  at?: string,
): Promise<{ record: StoredRecord; etag: string }> {
  const params = { path, ...(at !== undefined && { query: { at: Number(at) } }) };
  const { data, headers } = await send(client.GET('/records/{type}/{id}', { params, signal }));
  return { record: data, etag: headers.get('etag') ?? '' };
}

/** Returns changes of a record, newest first. */
export async function listChanges(
  path: RecordName,
  query: Readonly<{ limit: number; after?: string }>,
  signal: AbortSignal,
): Promise<Page<RecordChange>> {
  const request = client.GET('/records/{type}/{id}/history', { params: { path, query }, signal });
  const { changes: items, next } = await read(request);
  return { items, ...(next !== null && { next }) };
}

/** Options for a write whose body is a JSON text, which is sent as it was typed. */
export function withJson(body: string): { readonly body: unknown; readonly bodySerializer: () => string } {
  return { body, bodySerializer: () => body };
}
