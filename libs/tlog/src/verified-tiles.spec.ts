import { beforeAll, describe, expect, it } from '@jest/globals';
import { isConsistent, leafHash, type TreeHead } from './merkle.js';
import { consistencyProof } from './proofs.js';
import { TlogFault } from './text.js';
import { TileBuilder, tilePath } from './tiles.js';
import { verifiedTiles } from './verified-tiles.js';

const SIZES = [1, 200, 256, 300, 66_000];

/** The tiles and the head of a tree, which has tiles of three levels. */
function treeOf(size: number): { readonly head: TreeHead; readonly tiles: ReadonlyMap<string, Uint8Array> } {
  const builder = new TileBuilder();
  for (let n = 0; n < size; n++) builder.append(leafHash(Buffer.from(`entry ${n}`)));
  return {
    head: { size, root: builder.root() },
    tiles: new Map(builder.take().map((tile) => [tilePath(tile), tile.bytes])),
  };
}

describe('the verified tiles of a log', () => {
  let trees: ReadonlyMap<number, ReturnType<typeof treeOf>>;
  beforeAll(() => {
    trees = new Map(SIZES.map((size) => [size, treeOf(size)]));
  });

  const pairs = SIZES.flatMap((to) => SIZES.filter((from) => from < to).map((from) => [from, to] as const));

  it.each(pairs)(
    'prove that %i entries are the first of %i, and a flipped bit of any of them is a fault',
    async (from, to) => {
      const { head, tiles } = trees.get(to)!;
      const fetched: string[] = [];
      const fetchTile = (path: string): Promise<Uint8Array> => {
        fetched.push(path);
        return Promise.resolve(tiles.get(path)!);
      };
      const node = await verifiedTiles(head, from, fetchTile);
      expect(isConsistent(trees.get(from)!.head, head, consistencyProof(node, from, to))).toBe(true);
      for (const damaged of fetched) {
        const flipping = (path: string): Promise<Uint8Array> => {
          const bytes = Buffer.from(tiles.get(path)!);
          // In the last hash, which a proof of the first entries does not use.
          if (path === damaged) bytes[bytes.length - 1]! ^= 1;
          return Promise.resolve(bytes);
        };
        await expect(verifiedTiles(head, from, flipping)).rejects.toThrow(TlogFault);
      }
    },
  );

  it('are a fault when one is cut', async () => {
    const { head, tiles } = trees.get(300)!;
    const cut = (path: string): Promise<Uint8Array> => Promise.resolve(tiles.get(path)!.subarray(0, 32));
    await expect(verifiedTiles(head, 200, cut)).rejects.toThrow('has another length');
  });
});
