import { FormatError } from './field-lines.js';

/** Bytes of one account that are not charged: nearly all heads are smaller. */
const UNCHARGED = 8192;
/** The budget of a proxy, in bytes. */
export const SECTION_MEMORY = 64 * 1_048_576;
/** The part of the budget up to which more bytes are read before they are needed. */
const HOLDABLE = 1 / 2;
/** A complete section is text, which V8 frees when it collects garbage. Sections from this size on are worth a collection. */
const LARGE = 65_536;
/** The bytes of released large sections after which a collection starts: V8 itself would wait for 64 MiB in each of its spaces. */
const COLLECTED = 32 * 1_048_576;
/** The part of the budget that an eviction frees, so that the accounts are not sorted for each reservation. */
const FREED = 1 / 16;
/** The part of the budget from which on an account is large: with the default, that of a header of 80 KiB. */
const LARGE_ACCOUNT = 1 / 256;
/** The part of the budget that large accounts may fill; the rest is left to usual ones. */
const FOR_LARGE = 3 / 4;

/**
 * The budget for the header and trailer sections of all connections of a proxy, in both directions: while they are incomplete, and
 * for as long as a complete one is needed. It includes the bytes that are held until a connection is open, or for the next request:
 * of those no more is read when half of the budget is used. When it is exhausted, the accounts that hold the most are evicted, so that a connection
 * with a usual head never suffers from others with large ones. A large account that asks for more is evicted itself, while there is
 * still memory for usual ones: the texts of a stream of large heads, each in place of the one before, would be garbage faster than
 * V8 collects it.
 */
export class SectionMemory {
  readonly #budget: number;
  readonly #collectYoung: (() => void) | undefined;
  #used = 0;
  /** Bytes of large sections that were released since the last collection. */
  #released = 0;
  /** Those that are charged. */
  readonly #accounts = new Set<SectionAccount>();

  /** @param collectYoung - collects the garbage among the objects that were created last */
  constructor(budget: number, collectYoung?: () => void) {
    this.#budget = budget;
    this.#collectYoung = collectYoung;
  }

  /** The charged and held bytes. */
  get used(): number {
    return this.#used;
  }

  /**
   * Counts bytes that were received before they are needed, until {@link releaseHeld}.
   *
   * @returns whether there is memory for more; otherwise the caller stops reading
   */
  hold(bytes: number): boolean {
    this.#used += bytes;
    return this.#used < this.#budget * HOLDABLE;
  }

  /** Subtracts bytes that were held. */
  releaseHeld(bytes: number): void {
    this.#used -= bytes;
  }

  /** @internal */
  change(account: SectionAccount, before: number, after: number): void {
    this.#used += after - before;
    if (after === 0) this.#accounts.delete(account);
    else this.#accounts.add(account);
    if (after <= before) return;
    if (this.#used > this.#budget * FOR_LARGE && after >= this.#budget * LARGE_ACCOUNT) account.evict();
    else if (this.#used > this.#budget) this.#evict(account);
  }

  /** @internal */
  released(bytes: number): void {
    this.#released += bytes;
    if (this.#released < COLLECTED) return;
    this.#released = 0;
    this.#collectYoung?.();
  }

  #evict(asking: SectionAccount): void {
    let largest = 0;
    for (const { charged } of this.#accounts) largest = Math.max(largest, charged);
    if (asking.charged === largest) {
      asking.evict();
      return;
    }
    const limit = this.#budget * (1 - FREED);
    for (const account of [...this.#accounts].reverse().sort((a, b) => b.charged - a.charged)) {
      if (this.#used <= limit) return;
      account.evict();
    }
  }
}

/** The memory of the sections of one connection in one direction. */
export class SectionAccount {
  /** Whether it was evicted: its owner ends. */
  isEvicted = false;
  readonly #memory: SectionMemory;
  readonly #onEvicted: () => void;
  #incomplete = 0;
  #retained = 0;

  /** @param onEvicted - ends the owner, with the failure of a header that is too large; not called during a reservation of its own */
  constructor(memory: SectionMemory, onEvicted: () => void) {
    this.#memory = memory;
    this.#onEvicted = onEvicted;
  }

  /** The bytes that the budget is charged with. */
  get charged(): number {
    const bytes = this.#incomplete + this.#retained;
    return bytes > UNCHARGED && !this.isEvicted ? bytes : 0;
  }

  /**
   * Adds memory of an incomplete section.
   *
   * @throws {@link FormatError} if the budget is exhausted and this account holds the most
   */
  reserve(bytes: number): void {
    this.#change(bytes, 0);
  }

  /** Subtracts memory of an incomplete section. */
  release(bytes: number): void {
    if (bytes > 0) this.#change(-bytes, 0);
  }

  /**
   * Adds the memory of a complete section, until {@link releaseRetained}.
   *
   * @throws {@link FormatError} as {@link reserve}
   */
  retain(bytes: number): void {
    this.#change(0, bytes);
  }

  /** Subtracts the memory of the complete sections. */
  releaseRetained(): void {
    const bytes = this.#retained;
    if (bytes === 0) return;
    this.#change(0, -bytes);
    if (bytes >= LARGE) this.#memory.released(bytes);
  }

  /** @internal */
  evict(): void {
    const { charged } = this;
    this.isEvicted = true;
    this.#memory.change(this, charged, 0);
    if (!this.#isChanging) this.#onEvicted();
  }

  #isChanging = false;

  #change(incomplete: number, retained: number): void {
    const before = this.charged;
    this.#incomplete += incomplete;
    this.#retained += retained;
    const after = this.charged;
    if (before === after) return;
    this.#isChanging = true;
    this.#memory.change(this, before, after);
    this.#isChanging = false;
    if (this.isEvicted) throw new FormatError('header_too_large', 'no memory left for a header of that size');
  }
}
