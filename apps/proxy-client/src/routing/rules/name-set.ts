/** What a name in a set matches. A name may have several. */
export const Kind = {
  /** The name itself. */
  exact: 1,
  /** All names below it, at any depth. */
  below: 2,
  /** The name, and all names below it. */
  both: 4,
  /** The names one level below it. */
  oneLevel: 8,
  /** As `both`, and exceptions do not apply: {@link NameSet.find} returns Infinity. */
  important: 16,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** The maximum length of a name. */
export const MAX_NAME = 253;

const KIND_BITS = 31;
const ITSELF = Kind.exact | Kind.both | Kind.important;
const BELOW = Kind.below | Kind.both | Kind.important;
const ONE_LEVEL_BELOW = BELOW | Kind.oneLevel;
const MAX_LABEL = 63;

/** The number of each character that names consist of, from 1; 0 for others. */
const NUMBER_OF = new Uint8Array(256);
for (const [index, code] of Buffer.from('abcdefghijklmnopqrstuvwxyz0123456789-_.').entries())
  NUMBER_OF[code] = index + 1;
/** The number of the dot, the last one. */
const DOT = 39;
const NUMBERS = 40;

function numberOf(code: number): number {
  return code < NUMBER_OF.length ? (NUMBER_OF[code] ?? 0) : 0;
}
/** The words of a hash: two that are stored, and one for the slot. */
const WORDS = 3;

/**
 * Random words for each character at each distance from the end of a name. Their combination by XOR (simple tabulation) is a hash for
 * which linear probing takes a constant time, whatever the names: names that collide cannot be chosen without knowing the words.
 */
let words: Uint32Array | undefined;
function randomWords(): Uint32Array {
  if (words !== undefined) return words;
  words = new Uint32Array(NUMBERS * WORDS * MAX_NAME);
  for (let at = 0; at < words.length; at += RANDOM_WORDS) crypto.getRandomValues(words.subarray(at, at + RANDOM_WORDS));
  return words;
}

/** The maximum of one call of `getRandomValues`. */
const RANDOM_WORDS = 16_384;

/** The hash of a name, whose characters are added from its end. */
class NameHash {
  first = 0;
  second = 0;
  slot = 0;
  readonly #random = randomWords();
  #row = 0;

  /** Starts with the next name. */
  reset(): this {
    this.first = 0;
    this.second = 0;
    this.slot = 0;
    this.#row = 0;
    return this;
  }

  add(number: number): void {
    const word = this.#row + number * WORDS;
    this.first ^= this.#random[word] ?? 0;
    this.second ^= this.#random[word + 1] ?? 0;
    this.slot ^= this.#random[word + 2] ?? 0;
    this.#row += NUMBERS * WORDS;
  }
}

/** One object for all names: that of each of a million names would be garbage. */
let scratch: NameHash | undefined;
function newHash(): NameHash {
  scratch ??= new NameHash();
  return scratch.reset();
}

/** The number of names in the largest piece of memory, of a megabyte, for names without an index. */
const MAX_PIECE = 87_381;
/** The bits of the filter for each name, at least: then at most an eighth of the look-ups pass it in vain. */
const FILTER_BITS = 8;
/** The number of names per step of {@link NameSet.index}: about a millisecond. */
const NAMES_A_STEP = 10_000;

/**
 * A set of domain names that needs 11 bytes for each, whatever its length: it stores 59 bits of a keyed hash instead of the name, in a
 * slot that is selected by 32 further bits. The probability that another name has the same ones is 10^-17 for a look-up, also if
 * names are chosen for that purpose (docs/adr/0305).
 *
 * The hash is computed from the end of a name, so that one pass over a requested name finds all domains that contain it.
 */
export class NameSet {
  /** The hashes of names before {@link index}. */
  #pieces: Uint32Array[] = [];
  #piece = new Uint32Array(0);
  #used = 0;
  #added = 0;
  /** Two words for each slot: the kinds are in the low bits of the first. */
  #slots: Uint32Array | undefined;
  /**
   * A Bloom filter with one hash: a bit for each value of the low bits of the second word. Most look-ups of the domains above a name
   * end here, in memory that the cache of the processor holds, unlike the slots of a large set.
   */
  #filter = new Uint32Array(1);
  #size = 0;

  /**
   * Adds a name; {@link index} must be called after the last.
   *
   * @param name - lower-case letters, digits, hyphens, underscores and dots, 1 to 253 characters
   */
  add(name: string, kind: Kind): void {
    const hash = newHash();
    for (let index = name.length - 1; index >= 0; index -= 1) hash.add(NUMBER_OF[name.charCodeAt(index)] ?? 0);
    this.#append(hash, kind);
  }

  /**
   * Adds the name in a range of bytes.
   *
   * @returns false if they are not a name as {@link add} accepts it, with at least one dot
   */
  addBytes(bytes: Uint8Array, from: number, to: number, kind: Kind): boolean {
    if (!isPlainName(bytes, from, to)) return false;
    const hash = newHash();
    for (let index = to - 1; index >= from; index -= 1) hash.add(NUMBER_OF[bytes[index] ?? 0] ?? 0);
    this.#append(hash, kind);
    return true;
  }

  /** The number of different names and kinds. */
  get size(): number {
    return this.#size;
  }

  /** As {@link index}, for few names. */
  indexNow(): void {
    const steps = this.index();
    while (steps.next().done !== true);
  }

  /** Makes the added names effective, in steps. No name may be added later. */
  *index(): Generator<undefined> {
    if (this.#added === 0) return;
    const slots = new Uint32Array(2 * Math.ceil((this.#added * 4) / 3 + 1));
    this.#filter = new Uint32Array(2 ** Math.ceil(Math.log2((this.#added * FILTER_BITS) / 32 + 1)));
    const pieces = this.#pieces;
    let left = this.#added;
    let sinceStep = 0;
    for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
      const end = WORDS * Math.min(left, piece.length / WORDS);
      left -= end / WORDS;
      for (let at = 0; at < end; at += WORDS) {
        this.#insert(slots, piece[at] ?? 0, piece[at + 1] ?? 0, piece[at + 2] ?? 0);
        sinceStep += 1;
        if (sinceStep === NAMES_A_STEP) {
          sinceStep = 0;
          yield;
        }
      }
    }
    this.#piece = new Uint32Array(0);
    this.#added = 0;
    this.#slots = slots;
  }

  /**
   * Returns the length of the longest entry that matches a name: 0 if none does, Infinity if an important one does.
   *
   * @param name - in lower case as A-labels, without a final dot
   */
  find(name: string): number {
    const slots = this.#slots;
    const filter = this.#filter;
    if (slots === undefined) return 0;
    const last = name.length - 1;
    const firstDot = name.indexOf('.');
    // The work is bounded, however long the requested name is.
    const end = Math.max(0, name.length - MAX_NAME);
    const hash = newHash();
    let found = 0;
    let kinds = 0;
    for (let index = last; index >= end; index -= 1) {
      const number = numberOf(name.charCodeAt(index));
      if (number === 0) return lengthOf(found, kinds);
      if (number === DOT && index < last) {
        const matching = kindsOf(slots, filter, hash) & (index === firstDot ? ONE_LEVEL_BELOW : BELOW);
        // From the end of the name: the next entry is longer.
        if (matching !== 0) found = last - index;
        kinds |= matching;
      }
      hash.add(number);
    }
    const matching = kindsOf(slots, filter, hash) & lastMask(name, end);
    return lengthOf(matching === 0 ? found : name.length - end, kinds | matching);
  }

  #append({ first, second, slot }: NameHash, kind: Kind): void {
    if (this.#slots !== undefined) throw new TypeError('The set is indexed already.');
    if (this.#used === this.#piece.length) {
      const names = Math.min(MAX_PIECE, Math.max(16, (2 * this.#piece.length) / WORDS));
      this.#piece = new Uint32Array(WORDS * names);
      this.#pieces.push(this.#piece);
      this.#used = 0;
    }
    this.#piece[this.#used] = (first & ~KIND_BITS) | kind;
    this.#piece[this.#used + 1] = second;
    this.#piece[this.#used + 2] = slot;
    this.#used += WORDS;
    this.#added += 1;
  }

  #insert(slots: Uint32Array, first: number, second: number, slot: number): void {
    const filter = this.#filter;
    const word = (second >>> 5) & (filter.length - 1);
    filter[word] = (filter[word] ?? 0) | (1 << (second & 31));
    let at = 2 * (slot % (slots.length / 2));
    for (;;) {
      const stored = slots[at] ?? 0;
      if ((stored & KIND_BITS) === 0) break;
      if (((stored ^ first) & ~KIND_BITS) === 0 && slots[at + 1] === second) {
        this.#size += Number((stored & first & KIND_BITS) === 0);
        slots[at] = stored | first;
        return;
      }
      at = at + 2 === slots.length ? 0 : at + 2;
    }
    slots[at] = first;
    slots[at + 1] = second;
    this.#size += 1;
  }
}

/** Returns the kinds of the name with a hash; 0 if it is not in the set. */
function kindsOf(slots: Uint32Array, filter: Uint32Array, { first, second, slot }: NameHash): number {
  if ((((filter[(second >>> 5) & (filter.length - 1)] ?? 0) >>> (second & 31)) & 1) === 0) return 0;
  let at = 2 * ((slot >>> 0) % (slots.length / 2));
  for (;;) {
    const stored = slots[at] ?? 0;
    const kinds = stored & KIND_BITS;
    if (kinds === 0) return 0;
    if (((stored ^ first) & ~KIND_BITS) === 0 && slots[at + 1] === second >>> 0) return kinds;
    at = at + 2 === slots.length ? 0 : at + 2;
  }
}

/** Returns the kinds that match the part of a name from an index, the longest that is looked up. */
function lastMask(name: string, from: number): number {
  if (from === 0) return ITSELF;
  return name[from - 1] === '.' ? BELOW : 0;
}

function lengthOf(length: number, kinds: number): number {
  return (kinds & Kind.important) === 0 ? length : Infinity;
}

/** Returns whether bytes are labels with dots between them. */
function isPlainName(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > MAX_NAME) return false;
  let start = from;
  for (let index = from; index < to; index += 1) {
    const number = NUMBER_OF[bytes[index] ?? 0] ?? 0;
    if (number === 0) return false;
    if (number !== DOT) continue;
    if (!isLabel(index - start)) return false;
    start = index + 1;
  }
  return start > from && isLabel(to - start);
}

function isLabel(length: number): boolean {
  return length > 0 && length <= MAX_LABEL;
}
