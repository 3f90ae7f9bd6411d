import { dirname } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import type { ReadingConnection } from '#chain-pages';
import { makeDirectory } from '#files';
import { LedgerError } from '#ledger-gateway';
import { openValuesForReading } from '../private/values-file.js';
import { createStoreFile, openForReading } from '../store/open-store.js';
import { StoreReader } from '../store/store-reader.js';
import type { Progress } from './chain-source.js';

/** Pages copied between two reports of progress. */
const PAGES_PER_REPORT = 2000;
/** Attempts to open both files between two commits. */
const MAX_ATTEMPTS = 1000;

/** The files of a ledger with its blocks and its private values. */
export interface StoreFiles {
  readonly store: string;
  /** May not exist. */
  readonly values: string;
}

/**
 * Copies the store of a ledger and its private values as of one moment.
 * @param source - an open connection to the store
 * @throws `LEDGER.UNAVAILABLE` when there is no moment between two commits; what SQLite throws
 */
export async function copyStores(
  source: ReadingConnection,
  from: StoreFiles,
  to: StoreFiles,
  progress: Progress,
): Promise<void> {
  const values = openValuesForReading(from.values);
  try {
    // An open read transaction keeps a copy at one moment; without it each write would restart the copy.
    if (values === undefined) beginReading(source);
    else await beginTogether(source, values, from.store);
    await copy(source, to.store, progress);
    if (values === undefined) return;
    makeDirectory(dirname(to.values));
    await copy(values, to.values, progress);
  } finally {
    values?.close();
  }
}

/**
 * Begins a read transaction on both files between two commits: values are stored before the commit that refers to them, and deleted
 * after the one that no longer does.
 */
async function beginTogether(store: ReadingConnection, values: ReadingConnection, path: string): Promise<void> {
  const newest = openForReading(path);
  try {
    const [taken, current] = [new StoreReader(store), new StoreReader(newest)];
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      beginReading(store);
      const height = taken.height();
      beginReading(values);
      if (current.height() === height) return;
      for (const db of [store, values]) db.exec('ROLLBACK');
      await turn();
    }
  } finally {
    newest.close();
  }
  throw new LedgerError('LEDGER.UNAVAILABLE', 'The ledger is written too often to be copied now. Try again later.');
}

function beginReading(db: ReadingConnection): void {
  db.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
}

async function copy(db: ReadingConnection, to: string, progress: Progress): Promise<void> {
  createStoreFile(to);
  // It only reads, but declares that it needs the whole connection.
  await backup(db as DatabaseSync, to, {
    rate: PAGES_PER_REPORT,
    progress: ({ totalPages, remainingPages }) => {
      progress(totalPages - remainingPages, totalPages);
    },
  });
}
