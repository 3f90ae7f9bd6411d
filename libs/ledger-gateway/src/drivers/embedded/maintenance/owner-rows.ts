import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  idAt,
  isOfChain,
  OwnerIndex,
  ownerOf,
  placeOf,
  readProgress,
  removeIndex,
  type IndexProgress,
} from '../store/owner-index.js';
import type { ChainHead } from '../store/prove-store.js';
import { storeFailure } from '../store/store-failure.js';
import type { StoreReader } from '../store/store-reader.js';
import type { FindingList } from './finding-list.js';

/** Assets that are taken in at once. */
const ASSETS_AT_ONCE = 5000;

/** Makes the index of owners of a store that nobody writes to; what stands there is replaced. */
export function makeOwnerIndex(path: string, reader: StoreReader, head: ChainHead): void {
  removeIndex(path);
  const index = OwnerIndex.open(path);
  try {
    for (let behind: string | undefined = ''; behind !== undefined;) {
      behind = index.takeIn(reader, head, behind, ASSETS_AT_ONCE);
    }
  } catch (error) {
    throw storeFailure(error, path);
  } finally {
    index.close();
  }
}

/**
 * Compares the index of owners with what follows from the blocks, where there is one that says it is of this moment of the
 * store: one in the making, or behind, is no fault, since a ledger brings it up by itself.
 * @param derived - holds the state that follows from the blocks
 */
export function checkOwners(path: string, reader: StoreReader, derived: DatabaseSync, findings: FindingList): void {
  if (!existsSync(path)) return;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
    db.exec('BEGIN');
    const progress = readProgress(db);
    if (progress !== undefined && isOfNow(progress, reader)) compareOwners(db, derived, findings);
  } catch (error) {
    findings.add('the index of owners', { check: 'DERIVED', what: storeFailure(error, path).message });
  } finally {
    db?.close();
  }
}

function isOfNow(progress: IndexProgress, reader: StoreReader): boolean {
  const { isSound, isComplete, height } = progress;
  return isSound && isComplete && height === reader.height() && isOfChain(progress, reader);
}

function compareOwners(stored: DatabaseSync, derived: DatabaseSync, findings: FindingList): void {
  derived.exec('CREATE TEMP TABLE places (place TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID');
  const insert = derived.prepare('INSERT INTO places VALUES (?)');
  for (const { key, value } of derived.prepare('SELECT key, value FROM state WHERE value IS NOT NULL').iterate()) {
    const owner = ownerOf(value as Uint8Array);
    if (owner !== undefined) insert.run(placeOf(owner, key as string));
  }
  const wanted = derived.prepare('SELECT place FROM places ORDER BY place').iterate();
  const found = stored.prepare('SELECT place FROM places ORDER BY place').iterate();
  for (;;) {
    const [want, have] = [wanted.next(), found.next()];
    if (want.done === true && have.done === true) return;
    const [wantedPlace, foundPlace] = [want.value?.['place'], have.value?.['place']];
    if (wantedPlace === foundPlace) continue;
    // One is enough: the rows behind it are shifted against each other when one is missing.
    const id = idAt(String(wantedPlace ?? foundPlace));
    findings.add(`the owner of ${JSON.stringify(id)} in its index`, {
      check: 'DERIVED',
      what: 'it is not what follows from the blocks',
    });
    return;
  }
}
