import { encodeAsset, type Asset } from '#asset-contract';
import type { AssetFilter, Page, PageAfter } from '../ports/pages.js';

/** Assets in byte order of their keys. */
export interface AssetChunk {
  readonly assets: readonly { readonly key: string; readonly asset: Asset }[];
  /** Key behind which there are more; empty when there are none. */
  readonly bookmark: string;
}

/** Most assets that one page looks at. */
export const MOST_ASSETS = 5000;

/**
 * A page of the assets that a filter lets through.
 * @param read - gives so many assets, at most, behind a key (empty: from the first)
 * @param chunk - number of assets per read; other work runs while the caller waits for one
 */
export async function searchAssets(
  { limit, after = '', ...filter }: PageAfter & AssetFilter,
  read: (after: string, limit: number) => AssetChunk | Promise<AssetChunk>,
  chunk: number,
): Promise<Page<string, string>> {
  const items: string[] = [];
  let bookmark = after;
  for (let looked = 0; looked < MOST_ASSETS; looked += chunk) {
    const { assets, bookmark: behind } = await read(bookmark, chunk);
    for (const [index, { key, asset }] of assets.entries()) {
      if (!isWanted(asset, filter)) continue;
      items.push(Buffer.from(encodeAsset(asset)).toString());
      const isLast = behind === '' && index === assets.length - 1;
      if (items.length === limit) return isLast ? { items } : { items, next: key };
    }
    if (behind === '') return { items };
    bookmark = behind;
  }
  return { items, next: bookmark };
}

/** Whether an asset is one that a filter lets through. */
export function isWanted(asset: Asset, { owner, color, size }: AssetFilter): boolean {
  return (
    (owner === undefined || asset.owner === owner) &&
    (color === undefined || asset.color === color) &&
    (size === undefined || asset.size === size)
  );
}
