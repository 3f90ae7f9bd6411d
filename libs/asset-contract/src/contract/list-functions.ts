import { Buffer } from 'node:buffer';
import {
  MAX_PAGE_SIZE,
  readHistoryPage,
  outOfReach,
  idFault,
  requireBookmark,
  requirePageSize,
  type Evaluation,
  type HistoryEntry,
  type RangeQuery,
  type StateEntry,
} from '#contract-kit';
import { canonicalAsset, encodeList, encodePage, readAsset } from './asset.js';
import { notFound } from './rules.js';

/** Returns every asset as one JSON array, in byte order of the ids' UTF-8; read page by page. */
export function* getAllAssets(): Evaluation {
  const assets: Uint8Array[] = [];
  let after = '';
  for (;;) {
    const entries = yield rangeAfter(after, MAX_PAGE_SIZE);
    assets.push(...assetsOf(entries));
    const last = entries.at(-1);
    if (last === undefined || entries.length < MAX_PAGE_SIZE) return encodeList(assets);
    after = last.key;
  }
}

/**
 * Returns one page as `{"assets": [...], "bookmark": "..."}`; the bookmark requests the next page, and is empty when there is
 * none. It is the last key of the page, so that assets written meanwhile neither shift nor repeat any.
 */
export function* getAssetsPage([pageSize, bookmark]: readonly [string, string]): Evaluation {
  const limit = requirePageSize(pageSize);
  requireBookmark(bookmark);
  // One more than requested shows whether there is a next page.
  const found = yield rangeAfter(bookmark, limit + 1);
  const next = found.length > limit ? found[limit - 1]?.key : undefined;
  return encodePage(assetsOf(found.slice(0, limit)), next ?? '');
}

/**
 * Returns every change of an asset, newest first, as a JSON array of `{transactionId, timestamp, isDelete, asset}`; `asset` is
 * null where it was deleted.
 */
export function* getAssetHistory([id]: readonly [string]): Evaluation {
  if (idFault(id) !== undefined) throw notFound(id);
  const entries: HistoryEntry[] = [];
  yield { historyOf: id, add: (change) => entries.push(change) > 0 };
  if (entries.length === 0) throw notFound(id);
  return Buffer.from(JSON.stringify(entries.map(changeOf)));
}

/**
 * Returns one page of the changes of an asset, newest first, as `{"changes": [...], "bookmark": "..."}`; the bookmark requests
 * the next page, and is empty when there is none. It is the transaction of the page's last change, so that changes made meanwhile
 * neither shift nor repeat any.
 */
export function* getAssetHistoryPage([id, pageSize, bookmark]: readonly [string, string, string]): Evaluation {
  const size = requirePageSize(pageSize);
  requireBookmark(bookmark);
  if (idFault(id) !== undefined) throw notFound(id);
  const page = yield* readHistoryPage(id, { size, bookmark });
  if (page === undefined) throw bookmark === '' ? notFound(id) : outOfReach(`the asset ${id}`);
  return Buffer.from(JSON.stringify({ changes: page.changes.map(changeOf), bookmark: page.bookmark }));
}

function changeOf({ transactionId, timestamp, value }: HistoryEntry): object {
  return { transactionId, timestamp, isDelete: value === undefined, asset: (value && readAsset(value)) ?? null };
}

function rangeAfter(key: string, limit: number): RangeQuery {
  // The smallest key above another is that key with a NUL appended.
  return { start: key === '' ? '' : `${key}\u0000`, end: '', limit };
}

/** Omits records that are not assets, which another chaincode wrote. */
function assetsOf(entries: readonly StateEntry[]): Uint8Array[] {
  return entries.flatMap(({ value }) => canonicalAsset(value) ?? []);
}
