import { types } from 'node:util';
import { constants, createZstdCompress, zstdCompressSync, zstdDecompressSync, type ZstdOptions } from 'node:zlib';

/** The cheapest level. Higher ones gain nothing on blocks, which consist of literal repetitions. */
const PARAMETERS = { [constants.ZSTD_c_compressionLevel]: 1 };

/** Larger blocks are rare; a buffer for them would be retained for good. */
const MAX_REUSED = 1024 * 1024;

/** How frames are compressed. */
export interface FrameOptions extends ZstdOptions {
  readonly dictionary: Uint8Array;
}

/** Returns the options that blocks are compressed with. */
export function packing(dictionary: Uint8Array): FrameOptions {
  return { params: PARAMETERS, dictionary };
}

/** Compresses blocks with zstd, each as its own frame (RFC 8878). */
export class BlockPacker {
  readonly #options: FrameOptions;
  #reused: ReusedCompressor | undefined;

  /**
   * @param dictionary - bytes that most blocks contain
   * @param reused - undefined to create a compressor for each block
   */
  constructor(dictionary: Uint8Array, reused = ReusedCompressor.open(packing(dictionary))) {
    this.#options = packing(dictionary);
    this.#reused = reused;
  }

  /** Returns the compressed bytes, which are valid until the next call. */
  pack(bytes: Uint8Array): Uint8Array {
    if (bytes.length <= MAX_REUSED) {
      const packed = this.#reused?.compress(bytes);
      if (packed !== undefined) return packed;
      this.#reused = undefined;
    }
    // Most blocks shrink to an eighth; by default each would get a buffer of 16 KB, however small it is.
    const chunkSize = Math.max(1024, bytes.length >> 3);
    return zstdCompressSync(bytes, { ...this.#options, chunkSize });
  }
}

/** Node's engine of a node:zlib stream. Neither it nor its call is documented, so its results are checked. */
export interface Engine {
  writeSync(
    flush: number,
    input: Uint8Array,
    inputStart: number,
    inputLength: number,
    output: Uint8Array,
    outputStart: number,
    outputLength: number,
  ): void;
}

/** The parts of a node:zlib stream that a {@link ReusedCompressor} uses. */
export interface EngineOwner {
  readonly _handle?: Partial<Engine> | null;
  /** Free bytes of the output after a call, and bytes of the input that it has not consumed. */
  readonly _writeState?: unknown;
}

/** Creates a stream whose engine has the options; nothing is written to the stream itself. */
export function engineOwner(options: ZstdOptions): EngineOwner {
  const stream = createZstdCompress(options);
  // The engine reports its errors there; compress() detects them by the unchanged state.
  stream.on('error', () => undefined);
  return stream as unknown as EngineOwner;
}

/** The state that a failed call leaves unchanged. */
const UNREPORTED = 0xffffffff;

/**
 * A zstd compressor that produces one frame after another. `zstdCompressSync` creates a stream and an engine for each
 * frame, which costs ten times as much as compressing one transaction, and leaves them to the garbage collector.
 */
export class ReusedCompressor {
  readonly #engine: Engine;
  readonly #state: Uint32Array;
  #output = Buffer.alloc(0);

  private constructor(engine: Engine, state: Uint32Array) {
    this.#engine = engine;
    this.#state = state;
  }

  /** Returns undefined where this version of Node has no such engine or its results are wrong. */
  static open(options: FrameOptions, owner = engineOwner(options)): ReusedCompressor | undefined {
    const { _handle: engine, _writeState: state } = owner;
    if (typeof engine?.writeSync !== 'function' || !types.isUint32Array(state) || state.length < 2) return undefined;
    const compressor = new ReusedCompressor(engine as Engine, state);
    return compressor.#works(options.dictionary) ? compressor : undefined;
  }

  /**
   * Compresses bytes as one frame.
   * @returns the frame, valid until the next call; undefined on failure, after which this compressor cannot be used
   */
  compress(input: Uint8Array): Uint8Array | undefined {
    const room = input.length + (input.length >> 6) + 1024;
    if (this.#output.length < room) this.#output = Buffer.allocUnsafeSlow(room);
    const [output, state] = [this.#output, this.#state];
    state.fill(UNREPORTED, 0, 2);
    try {
      this.#engine.writeSync(constants.ZSTD_e_end, input, 0, input.length, output, 0, output.length);
    } catch {
      return undefined;
    }
    const [free = UNREPORTED, left = UNREPORTED] = state;
    // A full output buffer may hold an incomplete frame.
    if (left !== 0 || free === 0 || free >= output.length) return undefined;
    return output.subarray(0, output.length - free);
  }

  #works(dictionary: Uint8Array): boolean {
    try {
      return ['first', 'first, second', 'third'.repeat(1000)].every((text) => {
        const frame = this.compress(Buffer.from(text));
        return frame !== undefined && zstdDecompressSync(frame, { dictionary }).toString() === text;
      });
    } catch {
      return false;
    }
  }
}
