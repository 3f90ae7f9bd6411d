import type { DatabaseSync } from 'node:sqlite';
import { isSameDigest, recordDigest } from './record-digest.js';

/** Bytes that most blocks contain, certificates above all: what blocks share with them is stored once. */
export interface Dictionary {
  readonly id: number;
  readonly content: Uint8Array;
}

/** Most callers whose identities stand in a dictionary. */
const CALLERS = 20;
/** Fewest blocks that one is used for: with ever changing callers each would cost more than it saves. */
const BLOCKS_OF_ONE = 64;

/**
 * The dictionary that new blocks are packed with: what every block contains, then the identities of the callers who signed
 * last. It is a row that never changes; for other callers there is a new one.
 */
export class NewestDictionary {
  readonly #db: DatabaseSync;
  readonly #always: Uint8Array;
  #current: Dictionary;
  /** Callers in the order in which they signed last. */
  readonly #callers = new Map<string, Uint8Array>();
  #usableUntil = 0;

  /** @param always - bytes that most blocks contain, whoever signs them */
  constructor(db: DatabaseSync, always: Uint8Array) {
    this.#db = db;
    this.#always = always;
    this.#current = this.#newestRow() ?? this.#insert(always);
  }

  get current(): Dictionary {
    return this.#current;
  }

  /**
   * Sees who signed a block that is about to be packed.
   * @param creators - serialized identities of callers
   * @returns whether there is a new dictionary now
   */
  meet(number: number, creators: readonly Uint8Array[]): boolean {
    for (const creator of creators) {
      const key = Buffer.from(creator).toString('latin1');
      this.#callers.delete(key);
      this.#callers.set(key, creator);
    }
    if (number < this.#usableUntil || creators.every((creator) => this.#holds(creator))) return false;
    for (const key of [...this.#callers.keys()].slice(0, -CALLERS)) this.#callers.delete(key);
    this.#current = this.#insert(Buffer.concat([this.#always, ...this.#callers.values()]));
    this.#usableUntil = number + BLOCKS_OF_ONE;
    return true;
  }

  #holds(creator: Uint8Array): boolean {
    const { buffer, byteOffset, length } = this.#current.content;
    return Buffer.from(buffer, byteOffset, length).indexOf(creator) !== -1;
  }

  /** The newest one in the store, unless it is damaged or of other identities of the ledger's own. */
  #newestRow(): Dictionary | undefined {
    const row = this.#db.prepare('SELECT id, content, digest FROM dictionaries ORDER BY id DESC LIMIT 1').get() as
      (Dictionary & { readonly digest: Uint8Array }) | undefined;
    if (row === undefined || Buffer.compare(row.content.subarray(0, this.#always.length), this.#always) !== 0)
      return undefined;
    return isSameDigest(row.digest, recordDigest('dictionary', [row.id], [row.content])) ? row : undefined;
  }

  #insert(content: Uint8Array): Dictionary {
    const { newest } = this.#db.prepare('SELECT coalesce(max(id), 0) AS newest FROM dictionaries').get() as {
      newest: number;
    };
    const id = newest + 1;
    const digest = recordDigest('dictionary', [id], [content]);
    this.#db.prepare('INSERT INTO dictionaries VALUES (?, ?, ?)').run(id, content, digest);
    return { id, content };
  }
}
