import { CompactRange, rootOf } from './compact-range.js';
import { HASH_BYTES } from './merkle.js';
import { completeRoots, type NodeReader } from './proofs.js';

// A Merkle tree as static files (https://c2sp.org/tlog-tiles).

/** Levels of the tree in one tile: the hashes of a level of tiles are those of every eighth level of the tree. */
const TILE_LEVELS = 8;
/** Hashes of a full tile, and entries of a full bundle. */
export const TILE_WIDTH = 256;
/** The highest level of tiles of a tree with up to 2^53 leaves. */
const MAX_LEVEL = 6;

/** Widths of partial tiles are 1 to 255; {@link tilePath} has the one spelling of an index. */
const PATH =
  /^tile\/(?<level>entries|[0-6])\/(?<index>[x0-9/]+)(?:\.p\/(?<width>[1-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5]))?$/;

/** A tile of hashes, or a bundle of the entries whose hashes are in a tile of level 0. */
export interface Tile {
  readonly level: number | 'entries';
  readonly index: number;
  /** 1 to 256. */
  readonly width: number;
}

/** Returns the path of a tile below the log's prefix, such as `tile/0/x001/067.p/5`. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g) ?? [];
  const path = groups.map((group, place) => (place < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${path}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** Parses the path of a tile; returns undefined for other text, and for other spellings of a path. */
export function parseTilePath(path: string): Tile | undefined {
  const groups = PATH.exec(path)?.groups;
  if (groups === undefined) return undefined;
  const { level = '', index = '', width = TILE_WIDTH } = groups;
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(index.replace(/[x/]/g, '')),
    width: Number(width),
  };
  return Number.isSafeInteger(tile.index) && tilePath(tile) === path ? tile : undefined;
}

/** Returns how many hashes of a tile exist in a tree of that size; 0 for none, 256 for a full tile. */
export function tileWidth(size: number, level: number, index: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level) - index * TILE_WIDTH;
  return Math.min(Math.max(hashes, 0), TILE_WIDTH);
}

/** Returns the bytes of a bundle: each entry after its length in two bytes. */
export function entryBundle(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}

/** Parses the bytes of a bundle; returns undefined if they are cut. */
export function parseEntryBundle(bytes: Uint8Array): Uint8Array[] | undefined {
  const bundle = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: Uint8Array[] = [];
  for (let offset = 0; offset < bundle.length;) {
    if (offset + 2 > bundle.length) return undefined;
    const end = offset + 2 + bundle.readUInt16BE(offset);
    if (end > bundle.length) return undefined;
    entries.push(bundle.subarray(offset + 2, end));
    offset = end;
  }
  return entries;
}

/** Returns the joined hashes of a tile, of which there may be more than its width. */
export type TileReader = (level: number, index: number) => Uint8Array;

/** Returns the reader of a tree's nodes from its tiles. A tile must contain the requested hashes. */
export function nodesOfTiles(read: TileReader): NodeReader {
  return (level, index) => {
    const tileLevel = Math.floor(level / TILE_LEVELS);
    const count = 2 ** (level - tileLevel * TILE_LEVELS);
    const first = (index * count) % TILE_WIDTH;
    const tile = read(tileLevel, Math.floor((index * count) / TILE_WIDTH));
    return rootOf(hashesOf(tile).slice(first, first + count));
  };
}

/** Splits the joined hashes of a tile. */
export function hashesOf(tile: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.floor(tile.length / HASH_BYTES) }, (_, index) =>
    tile.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
}

/** Builds the tiles of a tree that grows at its end. Of each level only the last tile, which is not full yet, is in memory. */
export class TileBuilder {
  readonly #range: CompactRange;
  /** By level of tiles. */
  readonly #open: { index: number; hashes: Uint8Array[] }[];
  #full: (Tile & { readonly bytes: Uint8Array })[] = [];

  /**
   * @param size - the number of leaves of a tree that is continued
   * @param read - reads its tiles
   */
  constructor(size = 0, read: TileReader = () => new Uint8Array()) {
    this.#open = Array.from({ length: MAX_LEVEL + 1 }, (_, level) => {
      const index = Math.floor(size / TILE_WIDTH ** (level + 1));
      const width = tileWidth(size, level, index);
      return { index, hashes: width === 0 ? [] : hashesOf(read(level, index)).slice(0, width) };
    });
    const roots = completeRoots(nodesOfTiles(read), size);
    this.#range = new CompactRange({ size, roots }, (level, hash) => {
      if (level % TILE_LEVELS === 0) this.#add(level / TILE_LEVELS, hash);
    });
  }

  get size(): number {
    return this.#range.size;
  }

  append(leaf: Uint8Array): void {
    this.#range.append(leaf);
  }

  root(): Uint8Array {
    return this.#range.root();
  }

  /** Returns the tiles that became full since the last call, and the last tile of each level if it is not empty. */
  take(): readonly (Tile & { readonly bytes: Uint8Array })[] {
    const full = this.#full;
    this.#full = [];
    const open = this.#open.flatMap(({ index, hashes }, level) =>
      hashes.length === 0 ? [] : [{ level, index, width: hashes.length, bytes: Buffer.concat(hashes) }],
    );
    return [...full, ...open];
  }

  #add(level: number, hash: Uint8Array): void {
    const tile = this.#open[level];
    if (tile === undefined) return;
    tile.hashes.push(hash);
    if (tile.hashes.length < TILE_WIDTH) return;
    this.#full.push({ level, index: tile.index, width: TILE_WIDTH, bytes: Buffer.concat(tile.hashes) });
    this.#open[level] = { index: tile.index + 1, hashes: [] };
  }
}
