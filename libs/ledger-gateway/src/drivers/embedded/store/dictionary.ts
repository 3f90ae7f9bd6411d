import type { DatabaseSync } from 'node:sqlite';
import { isSameDigest, recordDigest } from './record-digest.js';

/** Bytes that most blocks contain, certificates above all: what blocks share with them is stored once. */
export interface Dictionary {
  readonly id: number;
  readonly content: Uint8Array;
}

/** Puts a dictionary into the store, unless the newest one there is the same. */
export function keepDictionary(db: DatabaseSync, content: Uint8Array): Dictionary {
  const newest = db.prepare('SELECT id, content, digest FROM dictionaries ORDER BY id DESC LIMIT 1').get() as
    { id: number; content: Uint8Array; digest: Uint8Array } | undefined;
  if (newest !== undefined && Buffer.compare(newest.content, content) === 0) {
    if (isSameDigest(newest.digest, recordDigest('dictionary', [newest.id], [content]))) return newest;
  }
  const id = (newest?.id ?? 0) + 1;
  db.prepare('INSERT INTO dictionaries VALUES (?, ?, ?)').run(id, content, recordDigest('dictionary', [id], [content]));
  return { id, content };
}
