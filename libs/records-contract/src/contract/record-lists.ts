import { Buffer } from 'node:buffer';
import {
  outOfReach,
  idFault,
  readHistoryPage,
  requireBookmark,
  requirePageSize,
  type Evaluation,
  type HistoryEntry,
} from '#contract-kit';
import { recordNotFound } from './record.js';
import { isTypeName, recordKey, typeKey, unknownType } from './record-type.js';

/** Returns one page of the definitions of types in order of their names, as `{"types": […], "bookmark": …}`. */
export function* listTypes([pageSize, bookmark]: readonly [string, string]): Evaluation {
  const limit = requirePageSize(pageSize);
  requireBookmark(bookmark);
  const first = typeKey('');
  const found = yield { start: after(first, bookmark), end: endOf(first), limit: limit + 1 };
  const values = found.slice(0, limit).map(({ value }) => textOf(value));
  const next = found.length > limit ? found[limit - 1]?.key.slice(first.length) : '';
  return Buffer.from(`{"types":[${values.join(',')}],"bookmark":${JSON.stringify(next)}}`);
}

/**
 * Returns one page of the records of a type in byte order of their ids, as `{"records": [{"id": …, "record": …}], "bookmark": …}`;
 * the bookmark is the last id, and empty on the last page.
 */
export function* listRecords([type, pageSize, bookmark]: readonly [string, string, string]): Evaluation {
  if (!isTypeName(type)) throw unknownType(type);
  const limit = requirePageSize(pageSize);
  requireBookmark(bookmark);
  const first = recordKey(type, '');
  // The definition is read with the same kind of query; a type without one has no records.
  const [definition] = yield { start: typeKey(type), end: `${typeKey(type)}\u0000`, limit: 1 };
  if (definition === undefined) throw unknownType(type);
  const found = yield { start: after(first, bookmark), end: endOf(first), limit: limit + 1 };
  const records = found.slice(0, limit).map(({ key, value }) => {
    return `{"id":${JSON.stringify(key.slice(first.length))},"record":${textOf(value)}}`;
  });
  const next = found.length > limit ? found[limit - 1]?.key.slice(first.length) : '';
  return Buffer.from(`{"records":[${records.join(',')}],"bookmark":${JSON.stringify(next)}}`);
}

/**
 * Returns one page of the changes of a record, newest first, as `{"changes": [{transactionId, timestamp, isDelete, record}],
 * "bookmark": …}`; `record` is null where it was deleted, and the bookmark is the transaction of the last change.
 */
export function* recordHistory([type, id, pageSize, bookmark]: readonly [string, string, string, string]): Evaluation {
  if (!isTypeName(type)) throw unknownType(type);
  const size = requirePageSize(pageSize);
  requireBookmark(bookmark);
  if (idFault(id) !== undefined) throw recordNotFound(type, id);
  const page = yield* readHistoryPage(recordKey(type, id), { size, bookmark });
  if (page === undefined) throw bookmark === '' ? recordNotFound(type, id) : outOfReach(`the record ${id}`);
  const changes = page.changes.map(changeOf).join(',');
  return Buffer.from(`{"changes":[${changes}],"bookmark":${JSON.stringify(page.bookmark)}}`);
}

function changeOf({ transactionId, timestamp, value }: HistoryEntry): string {
  const facts = `"transactionId":${JSON.stringify(transactionId)},"timestamp":${JSON.stringify(timestamp)}`;
  return `{${facts},"isDelete":${value === undefined},"record":${value === undefined ? 'null' : textOf(value)}}`;
}

/** Returns the first key of the page after a bookmark: the smallest key above another is that key with a NUL appended. */
function after(first: string, bookmark: string): string {
  return bookmark === '' ? first : `${first}${bookmark}\u0000`;
}

/** Returns the key after all that begin with a text that ends with `/`, which `0` follows in byte order. */
function endOf(first: string): string {
  return `${first.slice(0, -1)}0`;
}

function textOf(value: Uint8Array): string {
  return Buffer.from(value).toString();
}
