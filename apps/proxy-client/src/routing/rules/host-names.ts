import { isNetwork, readName } from './addresses.js';

const LABELS = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const MAX_NAME = 253;
/** The prefix that matches all subdomains of a name. */
const BELOW = '*.';
const ANY = '*';

/**
 * Parses a name pattern of a rule: `intranet`, `*.corp.example` (its subdomains at any depth, but not itself) or `*`.
 *
 * @returns the pattern in lower case as A-labels, without a final dot; undefined if it is malformed
 */
export function readNamePattern(text: string): string | undefined {
  if (text === ANY) return text;
  const isBelow = text.startsWith(BELOW);
  const name = readName(isBelow ? text.slice(BELOW.length) : text);
  if (name.length > MAX_NAME || !LABELS.test(name)) return undefined;
  return isBelow ? BELOW + name : name;
}

/**
 * Parses an entry of `hosts`: a name pattern, or an address, IPv6 with or without brackets. The caller treats addresses as
 * networks of one address, because they have many spellings.
 *
 * @returns undefined if it is neither
 */
export function readHostEntry(text: string): string | undefined {
  const bare = /^\[[^[\]]*\]$/.test(text) ? text.slice(1, -1) : text;
  return isNetwork(bare) && !bare.includes('/') ? bare : readNamePattern(bare);
}

/** The length of the longest entry: a name after a dot. */
const MAX_ENTRY = MAX_NAME + 1;

/** A set of name patterns with fast look-ups. It is created when the configuration is read, and shared. */
export class HostNames implements Iterable<string> {
  #any = false;
  /** Those that match subdomains start with a dot. */
  readonly #entries = new Set<string>();

  /** @param patterns - results of {@link readNamePattern} */
  constructor(patterns: Iterable<string> = []) {
    for (const pattern of patterns) this.add(pattern);
  }

  /** @param pattern - a result of {@link readNamePattern} */
  add(pattern: string): void {
    this.#entries.add(pattern.startsWith(BELOW) ? pattern.slice(1) : pattern);
    this.#any ||= pattern === ANY;
  }

  /** The number of patterns. */
  get size(): number {
    return this.#entries.size;
  }

  /** Whether every name matches. */
  get any(): boolean {
    return this.#any;
  }

  /**
   * Returns whether a name matches one of the patterns.
   *
   * @param name - in lower case as A-labels, without a final dot
   */
  has(name: string): boolean {
    return this.#any || this.names(name);
  }

  /** Returns whether a name matches one of the patterns other than `*`. */
  names(name: string): boolean {
    if (this.#entries.has(name)) return true;
    // The work is bounded, however long the requested name is.
    let dot = name.indexOf('.', name.length - MAX_ENTRY);
    while (dot !== -1 && !this.#entries.has(name.slice(dot))) dot = name.indexOf('.', dot + 1);
    return dot !== -1;
  }

  /** The patterns, each once. */
  *[Symbol.iterator](): Generator<string> {
    for (const entry of this.#entries) yield entry.startsWith('.') ? `*${entry}` : entry;
  }
}
