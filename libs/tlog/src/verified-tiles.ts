import { rootOf } from './compact-range.js';
import { HASH_BYTES, isSameHash, type TreeHead } from './merkle.js';
import { consistencyProof, rootAt, type NodeReader } from './proofs.js';
import { TlogFault } from './text.js';
import { hashesOf, nodesOfTiles, TILE_WIDTH, tilePath, tileWidth } from './tiles.js';

/** A tile of hashes of a tree. */
interface NeededTile {
  readonly level: number;
  readonly index: number;
  readonly width: number;
}

/**
 * Fetches the tiles of a tree that prove that it continues a smaller one, and checks that they are those of its own head: a
 * damaged tile is no evidence of another history.
 * @param fetchTile - returns the content of a path below the log's prefix
 * @throws {@link TlogFault} when a tile is not that of the tree; what `fetchTile` throws
 */
export async function verifiedTiles(
  head: TreeHead,
  from: number,
  fetchTile: (path: string) => Promise<Uint8Array>,
): Promise<NodeReader> {
  const needed = neededTiles(head.size, from);
  const tiles = new Map<string, Uint8Array>();
  const fetchOne = async (tile: NeededTile): Promise<void> => {
    const path = tilePath(tile);
    const bytes = await fetchTile(path);
    if (bytes.length !== tile.width * HASH_BYTES) throw new TlogFault(`the tile ${path} has another length`);
    tiles.set(nameOf(tile.level, tile.index), bytes);
  };
  await Promise.all(needed.map(fetchOne));
  const read = (level: number, index: number): Uint8Array => tiles.get(nameOf(level, index)) ?? new Uint8Array();
  // A full tile has its hash in the one above it; those that are not full yet make up the root.
  for (const tile of needed.filter(({ width }) => width === TILE_WIDTH)) {
    const parent = hashesOf(read(tile.level + 1, Math.floor(tile.index / TILE_WIDTH)))[tile.index % TILE_WIDTH];
    const isOwn = parent !== undefined && isSameHash(rootOf(hashesOf(read(tile.level, tile.index))), parent);
    if (!isOwn) throw new TlogFault(`the tile ${tilePath(tile)} or the one above it is damaged`);
  }
  const node = nodesOfTiles(read);
  if (isSameHash(rootAt(node, head.size), head.root)) return node;
  throw new TlogFault('its tiles are not those of its own checkpoint');
}

/** Returns the tiles of the proof, of the root, and above full ones. They are found by computing both with empty tiles. */
function neededTiles(size: number, from: number): readonly NeededTile[] {
  const needed = new Map<string, NeededTile>();
  const add = (level: number, index: number): void => {
    const width = tileWidth(size, level, index);
    if (needed.has(nameOf(level, index))) return;
    needed.set(nameOf(level, index), { level, index, width });
    if (width === TILE_WIDTH) add(level + 1, Math.floor(index / TILE_WIDTH));
  };
  const node = nodesOfTiles((level, index) => {
    add(level, index);
    return new Uint8Array();
  });
  consistencyProof(node, from, size);
  rootAt(node, size);
  return [...needed.values()];
}

function nameOf(level: number, index: number): string {
  return `${level}/${index}`;
}
