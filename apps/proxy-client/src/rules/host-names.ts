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

/** A name with a dot in front is the longest entry. */
const MAX_ENTRY = MAX_NAME + 1;

/** Names, to be asked for many: one Set, made when the configuration is read and shared by all who ask (docs/adr/0110). */
export class HostNames implements Iterable<string> {
  #any = false;
  /** With a dot in front those that stand for what is below them. */
  readonly #entries = new Set<string>();

  /** @param patterns - as {@link readNamePattern} gives them */
  constructor(patterns: Iterable<string> = []) {
    for (const pattern of patterns) this.add(pattern);
  }

  /** @param pattern - as {@link readNamePattern} gives it */
  add(pattern: string): void {
    this.#entries.add(pattern.startsWith(BELOW) ? pattern.slice(1) : pattern);
    this.#any ||= pattern === ANY;
  }

  /** Whether any name is one of them. */
  get any(): boolean {
    return this.#any;
  }

  /**
   * Whether it is one of them, or below one that stands for what is below it.
   *
   * @param name - in lower case as A-labels, without a dot at its end
   */
  has(name: string): boolean {
    if (this.#any || this.#entries.has(name)) return true;
    // However long a name is that somebody asks for, the work is not.
    let dot = name.indexOf('.', name.length - MAX_ENTRY);
    while (dot !== -1 && !this.#entries.has(name.slice(dot))) dot = name.indexOf('.', dot + 1);
    return dot !== -1;
  }

  /** The patterns, each once. */
  *[Symbol.iterator](): Generator<string> {
    for (const entry of this.#entries) yield entry.startsWith('.') ? `*${entry}` : entry;
  }
}
