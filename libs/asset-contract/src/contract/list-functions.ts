import { canonicalAsset, encodeList, encodePage, readAsset } from './asset.js';
import { changesOf, range, type Evaluation, type RangeQuery, type StateEntry } from './contract-function.js';
import { idFault, MAX_PAGE_SIZE, notFound, requireBookmark, requirePageSize } from './rules.js';

const encoder = new TextEncoder();

/** Every asset as one JSON array, in byte order of the ids' UTF-8; read page by page. */
export function* getAllAssets(): Evaluation {
  const assets: Uint8Array[] = [];
  let after = '';
  for (;;) {
    const entries = yield* range(behind(after, MAX_PAGE_SIZE));
    assets.push(...assetsOf(entries));
    const last = entries.at(-1);
    if (last === undefined || entries.length < MAX_PAGE_SIZE) return encodeList(assets);
    after = last.key;
  }
}

/**
 * One page as `{"assets": [...], "bookmark": "..."}`; the bookmark, given back, continues behind this page, and is
 * empty when there is no more. It is the last key of the page: assets written meanwhile neither shift nor repeat any.
 */
export function* getAssetsPage([pageSize, bookmark]: readonly [string, string]): Evaluation {
  const limit = requirePageSize(pageSize);
  requireBookmark(bookmark);
  // One more than asked for tells whether there is a next page.
  const found = yield* range(behind(bookmark, limit + 1));
  const next = found.length > limit ? found[limit - 1]?.key : undefined;
  return encodePage(assetsOf(found.slice(0, limit)), next ?? '');
}

/**
 * Every change of an asset, newest first, as a JSON array of `{transactionId, timestamp, isDelete, asset}`; `asset` is
 * null where it was deleted.
 */
export function* getAssetHistory([id]: readonly [string]): Evaluation {
  if (idFault(id) !== undefined) throw notFound(id);
  const entries = yield* changesOf(id);
  if (entries.length === 0) throw notFound(id);
  const history = entries.map(({ transactionId, timestamp, value }) => ({
    transactionId,
    timestamp,
    isDelete: value === undefined,
    asset: (value && readAsset(value)) ?? null,
  }));
  return encoder.encode(JSON.stringify(history));
}

function behind(key: string, limit: number): RangeQuery {
  // The smallest key above another is that key with a NUL behind it.
  return { start: key === '' ? '' : `${key}\u0000`, end: '', limit };
}

/** Records that are no assets, written by something else, are left out of lists. */
function assetsOf(entries: readonly StateEntry[]): Uint8Array[] {
  return entries.flatMap(({ value }) => canonicalAsset(value) ?? []);
}
