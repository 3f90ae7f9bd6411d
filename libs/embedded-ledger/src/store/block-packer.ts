import { types } from 'node:util';
import { constants, createZstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** The cheapest level. Higher ones gain nothing on blocks, which consist of literal repetitions. */
const PARAMETERS = { [constants.ZSTD_c_compressionLevel]: 1 };

/** Larger blocks are rare; a buffer for them would be retained for good. */
const MAX_REUSED = 1024 * 1024;

/** The state that a failed call leaves unchanged. */
const UNREPORTED = 0xffffffff;

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

/** The parts of a node:zlib stream that a {@link BlockPacker} uses. */
export interface EngineOwner {
  readonly _handle?: Partial<Engine> | null;
  /** Free bytes of the output after a call, and bytes of the input that it has not consumed. */
  readonly _writeState?: unknown;
}

/** Creates a stream whose engine compresses with the dictionary; nothing is written to the stream itself. */
export function engineOwner(dictionary: Uint8Array): EngineOwner {
  const stream = createZstdCompress({ params: PARAMETERS, dictionary });
  // The engine reports its errors there; a failed call is detected by the unchanged state.
  stream.on('error', () => undefined);
  return stream as unknown as EngineOwner;
}

/**
 * Compresses blocks with zstd, each as its own frame (RFC 8878), by one engine. `zstdCompressSync` creates a stream and an
 * engine for each frame, which costs ten times as much as compressing one transaction, and leaves them to the garbage
 * collector; it is used where this version of Node has no such engine or its results are wrong.
 */
export class BlockPacker {
  readonly #dictionary: Uint8Array;
  readonly #state: Uint32Array | undefined;
  #engine: Engine | undefined;
  #output = Buffer.alloc(0);

  /** @param dictionary - bytes that most blocks contain */
  constructor(dictionary: Uint8Array, { _handle, _writeState }: EngineOwner = engineOwner(dictionary)) {
    this.#dictionary = dictionary;
    if (typeof _handle?.writeSync !== 'function' || !types.isUint32Array(_writeState)) return;
    this.#engine = _handle as Engine;
    this.#state = _writeState;
    if (!this.#works()) this.#engine = undefined;
  }

  /** Returns the compressed bytes, which are valid until the next call. */
  pack(bytes: Uint8Array): Uint8Array {
    if (bytes.length <= MAX_REUSED) {
      const packed = this.#compress(bytes);
      if (packed !== undefined) return packed;
      // After a failure the engine cannot be used again.
      this.#engine = undefined;
    }
    // Most blocks shrink to an eighth; by default each would get a buffer of 16 KB, however small it is.
    const chunkSize = Math.max(1024, bytes.length >> 3);
    return zstdCompressSync(bytes, { params: PARAMETERS, dictionary: this.#dictionary, chunkSize });
  }

  /** Compresses bytes with the engine; returns undefined on failure. */
  #compress(input: Uint8Array): Uint8Array | undefined {
    if (this.#engine === undefined || this.#state === undefined) return undefined;
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

  #works(): boolean {
    try {
      return ['first', 'first, second', 'third'.repeat(1000)].every((text) => {
        const frame = this.#compress(Buffer.from(text));
        return frame !== undefined && zstdDecompressSync(frame, { dictionary: this.#dictionary }).toString() === text;
      });
    } catch {
      return false;
    }
  }
}
