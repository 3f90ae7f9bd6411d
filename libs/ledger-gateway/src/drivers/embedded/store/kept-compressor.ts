import { types } from 'node:util';
import { constants, createZstdCompress, zstdDecompressSync, type ZstdOptions } from 'node:zlib';

/** Node's engine behind a stream of node:zlib. Neither it nor its call is documented, so what it gives is checked. */
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

/** What a stream of node:zlib is to a {@link KeptCompressor}. */
export interface EngineOwner {
  readonly _handle?: Partial<Engine> | null;
  /** Bytes of the output that are free after a call, and bytes of the input that it has not taken. */
  readonly _writeState?: unknown;
}

/** How frames are made. */
export interface FrameOptions extends ZstdOptions {
  readonly dictionary: Uint8Array;
}

/** What a call leaves there that has not come to its end. */
const UNTOLD = 0xffffffff;

/**
 * A zstd compressor that makes one frame after the other. `zstdCompressSync` makes a stream and an engine for each frame,
 * which costs ten times as much as packing one transaction, and leaves them to the garbage collector.
 */
export class KeptCompressor {
  readonly #engine: Engine;
  readonly #state: Uint32Array;
  #output = Buffer.alloc(0);

  private constructor(engine: Engine, state: Uint32Array) {
    this.#engine = engine;
    this.#state = state;
  }

  /** Undefined where this Node has no such engine, or it does something else than here. */
  static open(options: FrameOptions, owner = engineOwner(options)): KeptCompressor | undefined {
    const { _handle: engine, _writeState: state } = owner;
    if (typeof engine?.writeSync !== 'function' || !types.isUint32Array(state) || state.length < 2) return undefined;
    const kept = new KeptCompressor(engine as Engine, state);
    return kept.#isSound(options.dictionary) ? kept : undefined;
  }

  /**
   * A frame of its own.
   * @returns undefined when it could not be made here: this compressor is then not to be used again. The bytes are there
   * until the next call.
   */
  compress(input: Uint8Array): Uint8Array | undefined {
    const room = input.length + (input.length >> 6) + 1024;
    if (this.#output.length < room) this.#output = Buffer.allocUnsafeSlow(room);
    const [output, state] = [this.#output, this.#state];
    state.fill(UNTOLD, 0, 2);
    try {
      this.#engine.writeSync(constants.ZSTD_e_end, input, 0, input.length, output, 0, output.length);
    } catch {
      return undefined;
    }
    const [free = UNTOLD, left = UNTOLD] = state;
    // Without any room left nobody knows whether the frame is whole.
    if (left !== 0 || free === 0 || free >= output.length) return undefined;
    return output.subarray(0, output.length - free);
  }

  #isSound(dictionary: Uint8Array): boolean {
    return ['first', 'first, second', 'third'.repeat(1000)].every((text) => {
      const frame = this.compress(Buffer.from(text));
      return frame !== undefined && unpacked(frame, dictionary) === text;
    });
  }
}

function unpacked(frame: Uint8Array, dictionary: Uint8Array): string | undefined {
  try {
    return zstdDecompressSync(frame, { dictionary }).toString();
  } catch {
    return undefined;
  }
}

/** A stream whose engine has the options; nothing is written to it in the documented way. */
export function engineOwner(options: ZstdOptions): EngineOwner {
  const stream = createZstdCompress(options);
  // The engine tells its errors there; compress finds them in what it has left undone.
  stream.on('error', () => undefined);
  return stream as unknown as EngineOwner;
}
