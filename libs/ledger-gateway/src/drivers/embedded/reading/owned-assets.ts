import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { readAsset, type Asset } from '#asset-contract';
import type { AssetChunk } from '../../../chain-pages/asset-search.js';
import { idAt, isOfChain, isSameOwner, placeOf, readProgress } from '../store/owner-index.js';
import type { StoreReader } from '../store/store-reader.js';

type Row = readonly [place: string];

/** The index holds something that does not follow from the store. */
export class IndexDamagedError extends Error {}

/**
 * Assets of an owner by the index. It is believed in nothing: each row that is read, and those beside the first and the last,
 * has to agree with the state, which has digests. A row that was altered stands where it does not belong, and is found so.
 */
export class OwnedAssets {
  readonly #reader: StoreReader;
  readonly #db: DatabaseSync;
  readonly #from: StatementSync;
  readonly #upTo: StatementSync;
  /** Number of blocks that the index follows: what was written later may differ. */
  #height = 0;

  private constructor(db: DatabaseSync, reader: StoreReader) {
    this.#db = db;
    this.#reader = reader;
    this.#from = db.prepare('SELECT place FROM places WHERE place > ? ORDER BY place LIMIT ?');
    this.#upTo = db.prepare('SELECT place FROM places WHERE place <= ? ORDER BY place DESC LIMIT 1');
    this.#from.setReturnArrays(true);
    this.#upTo.setReturnArrays(true);
  }

  /** Undefined when there is no index. */
  static open(path: string, reader: StoreReader): OwnedAssets | undefined {
    if (!existsSync(path)) return undefined;
    let db: DatabaseSync | undefined;
    try {
      db = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
      db.exec('PRAGMA cache_size = -1024');
      return new OwnedAssets(db, reader);
    } catch {
      db?.close();
      return undefined;
    }
  }

  /** Whether it is of this store, and knows of so many blocks. */
  covers(height: number): boolean {
    const progress = reading(() => readProgress(this.#db));
    if (progress === undefined || !progress.isSound || !progress.isComplete || progress.height < height) return false;
    if (!isOfChain(progress, this.#reader)) return false;
    this.#height = progress.height;
    return true;
  }

  /**
   * So many assets of an owner, at most, behind an id.
   * @throws {@link IndexDamagedError}; what the store throws passes through
   */
  behind(owner: string, after: string, limit: number): AssetChunk {
    const start = placeOf(owner, after);
    const [before] = reading(() => this.#upTo.all(start)) as unknown as Row[];
    if (before !== undefined) this.#check(before[0]);
    const rows = reading(() => this.#from.all(start, limit)) as unknown as Row[];
    const assets: { readonly key: string; readonly asset: Asset }[] = [];
    let last = start;
    for (const [place] of rows) {
      const asset = this.#check(place);
      if (!isSameOwner(place, start)) return { assets, bookmark: '' };
      // One that was altered into another asset of the same owner stands before or beside that one's own row.
      if (Buffer.compare(Buffer.from(place), Buffer.from(last)) <= 0) throw notSo(place);
      if (asset !== undefined) assets.push({ key: idAt(place), asset });
      last = place;
    }
    return { assets, bookmark: rows.length < limit ? '' : idAt(last) };
  }

  close(): void {
    this.#db.close();
  }

  /** The asset at a place; undefined when it was written behind the index. */
  #check(place: string): Asset | undefined {
    const id = idAt(place);
    const state = this.#reader.state(id);
    const asset = state === undefined || state.value === null ? undefined : readAsset(state.value);
    if (asset !== undefined && placeOf(asset.owner, id) === place) return asset;
    if (state !== undefined && state.block >= this.#height) return undefined;
    throw notSo(place);
  }
}

function notSo(place: string): IndexDamagedError {
  return new IndexDamagedError(`the index of owners says of ${JSON.stringify(idAt(place))} what is not so`);
}

/** @throws {@link IndexDamagedError} when SQLite cannot read it */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new IndexDamagedError('the index of owners cannot be read', { cause });
  }
}
