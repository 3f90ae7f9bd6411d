import type { ForgedBlock, SealedBlock, SimulatedTransaction } from './block-forge.js';
import type { WriteRequest } from './messages.js';

/** What makes the log durable; see `LogSync`. */
export interface DiskSync {
  syncNow(): void;
  sync(done: (error: Error | null) => void): void;
}

/** Who hears what the disk has confirmed, in the order in which it was written. */
export interface ConfirmationListener {
  committed(block: SealedBlock, forged: ForgedBlock): void;
  refused(request: WriteRequest, error: Error): void;
  /** The disk did not confirm: whether these are there, nobody knows before a restart. */
  unconfirmed(transactions: readonly SimulatedTransaction[], error: Error): void;
  /** Nothing waits any more. */
  settled(): void;
}

/**
 * Blocks that stand in the log and wait for the disk, with the refusals that rest on them. While one fsync is under way the
 * next blocks are made and written; the next fsync covers them all.
 */
export class UnconfirmedBlocks {
  readonly #disk: DiskSync;
  readonly #listener: ConfirmationListener;
  /** What the fsync that is under way covers, each with what confirms it. */
  #covered: readonly Waiting[] = [];
  /** What was written since. */
  #waiting: Waiting[] = [];
  #isSyncing = false;
  #hasFailed = false;

  constructor(disk: DiskSync, listener: ConfirmationListener) {
    this.#disk = disk;
    this.#listener = listener;
  }

  /** Whether something waits for the disk. */
  get isWaiting(): boolean {
    return this.#isSyncing || this.#waiting.length > 0;
  }

  /**
   * A block was written.
   * @param isAlone - whether this thread has nothing to do meanwhile: it then waits itself, which is sooner over
   */
  add(block: SealedBlock, forged: ForgedBlock, isAlone: boolean): void {
    this.#waiting.push({ block, forged });
    if (this.#isSyncing || this.#hasFailed) return;
    if (isAlone) this.#syncHere();
    else this.#syncBeside();
  }

  /** A refusal, answered when all that it may rest on is confirmed. */
  refuse(request: WriteRequest, error: Error): void {
    if (this.isWaiting) this.#waiting.push({ request, error });
    else this.#listener.refused(request, error);
  }

  #syncHere(): void {
    const group = this.#takeWaiting();
    try {
      this.#disk.syncNow();
    } catch (error) {
      this.#fail(group, error as Error);
      return;
    }
    this.#confirm(group);
  }

  #syncBeside(): void {
    this.#covered = this.#takeWaiting();
    this.#isSyncing = true;
    this.#disk.sync((error) => {
      const group = this.#covered;
      this.#covered = [];
      this.#isSyncing = false;
      if (error !== null) this.#fail([...group, ...this.#takeWaiting()], error);
      else {
        if (this.#waiting.some((each) => 'block' in each)) this.#syncBeside();
        this.#confirm(group);
        if (!this.#isSyncing) this.#confirm(this.#takeWaiting());
      }
      if (!this.isWaiting) this.#listener.settled();
    });
  }

  #takeWaiting(): Waiting[] {
    const group = this.#waiting;
    this.#waiting = [];
    return group;
  }

  #confirm(group: readonly Waiting[]): void {
    for (const each of group) {
      if ('block' in each) this.#listener.committed(each.block, each.forged);
      else this.#listener.refused(each.request, each.error);
    }
  }

  #fail(group: readonly Waiting[], error: Error): void {
    this.#hasFailed = true;
    const blocks = group.flatMap((each) => ('block' in each ? each.block.transactions : []));
    this.#listener.unconfirmed(blocks, error);
    for (const each of group) if ('request' in each) this.#listener.refused(each.request, each.error);
  }
}

type Waiting =
  | { readonly block: SealedBlock; readonly forged: ForgedBlock }
  | { readonly request: WriteRequest; readonly error: Error };
