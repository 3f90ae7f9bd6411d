/** Items that were read from a source and wait to be taken. It stops reading while it is full. */
export class PendingItems {
  readonly #limit: number;
  readonly #source: AsyncIterator<readonly Uint8Array[]>;
  readonly #read: Promise<void>;
  #items: Uint8Array[] = [];
  #bytes = 0;
  #isEnded = false;
  #error: Error | undefined;
  #changed = Promise.withResolvers<undefined>();
  #filled = Promise.withResolvers<undefined>();
  #taken = Promise.withResolvers<undefined>();

  /** @param limit - bytes after which it is full */
  constructor(source: AsyncIterable<readonly Uint8Array[]>, limit: number) {
    this.#limit = limit;
    this.#source = source[Symbol.asyncIterator]();
    this.#read = this.#fill();
  }

  get isFull(): boolean {
    return this.#bytes >= this.#limit;
  }

  /** Resolves when it becomes full, or nothing more is read. */
  get full(): Promise<undefined> {
    return this.#filled.promise;
  }

  /**
   * Waits for an item.
   * @returns false when the source has ended and every item was taken
   * @throws the error of the source
   */
  async arrived(): Promise<boolean> {
    while (this.#items.length === 0 && !this.#isEnded) await this.#changed.promise;
    if (this.#items.length === 0 && this.#error !== undefined) throw this.#error;
    return this.#items.length > 0;
  }

  /** Removes and returns the items, at most about as many bytes as the limit. */
  take(): readonly Uint8Array[] {
    let [count, bytes] = [0, 0];
    while (count < this.#items.length && bytes < this.#limit) bytes += this.#items[count++]?.length ?? 0;
    const taken = this.#items.splice(0, count);
    this.#bytes -= bytes;
    if (!this.isFull && !this.#isEnded) this.#filled = Promise.withResolvers<undefined>();
    this.#taken.resolve(undefined);
    this.#taken = Promise.withResolvers<undefined>();
    return taken;
  }

  /** Stops reading. The source must have been aborted if it may wait. */
  async close(): Promise<void> {
    this.#isEnded = true;
    this.#taken.resolve(undefined);
    await this.#read;
  }

  async #fill(): Promise<void> {
    try {
      for (let next = await this.#source.next(); next.done !== true; next = await this.#source.next()) {
        this.#add(next.value);
        while (this.isFull && !this.#isEnded) await this.#taken.promise;
        if (this.#isEnded) break;
      }
      await this.#source.return?.();
    } catch (error) {
      this.#error = error as Error;
    }
    this.#isEnded = true;
    this.#filled.resolve(undefined);
    this.#changed.resolve(undefined);
  }

  #add(items: readonly Uint8Array[]): void {
    this.#items.push(...items);
    for (const { length } of items) this.#bytes += length;
    if (this.isFull) this.#filled.resolve(undefined);
    this.#changed.resolve(undefined);
    this.#changed = Promise.withResolvers<undefined>();
  }
}
