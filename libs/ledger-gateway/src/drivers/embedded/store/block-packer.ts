import { constants, zstdCompressSync } from 'node:zlib';
import { KeptCompressor, type FrameOptions } from './kept-compressor.js';

/** The level that costs least; higher ones gain nothing on blocks, whose bulk repeats literally. */
const PARAMETERS = { [constants.ZSTD_c_compressionLevel]: 1 };

/** Larger blocks are rare, and room for them would be kept for good. */
const LARGEST_KEPT = 1024 * 1024;

/** Packs blocks with zstd, each as a frame of its own (RFC 8878). */
export class BlockPacker {
  readonly #dictionary: Uint8Array;
  #kept: KeptCompressor | undefined;

  /**
   * @param dictionary - bytes that most blocks contain
   * @param kept - undefined to make a compressor for each block
   */
  constructor(dictionary: Uint8Array, kept = KeptCompressor.open(packing(dictionary))) {
    this.#dictionary = dictionary;
    this.#kept = kept;
  }

  /** The packed bytes, which are there until the next call. */
  pack(bytes: Uint8Array): Uint8Array {
    return (bytes.length > LARGEST_KEPT ? undefined : this.#packKept(bytes)) ?? this.#packAnew(bytes);
  }

  #packKept(bytes: Uint8Array): Uint8Array | undefined {
    const packed = this.#kept?.compress(bytes);
    if (packed === undefined) this.#kept = undefined;
    return packed;
  }

  #packAnew(bytes: Uint8Array): Uint8Array {
    // Most blocks shrink to an eighth; by default each would get 16 KB of room, however small it is.
    const chunkSize = Math.max(1024, bytes.length >> 3);
    return zstdCompressSync(bytes, { ...packing(this.#dictionary), chunkSize });
  }
}

/** How blocks are packed. */
export function packing(dictionary: Uint8Array): FrameOptions {
  return { params: PARAMETERS, dictionary };
}
