import { describe, expect, it } from '@jest/globals';
import { EMPTY_ROOT, leafHash } from './merkle.js';
import { consistencyProof, inclusionProof, pathAmong, rootAt } from './proofs.js';
import * as reference from './testing/reference-tree.js';
import {
  entryBundle,
  nodesOfTiles,
  parseEntryBundle,
  parseTilePath,
  TileBuilder,
  tilePath,
  tileWidth,
  type Tile,
} from './tiles.js';

const leaves = Array.from({ length: 70_000 }, (_, index) => leafHash(Buffer.from(`entry ${index}`)));

/** The tiles of a tree, as a store would hold them: only the last one of a place. */
function tilesOf(builder: TileBuilder, tiles = new Map<string, Uint8Array>()) {
  for (const { level, index, bytes } of builder.take()) tiles.set(`${level}/${index}`, bytes);
  return tiles;
}
const readFrom = (tiles: ReadonlyMap<string, Uint8Array>) => (level: number, index: number) =>
  tiles.get(`${level}/${index}`)!;
/** Hashes as text, which Jest compares a hundred times faster than lists of bytes. */
const textOf = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('hex')).join(' ');

describe('a tree of tiles', () => {
  it('has the roots and proofs of the definition at every size', () => {
    const builder = new TileBuilder();
    const tiles = new Map<string, Uint8Array>();
    const node = nodesOfTiles(readFrom(tiles));
    expect(rootAt(node, 0)).toEqual(EMPTY_ROOT);
    const roots = [textOf([EMPTY_ROOT])];
    for (let size = 1; size <= 40; size++) {
      builder.append(leaves[size - 1]!);
      tilesOf(builder, tiles);
      const some = leaves.slice(0, size);
      roots.push(textOf([reference.rootOf(some)]));
      expect(textOf([builder.root()])).toBe(roots[size]);
      for (let index = 0; index < size; index++) {
        const path = textOf(reference.inclusionProof(some, index));
        expect(textOf(inclusionProof(node, index, size))).toBe(path);
        expect(textOf(pathAmong(some, index))).toBe(path);
        expect(textOf(consistencyProof(node, index, size))).toBe(textOf(reference.consistencyProof(some, index)));
        expect(textOf([rootAt(node, index)])).toBe(roots[index]);
      }
      expect(consistencyProof(node, size, size)).toEqual([]);
    }
  });

  it('has the tiles of the specification: 70,000 leaves', () => {
    const builder = new TileBuilder();
    for (const leaf of leaves) builder.append(leaf);
    const tiles = builder.take();
    const widths = (level: number) => tiles.filter((tile) => tile.level === level).map(({ width }) => width);
    expect(widths(0)).toEqual([...Array<number>(273).fill(256), 112]);
    expect(widths(1)).toEqual([256, 17]);
    expect(widths(2)).toEqual([1]);
    expect(tiles).toHaveLength(277);
    for (const { level, index, width } of tiles) expect(tileWidth(70_000, Number(level), index)).toBe(width);
    expect([tileWidth(70_000, 0, 274), tileWidth(70_000, 3, 0), tileWidth(256, 1, 0)]).toEqual([0, 0, 1]);
    expect(builder.root()).toEqual(reference.rootOf(leaves));
  });

  it('is continued from its stored tiles', () => {
    for (const size of [1, 255, 256, 257, 600, 65_536, 66_000]) {
      const first = new TileBuilder();
      for (const leaf of leaves.slice(0, size)) first.append(leaf);
      const tiles = tilesOf(first);
      const second = new TileBuilder(size, readFrom(tiles));
      expect(second.root()).toEqual(first.root());
      for (const leaf of leaves.slice(size, size + 600)) second.append(leaf);
      expect(second.size).toBe(size + 600);
      expect(second.root()).toEqual(reference.rootOf(leaves.slice(0, size + 600)));
      const node = nodesOfTiles(readFrom(tilesOf(second, tiles)));
      expect(rootAt(node, size)).toEqual(first.root());
      expect(consistencyProof(node, size, size + 600)).toEqual(
        reference.consistencyProof(leaves.slice(0, size + 600), size),
      );
    }
  });

  it('has no proof of a leaf or a size beyond it', () => {
    const node = nodesOfTiles(() => new Uint8Array());
    expect(() => inclusionProof(node, 3, 3)).toThrow(RangeError);
    expect(() => consistencyProof(node, 4, 3)).toThrow(RangeError);
  });
});

describe('the path of a tile', () => {
  it.each<[Tile, string]>([
    [{ level: 0, index: 1_234_067, width: 256 }, 'tile/0/x001/x234/067'],
    [{ level: 1, index: 0, width: 17 }, 'tile/1/000.p/17'],
    [{ level: 'entries', index: 273, width: 112 }, 'tile/entries/273.p/112'],
    [{ level: 'entries', index: 1000, width: 256 }, 'tile/entries/x001/000'],
  ])('%j is %s', (tile, path) => {
    expect(tilePath(tile)).toBe(path);
    expect(parseTilePath(path)).toEqual(tile);
  });

  it.each([
    '',
    'tile/0/',
    'tile/0/0',
    'tile/0/0000',
    'tile/0/x000/067',
    'tile/0/001/067',
    'tile/00/067',
    'tile/7/000',
    'tile/-1/000',
    'tile/other/000',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/0/000.p/',
    'tile/0/000/',
    '/tile/0/000',
    `tile/0/${'x999/'.repeat(5)}999`,
  ])('is not %j', (path) => {
    expect(parseTilePath(path)).toBeUndefined();
  });
});

describe('a bundle of entries', () => {
  it('is read again, and not if it was cut', () => {
    const entries = ['', 'one', 'x'.repeat(300)].map((text) => Buffer.from(text));
    const bytes = entryBundle(entries);
    expect(bytes.subarray(0, 7)).toEqual(Buffer.from('\0\0\0\x03one'));
    expect(parseEntryBundle(bytes)).toEqual(entries);
    expect(parseEntryBundle(bytes.subarray(0, -1))).toBeUndefined();
    expect(parseEntryBundle(bytes.subarray(0, 3))).toBeUndefined();
  });
});
