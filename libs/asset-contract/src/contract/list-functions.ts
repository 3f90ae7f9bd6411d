import { canonicalAsset, joinAssets } from './asset-bytes.js';
import { notFound } from './asset-functions.js';
import { idFault, MAX_PAGE_SIZE, requireBookmark, requirePageSize } from './asset-rules.js';
import { readAsset } from './asset.js';
import type { StateEntry, WorldState } from './world-state.js';

const encoder = new TextEncoder();

/** Every asset as one JSON array, in byte order of the ids' UTF-8; read page by page. */
export async function getAllAssets(state: WorldState): Promise<Uint8Array> {
  const assets: Uint8Array[] = [];
  let after = '';
  for (;;) {
    const entries = await entriesAfter(state, after, MAX_PAGE_SIZE);
    assets.push(...assetsOf(entries));
    const last = entries.at(-1);
    if (last === undefined || entries.length < MAX_PAGE_SIZE) return joinAssets(assets, '[', ']');
    after = last.key;
  }
}

/**
 * One page as `{"assets": [...], "bookmark": "..."}`; the bookmark, given back, continues behind this page, and is
 * empty when there is no more. It is the last key of the page: assets written meanwhile neither shift nor repeat any.
 */
export async function getAssetsPage(
  state: WorldState,
  [pageSize, bookmark]: readonly [string, string],
): Promise<Uint8Array> {
  const limit = requirePageSize(pageSize);
  requireBookmark(bookmark);
  // One more than asked for tells whether there is a next page.
  const found = await entriesAfter(state, bookmark, limit + 1);
  const next = found.length > limit ? found[limit - 1]?.key : undefined;
  const assets = assetsOf(found.slice(0, limit));
  return joinAssets(assets, '{"assets":[', `],"bookmark":${JSON.stringify(next ?? '')}}`);
}

/**
 * Every change of an asset, newest first, as a JSON array of `{transactionId, timestamp, isDelete, asset}`; `asset` is
 * null where it was deleted.
 */
export async function getAssetHistory(state: WorldState, [id]: readonly [string]): Promise<Uint8Array> {
  const entries = idFault(id) === undefined ? await state.getHistory(id) : [];
  if (entries.length === 0) throw notFound(id);
  const history = entries.map(({ transactionId, timestamp, value }) => ({
    transactionId,
    timestamp,
    isDelete: value === undefined,
    asset: (value && readAsset(value)) ?? null,
  }));
  return encoder.encode(JSON.stringify(history));
}

function entriesAfter(
  state: WorldState,
  after: string,
  limit: number,
): Promise<readonly StateEntry[]> | readonly StateEntry[] {
  // The smallest key above `after` is `after` with a NUL behind it.
  return state.getStateRange(after === '' ? '' : `${after}\u0000`, '', limit);
}

/** Records that are no assets, written by something else, are left out of lists. */
function assetsOf(entries: readonly StateEntry[]): Uint8Array[] {
  return entries.flatMap(({ value }) => canonicalAsset(value) ?? []);
}
