/** Most entries of new blocks in memory: those of a second at the highest rate. Others are read again from the store. */
const MAX_ENTRIES = 4096;

/** The entries of the newest blocks, until they are read. */
export class RecentEntries {
  #first = 0;
  #entries: Uint8Array[] = [];

  add(number: number, entry: Uint8Array): void {
    const isNext = number === this.#first + this.#entries.length;
    if (!isNext || this.#entries.length === MAX_ENTRIES) this.#entries = [];
    if (this.#entries.length === 0) this.#first = number;
    this.#entries.push(entry);
  }

  /** Returns the entries from a block on, and forgets them; undefined if that of the block is not there. */
  from(number: number): readonly Uint8Array[] | undefined {
    const index = number - this.#first;
    if (index < 0 || index >= this.#entries.length) return undefined;
    const entries = this.#entries.slice(index);
    this.#entries = [];
    return entries;
  }
}
