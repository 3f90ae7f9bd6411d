import type { SectionMemory } from '../http/section-memory.js';

/** Bytes that are held while a request is served; beyond that, reading stops. */
const MAX_HELD = 65_536;

/** Bytes that a client has sent early: of its next request, or for a tunnel that is being opened. */
export class HeldBytes {
  readonly #memory: SectionMemory;
  #bytes: Buffer | undefined;

  constructor(memory: SectionMemory) {
    this.#memory = memory;
  }

  get isEmpty(): boolean {
    return this.#bytes === undefined;
  }

  /** Whether no more bytes should be read. */
  get isFull(): boolean {
    return (this.#bytes?.length ?? 0) >= MAX_HELD;
  }

  /**
   * Adds bytes.
   *
   * @param isOwned - whether they stay unchanged after the call
   * @returns whether more may be read
   */
  add(bytes: Buffer, isOwned: boolean): boolean {
    if (this.#bytes !== undefined) this.#bytes = Buffer.concat([this.#bytes, bytes]);
    else this.#bytes = isOwned ? bytes : Buffer.from(bytes);
    const hasMemory = this.#memory.hold(bytes.length);
    return hasMemory && !this.isFull;
  }

  /** Removes and returns all bytes. */
  take(): Buffer | undefined {
    const bytes = this.#bytes;
    this.#bytes = undefined;
    this.#memory.releaseHeld(bytes?.length ?? 0);
    return bytes;
  }
}
