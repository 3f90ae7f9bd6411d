import { join } from 'node:path';
import type { ReadingConnection } from '#chain-pages';
import { FileLock } from '#files';
import { IndexFile, isDamage, openForReading, removeIndex, UnusableIndex } from './index-file.js';
import { IndexLists } from './index-lists.js';

/** Which index a thread opens. */
export interface IndexServiceOptions {
  readonly directory: string;
  readonly channel: string;
  /** Whose keys are the assets; undefined for none. */
  readonly chaincode: string | undefined;
}

/** The part of the chain that an index has: from the first block on, up to the one before `next`. */
export interface IndexCursor {
  readonly first: number | undefined;
  readonly next: number | undefined;
}

/** An opened index. */
export interface OpenedIndex extends IndexCursor {
  /** Whether this process writes it; another one does otherwise. */
  readonly isWriter: boolean;
  /** Why an unusable file was replaced by an empty one. */
  readonly replaced: string | undefined;
}

/** An index and its lists, opened by the one thread that uses them. */
export class IndexService {
  readonly #options: IndexServiceOptions;
  readonly #path: string;
  #lock: FileLock | undefined;
  #file: IndexFile | undefined;
  #reading: ReadingConnection | undefined;
  #lists: IndexLists | undefined;

  constructor(options: IndexServiceOptions) {
    this.#options = options;
    this.#path = join(options.directory, `${options.channel}.db`);
  }

  /** Opens the index to write it, or only to read it while another process writes it. */
  open(): OpenedIndex {
    const { directory, channel, chaincode } = this.#options;
    this.closeFile();
    this.#lock ??= FileLock.acquire(join(directory, `${channel}.lock`));
    if (this.#lock === undefined) {
      this.#reading = openForReading(this.#path, channel);
      this.#lists = new IndexLists(this.#reading, chaincode);
      return { ...this.#lists.cursor(), isWriter: false, replaced: undefined };
    }
    let replaced: string | undefined;
    try {
      this.#file = new IndexFile(this.#path, channel);
    } catch (error) {
      if (!(error instanceof UnusableIndex)) throw error;
      replaced = error.message;
      removeIndex(this.#path);
      this.#file = new IndexFile(this.#path, channel);
    }
    this.#lists = new IndexLists(this.#file.db, chaincode);
    return { ...this.cursor(), isWriter: true, replaced };
  }

  /** Appends serialized blocks; see `DerivedData`. */
  append(blocks: readonly Uint8Array[]): IndexCursor & { readonly isContinued: boolean } {
    const isContinued = this.#guarded(() => this.#writable().append(blocks));
    return { ...this.cursor(), isContinued };
  }

  hashOf(block: number): string | undefined {
    return this.#guarded(() => this.#writable().hashOf(block));
  }

  /** Closes the file and removes it. */
  clear(): void {
    this.closeFile();
    removeIndex(this.#path);
  }

  /** Closes the file. The lock is released with the process or {@link close}. */
  closeFile(): void {
    this.#lists = undefined;
    const [file, reading] = [this.#file, this.#reading];
    [this.#file, this.#reading] = [undefined, undefined];
    file?.close();
    reading?.close();
  }

  close(): void {
    this.closeFile();
    this.#lock?.release();
    this.#lock = undefined;
  }

  cursor(): IndexCursor {
    const { first, next } = this.#file ?? this.#readable().cursor();
    return { first, next };
  }

  readonly blocks: IndexLists['blocks'] = (page) => this.#guarded(() => this.#readable().blocks(page));

  readonly transactions: IndexLists['transactions'] = (page) =>
    this.#guarded(() => this.#readable().transactions(page));

  readonly assetHistory: IndexLists['assetHistory'] = (id, page) =>
    this.#guarded(() => this.#readable().assetHistory(id, page));

  readonly assetAt: IndexLists['assetAt'] = (id, block) => this.#guarded(() => this.#readable().assetAt(id, block));

  readonly search: IndexLists['search'] = (query) => this.#guarded(() => this.#readable().search(query));

  readonly totals: IndexLists['totals'] = () => this.#guarded(() => this.#readable().totals());

  readonly records: IndexLists['records'] = (page) => this.#guarded(() => this.#readable().records(page));

  readonly recordAt: IndexLists['recordAt'] = (record, block) =>
    this.#guarded(() => this.#readable().recordAt(record, block));

  /** Removes a file that SQLite finds damaged, so that the next one that is opened is empty. */
  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (this.#lock !== undefined && isDamage(error)) this.clear();
      throw error;
    }
  }

  #writable(): IndexFile {
    if (this.#file === undefined) throw new Error('The index is not open for writing.');
    return this.#file;
  }

  #readable(): IndexLists {
    if (this.#lists === undefined) throw new Error('The index is not open.');
    return this.#lists;
  }
}
