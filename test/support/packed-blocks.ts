import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const LENGTH_BYTES = 4;

/** Packs blocks into one small file: each with its length before it, all compressed with zstd. */
export function packBlocks(blocks: readonly Uint8Array[]): Buffer {
  const parts = blocks.flatMap((block) => {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(block.length);
    return [length, block];
  });
  return zstdCompressSync(Buffer.concat(parts), { params: { [constants.ZSTD_c_compressionLevel]: 19 } });
}

/** Returns the blocks of a file that {@link packBlocks} wrote. */
export function unpackBlocks(packed: Uint8Array): Uint8Array[] {
  const bytes = zstdDecompressSync(packed);
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const start = at + LENGTH_BYTES;
    at = start + bytes.readUInt32BE(at);
    blocks.push(new Uint8Array(bytes.subarray(start, at)));
  }
  return blocks;
}
