import { type Asset, canonicalAsset, encodeAsset } from '#asset-contract';
import { decodeActions, type DecodedEnvelope, decodeReadWriteSets } from '#fabric-codec';
import { compareText, type KeyWrite } from '#fabric-codec/encode';
import { type AssetChange, type AssetFilter, LedgerError, type Page } from '#ledger-gateway';
import type { PageAfter } from '#ledger-gateway/driver';
import type { CreatorNames } from './chain-pages.js';

/** Maximum of assets that are read for one page. */
const MAX_ASSETS = 5000;

/** Assets in byte order of their keys. */
export interface AssetChunk {
  readonly assets: readonly { readonly key: string; readonly asset: Asset }[];
  /** The key after which the next chunk begins; empty after the last one. */
  readonly bookmark: string;
}

/**
 * Returns a page of the assets that a filter selects.
 * @param read - returns at most that many assets after a key (empty: from the first)
 * @param chunk - number of assets per read; other work runs while the caller waits for one
 */
export async function searchAssets(
  { limit, after = '', ...filter }: PageAfter & AssetFilter,
  read: (after: string, limit: number) => AssetChunk | Promise<AssetChunk>,
  chunk: number,
): Promise<Page<string, string>> {
  const items: string[] = [];
  const first = keyBelow(filter.prefix);
  let bookmark = isKeyBelow(after, first) ? first : after;
  for (let examined = 0; examined < MAX_ASSETS; examined += chunk) {
    const { assets, bookmark: next } = withoutLater(await read(bookmark, chunk), filter.prefix);
    for (const [index, { key, asset }] of assets.entries()) {
      if (!isWanted(key, asset, filter)) continue;
      items.push(Buffer.from(encodeAsset(asset)).toString());
      const isLast = next === '' && index === assets.length - 1;
      if (items.length === limit) return isLast ? { items } : { items, next: key };
    }
    if (next === '') return { items };
    bookmark = next;
  }
  return { items, next: bookmark };
}

/** The last character of a text. */
const LAST = /.$/su;

/**
 * Returns a key below all keys with a prefix, after which a list begins: a list begins after a key, not at one. Between the
 * two are only keys that contain U+10FFFF, the last character.
 */
function keyBelow(prefix = ''): string {
  const code = LAST.exec(prefix)?.[0].codePointAt(0) ?? 0;
  const rest = prefix.replace(LAST, '');
  // No id contains a control character, and a peer refuses keys that begin with NUL.
  if (code <= 0x20) return rest;
  // Surrogates, which are below U+E000, are not characters.
  const below = code === 0xe000 ? 0xd7ff : code - 1;
  return `${rest}${String.fromCodePoint(below)}\u{10ffff}`;
}

/** Ends a chunk at the first key after all keys with a prefix. */
function withoutLater({ assets, bookmark }: AssetChunk, prefix = ''): AssetChunk {
  const end = assets.findIndex(({ key }) => !key.startsWith(prefix) && isKeyBelow(prefix, key));
  return end === -1 ? { assets, bookmark } : { assets: assets.slice(0, end), bookmark: '' };
}

/** Compares keys by the bytes of their UTF-8. */
export function isKeyBelow(key: string, other: string): boolean {
  return compareText(key, other) < 0;
}

function isWanted(key: string, asset: Asset, { prefix = '', owner, color, size }: AssetFilter): boolean {
  return (
    key.startsWith(prefix) &&
    (owner === undefined || asset.owner === owner) &&
    (color === undefined || asset.color === color) &&
    (size === undefined || asset.size === size)
  );
}

/**
 * Returns what an endorser transaction writes under a key of a chaincode; of several writes the last one, which is the one
 * that counts.
 * @throws `LEDGER.DAMAGED` when it cannot be decoded
 */
export function writeOf({ data }: DecodedEnvelope, key: string, chaincode: string): KeyWrite | undefined {
  return decodeActions(data)
    .flatMap(({ results }) => decodeReadWriteSets(results))
    .filter(({ namespace }) => namespace === chaincode)
    .flatMap(({ writes }) => writes)
    .findLast((write) => write.key === key);
}

/**
 * Checks that a chain has a block.
 * @throws `LEDGER.INVALID_ARGUMENT`
 */
export function requireBlockIn(height: number, block: number): void {
  if (block < height) return;
  const text = `there is no block ${block}, and the newest one is ${height - 1}`;
  throw new LedgerError('LEDGER.INVALID_ARGUMENT', text);
}

/**
 * Returns the JSON text of an asset as it was after a block.
 * @param write - the newest write of the asset up to that block, if there is one
 * @throws `LEDGER.ASSET_NOT_FOUND`, `LEDGER.REFUSED` when the written value is not an asset
 */
export function assetAfter(block: number, id: string, write: KeyWrite | undefined): string {
  if (write?.value === undefined) {
    throw new LedgerError('LEDGER.ASSET_NOT_FOUND', `the asset ${id} did not exist after block ${block}`);
  }
  const asset = canonicalAsset(write.value);
  if (asset === undefined) throw new LedgerError('LEDGER.REFUSED', 'the stored record is not an asset');
  return Buffer.from(asset).toString();
}

/** Returns a write as an asset's history shows it. */
export function assetChange(
  envelope: DecodedEnvelope,
  blockNumber: number,
  { value }: KeyWrite,
  creators: CreatorNames,
): AssetChange {
  const { transactionId, timestamp } = envelope;
  const asset = value && canonicalAsset(value);
  return {
    transactionId,
    blockNumber,
    timestamp,
    ...creators.of(envelope),
    isDelete: value === undefined,
    asset: asset && Buffer.from(asset).toString(),
  };
}
