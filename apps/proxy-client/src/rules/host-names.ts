import { readName } from './host-reading.js';

const LABELS = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const MAX_NAME = 253;
/** Before a name it stands for all that is below that name. */
const BELOW = '*.';
const ANY = '*';

/**
 * Reads what a rule says of names: `intranet`, `*.corp.example` (all that is below it, at any depth, not itself) or `*`.
 *
 * @returns the same in lower case as A-labels, without a dot at its end; undefined when it is none
 */
export function readNamePattern(text: string): string | undefined {
  if (text === ANY) return text;
  const isBelow = text.startsWith(BELOW);
  const name = readName(isBelow ? text.slice(BELOW.length) : text);
  if (name.length > MAX_NAME || !LABELS.test(name)) return undefined;
  return isBelow ? BELOW + name : name;
}

const DOT = 0x2e;
/** A name with a dot in front is the longest entry. */
const MAX_ENTRY = MAX_NAME + 1;
/** FNV-1a, of 32 bits. It begins elsewhere in each process, so that no list can be made for its entries to collide. */
const FNV_PRIME = 0x01_00_01_93;
const HASH_START = Math.trunc(Math.random() * 2 ** 32);

/**
 * Names, to be asked for many. They stand one behind the other in one piece of memory, found by a hash table of places in it:
 * 100,000 of them take 3.5 MiB, and nothing that the garbage collector walks through (docs/adr/0183).
 */
export class HostNames implements Iterable<string> {
  /** Whether any name is one of them. */
  readonly any: boolean;
  /** Names behind a byte for their length each; with a dot in front those that stand for what is below them. */
  readonly #entries: Buffer;
  /** Where entries begin, plus one, by their hashes, or in the next slot that was free; 0 where none does. More than half are free. */
  readonly #slots: Uint32Array;
  /** The end of the entries. */
  #end = 0;

  /** @param patterns - as {@link readNamePattern} gives them */
  constructor(patterns: readonly string[]) {
    this.#entries = Buffer.alloc(patterns.reduce((sum, { length }) => sum + 1 + length, 0));
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * patterns.length + 1)));
    for (const pattern of patterns) this.#add(pattern.startsWith(BELOW) ? pattern.slice(1) : pattern);
    this.any = patterns.includes(ANY);
  }

  /**
   * Whether it is one of them, or below one that stands for what is below it.
   *
   * @param name - in lower case as A-labels, without a dot at its end
   */
  has(name: string): boolean {
    if (this.any) return true;
    // From the end: on the way to the hash of the name lie those of all that it is below.
    let hash = HASH_START;
    const first = Math.max(0, name.length - MAX_ENTRY);
    for (let index = name.length - 1; index >= first; index -= 1) {
      const code = name.charCodeAt(index);
      hash = nextHash(hash, code);
      if ((code === DOT || index === 0) && this.#slots[this.#slotOf(name, index, hash)] !== 0) return true;
    }
    return false;
  }

  /** The patterns, each once. */
  *[Symbol.iterator](): Generator<string> {
    for (let place = 0; place < this.#end;) {
      const start = place + 1;
      place = start + (this.#entries[place] ?? 0);
      const entry = this.#entries.toString('latin1', start, place);
      yield entry.startsWith('.') ? `*${entry}` : entry;
    }
  }

  #add(entry: string): void {
    let hash = HASH_START;
    for (let index = entry.length - 1; index >= 0; index -= 1) hash = nextHash(hash, entry.charCodeAt(index));
    const slot = this.#slotOf(entry, 0, hash);
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = this.#end + 1;
    this.#entries[this.#end] = entry.length;
    this.#end += 1 + this.#entries.write(entry, this.#end + 1, 'latin1');
  }

  /** The slot of the entry that is the rest of a name, or the free one where it would be. */
  #slotOf(name: string, from: number, hash: number): number {
    const last = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & last;
    for (let place = this.#slots[slot] ?? 0; place !== 0; place = this.#slots[slot] ?? 0) {
      if (this.#isAt(place - 1, name, from)) break;
      slot = (slot + 1) & last;
    }
    return slot;
  }

  #isAt(place: number, name: string, from: number): boolean {
    const length = name.length - from;
    if (this.#entries[place] !== length) return false;
    for (let index = 0; index < length; index += 1) {
      if (this.#entries[place + 1 + index] !== name.charCodeAt(from + index)) return false;
    }
    return true;
  }
}

function nextHash(hash: number, code: number): number {
  return Math.imul(hash ^ code, FNV_PRIME);
}
