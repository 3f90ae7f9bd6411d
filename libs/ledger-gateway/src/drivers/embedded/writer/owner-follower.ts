import { decodeBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { committedWrites } from '../store/committed-state.js';
import { deriveRecords, type StateWrite } from '../store/derive-records.js';
import { isOfChain, OwnerIndex, ownerOf, removeIndex, type OwnerChange } from '../store/owner-index.js';
import type { ChainHead } from '../store/prove-store.js';
import { requireBlock, type StoredVersion, type StoreReader } from '../store/store-reader.js';

/** What an index is kept up with. */
export interface OwnerFollowerOptions {
  readonly path: string;
  readonly chaincode: string;
  readonly reader: StoreReader;
  /** Whether no write is under way, which would have to wait. */
  readonly isIdle: () => boolean;
  /** The ledger goes on without an index. */
  readonly onFailure: (error: unknown) => void;
}

/** Assets that are taken in at once, about two milliseconds' work, for which a write may wait. */
const ASSETS_IN_A_STEP = 200;
/** So many changes are written together. */
const CHANGES_AT_ONCE = 500;
/** While writes are under way assets are taken in so many milliseconds apart. */
const BUSY_PAUSE_MS = 50;
/** Changes wait so long for others. */
const SETTLE_AFTER_MS = 50;
/** Blocks by which an index may be behind and yet be brought up to the chain; further behind it is made anew. */
const MOST_BLOCKS_BEHIND = 200;

/** Keeps the index of owners up with the chain, behind the answers to writes. */
export class OwnerFollower {
  readonly #it: OwnerFollowerOptions;
  #index: OwnerIndex | undefined;
  /** Id up to which assets were taken in; undefined when all were. */
  #behind: string | undefined;
  #head: ChainHead;
  /** Changes that are not in the index yet, by the assets' ids. */
  #changes = new Map<string, OwnerChange>();
  /** Number of blocks that the index knows of. */
  #settled = 0;
  #willSettle = false;
  #isClosed = false;

  constructor(options: OwnerFollowerOptions, head: ChainHead) {
    this.#it = options;
    this.#head = head;
    // Behind the start, which does not wait for it.
    setImmediate(() => {
      this.#start();
    });
  }

  /** What the writes of a block change, to be asked before they are made. */
  changesOf(writes: readonly StateWrite[]): readonly OwnerChange[] {
    const { reader } = this.#it;
    const changes: OwnerChange[] = [];
    this.#attempt(() => {
      for (const { key: id, value, previous } of writes) {
        // A key that was never written had no owner.
        const from = previous === 0 ? undefined : ownerOf(reader.state(id)?.value);
        changes.push({ id, from, to: ownerOf(value) });
      }
    });
    return changes;
  }

  /** The block with these changes is in the store. */
  follow(changes: readonly OwnerChange[], head: ChainHead): void {
    this.#head = head;
    if (this.#index === undefined) return;
    for (const change of changes) {
      const before = this.#changes.get(change.id);
      this.#changes.set(change.id, before === undefined ? change : { ...change, from: before.from });
    }
    if (this.#changes.size >= CHANGES_AT_ONCE) this.settle();
    else if (!this.#willSettle) this.#settleLater();
  }

  /** Writes down what is gathered: what was committed before is in the index then. */
  settle(): void {
    if (this.#changes.size === 0 && this.#settled === this.#head.height) return;
    this.#attempt((index) => {
      const changes = this.#changes;
      this.#changes = new Map();
      index.write(changes.values(), this.#head, this.#behind);
      this.#settled = this.#head.height;
    });
  }

  #settleLater(): void {
    this.#willSettle = true;
    setTimeout(() => {
      this.#willSettle = false;
      this.settle();
    }, SETTLE_AFTER_MS).unref();
  }

  #start(): void {
    if (this.#isClosed) return;
    try {
      this.#open();
    } catch (error) {
      this.#giveUp(error);
    }
    this.#goOn();
  }

  /** Takes assets in step by step, while others write, until all are in. */
  #goOn(): void {
    if (this.#index === undefined || this.#behind === undefined) return;
    const step = (): void => {
      this.#step();
      this.#goOn();
    };
    if (this.#it.isIdle()) setImmediate(step);
    else setTimeout(step, BUSY_PAUSE_MS).unref();
  }

  #step(): void {
    // What is read of the store now is what the changes before made of it.
    this.settle();
    this.#attempt((index) => {
      this.#behind = index.takeIn(this.#it.reader, this.#head, this.#behind ?? '', ASSETS_IN_A_STEP);
    });
  }

  /** Begins anew: somebody found something in it that does not follow from the store. */
  restart(): void {
    const isUnderWay = this.#behind !== undefined;
    this.#clear();
    if (!isUnderWay) this.#goOn();
  }

  #clear(): void {
    this.#attempt((index) => {
      this.#changes.clear();
      this.#behind = '';
      index.write([], this.#head, '', true);
      this.#settled = this.#head.height;
    });
  }

  close(): void {
    this.#isClosed = true;
    this.settle();
    this.#attempt((index) => {
      index.close();
      this.#index = undefined;
    });
  }

  #open(): void {
    const index = OwnerIndex.open(this.#it.path);
    this.#index = index;
    const { height, isComplete, behind } = index.progress;
    this.#behind = isComplete ? undefined : behind;
    if (!this.#fits(index)) {
      this.#clear();
      return;
    }
    index.write(this.#changesSince(height), this.#head, this.#behind);
    this.#settled = this.#head.height;
  }

  /** Whether the index follows this chain, and is not far behind it. */
  #fits({ progress }: OwnerIndex): boolean {
    const isNear = progress.height <= this.#head.height && this.#head.height - progress.height <= MOST_BLOCKS_BEHIND;
    return isNear && isOfChain(progress, this.#it.reader);
  }

  /** What blocks have changed from that number on: whose each asset was before them, and whose it is. */
  #changesSince(number: number): OwnerChange[] {
    const { reader, chaincode } = this.#it;
    const ids = new Set<string>();
    for (let next = number; next < this.#head.height; next++) {
      const block = decodeBlock(requireBlock(reader, next).bytes);
      for (const { key } of deriveRecords(block, chaincode, NO_NUMBERS).writes) ids.add(key);
    }
    return Array.from(ids, (id) => {
      const [before] = committedWrites(reader, id, versionBefore(reader, id, number), chaincode);
      return { id, from: ownerOf(before?.write.value), to: ownerOf(reader.state(id)?.value) };
    });
  }

  /** Without its index a ledger is whole: what goes wrong with it is told, and takes it away. */
  #attempt(work: (index: OwnerIndex) => void): void {
    try {
      if (this.#index !== undefined) work(this.#index);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): void {
    const index = this.#index;
    this.#index = undefined;
    this.#changes.clear();
    for (const end of [
      () => index?.close(),
      () => {
        removeIndex(this.#it.path);
      },
    ]) {
      try {
        end();
      } catch {
        // What cannot even be taken away is looked at anew at the next start.
      }
    }
    this.#it.onFailure(error);
  }
}

function* versionBefore(reader: StoreReader, id: string, number: number): Generator<StoredVersion> {
  for (const version of reader.history(id)) {
    if (version.block >= number) continue;
    yield version;
    return;
  }
}

const NO_NUMBERS = { previous: () => 0, next: () => 0 };
