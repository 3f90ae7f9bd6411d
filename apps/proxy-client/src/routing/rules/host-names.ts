import type { HostList } from './host-list.js';
import { Kind, MAX_NAME, NameSet } from './name-set.js';
import { type IpAddress, isNetwork, readName } from './addresses.js';

const LABELS = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const ANY = '*';
/** The pattern of names without a dot, as in the exceptions of browsers. */
const LOCAL = '<local>';
/** The prefixes of patterns that match more than one name, with their meaning. */
const PREFIXES = new Map<string, Kind>([
  ['*.', Kind.below],
  ['+.', Kind.both],
]);

/**
 * Parses a name pattern of a rule: `intranet`, `*.corp.example` (its subdomains at any depth, but not itself), `+.corp.example`
 * (itself as well), `<local>` or `*`.
 *
 * @returns the pattern in lower case as A-labels, without a final dot; undefined if it is malformed
 */
export function readNamePattern(text: string): string | undefined {
  if (text === ANY || text === LOCAL) return text;
  const prefix = PREFIXES.has(text.slice(0, 2)) ? text.slice(0, 2) : '';
  const name = readName(text.slice(prefix.length));
  return name.length > MAX_NAME || !LABELS.test(name) ? undefined : prefix + name;
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

/** The length of the patterns that are kept as text: scripts for browsers, which list them, are limited to 1 MiB. */
const MAX_TEXT = 1_048_576;

/** A set of name patterns and lists with fast look-ups. It is created when the configuration is read, and shared. */
export class HostNames implements Iterable<string> {
  #any = false;
  #local = false;
  readonly #names = new NameSet();
  /** The first patterns as text. */
  readonly #texts = new Set<string>();
  #textLength = 0;
  /** Lists whose contents may change later. */
  readonly lists: readonly HostList[];

  /** @param patterns - results of {@link readNamePattern} */
  constructor(patterns: Iterable<string> = [], lists: readonly HostList[] = []) {
    this.lists = lists;
    for (const pattern of patterns) this.add(pattern);
    this.#names.indexNow();
  }

  /**
   * Adds a pattern; {@link index} must be called after the last.
   *
   * @param pattern - a result of {@link readNamePattern}
   */
  add(pattern: string): void {
    if (this.#textLength < MAX_TEXT) {
      this.#texts.add(pattern);
      this.#textLength += pattern.length;
    }
    if (pattern === ANY) this.#any = true;
    else if (pattern === LOCAL) this.#local = true;
    else {
      const kind = PREFIXES.get(pattern.slice(0, 2));
      this.#names.add(kind === undefined ? pattern : pattern.slice(2), kind ?? Kind.exact);
    }
  }

  /** Makes the added patterns effective, in steps. */
  *index(): Generator<undefined> {
    yield* this.#names.index();
  }

  /** The number of patterns, without those of lists. */
  get size(): number {
    return this.#names.size + Number(this.#any) + Number(this.#local);
  }

  /** Whether every name matches. */
  get any(): boolean {
    return this.#any;
  }

  /** Whether names without a dot match. */
  get local(): boolean {
    return this.#local;
  }

  /**
   * Returns whether a name matches one of the patterns or lists.
   *
   * @param name - in lower case as A-labels, without a final dot
   */
  has(name: string): boolean {
    return this.#any || (this.#local && isLocal(name)) || this.names(name);
  }

  /** Returns whether a name matches one of the lists, or one of the patterns other than `*` and `<local>`. */
  names(name: string): boolean {
    return this.#names.find(name) > 0 || this.lists.some((list) => list.has(name));
  }

  /** Returns whether an address is in one of the lists. */
  hasAddress(address: IpAddress): boolean {
    return this.lists.some((list) => list.hasAddress(address));
  }

  /** The patterns, each once; of more than 1 MiB the first ones. */
  [Symbol.iterator](): Iterator<string> {
    return this.#texts.values();
  }
}

/** An address may have no dot, either: IPv6, or IPv4 as a number. */
const ADDRESS_WITHOUT_DOT = /:|^(?:0x[0-9a-f]*|\d+)$/;

function isLocal(name: string): boolean {
  return !name.includes('.') && !ADDRESS_WITHOUT_DOT.test(name);
}
