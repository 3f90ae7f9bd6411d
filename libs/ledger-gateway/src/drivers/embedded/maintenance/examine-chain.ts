import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { LedgerError, isLedgerError } from '../../../errors/ledger.errors.js';
import { BlockExaminer, type ExaminedBlock } from '../../../fabric-blocks/verify/examine-block.js';
import { storeFailure } from '../store/store-failure.js';
import { startThread } from '../../../threads/start-thread.js';
import { openBlock, type ChainSource, type RawBlock } from './chain-source.js';

/** Why a block cannot be read. */
export interface DamagedBlock {
  readonly damage: string;
}

/** What a block says by itself. */
export interface ReadableBlock {
  /** Hexadecimal hash that is kept beside it, where there is one. */
  readonly storedHash: string | undefined;
  readonly block: ExaminedBlock;
}

/** Blocks that go over to a thread at once, and what it gives back. */
export type Batch = readonly (RawBlock | DamagedBlock)[];
export type ExaminedBatch = readonly (ReadableBlock | DamagedBlock)[];

/** A block of a chain, examined, and what it was examined from. */
export type ExaminedSource = DamagedBlock | (ReadableBlock & { readonly raw: RawBlock });

/** The one thread that replays keeps no more than these busy; each takes some 40 MiB. */
const MOST_THREADS = 6;
/** Bytes of blocks, unpacked, that go over at once: about a hundred transactions, some 20 ms of work. */
const BATCH_BYTES = 512 * 1024;
const BATCH_BLOCKS = 256;
/** About how much a block shrinks when it is packed. */
const PACKING = 8;
/** What a thread makes is short-lived: more room than this for it costs memory and saves nothing. */
const YOUNG_MIB = 12;
/** How many batches for each thread are under way at once: more would only fill memory. */
const AHEAD = 3;

/**
 * Examines the blocks of a chain on all cores and gives them in their order, some at once. Whatever the number of threads,
 * the result is the same. Behind a block that cannot be read nothing comes.
 * @param threads - beside this one; 0 to do it here. By default as many as there are cores, and none for a short chain
 * @throws `LEDGER.UNAVAILABLE` when a thread ends
 */
export async function* examineChain(source: ChainSource, threads?: number): AsyncGenerator<readonly ExaminedSource[]> {
  const batches = batchesOf(source);
  // With a second batch it is worth the threads.
  const first = [batches.next(), batches.next()].flatMap((it) => (it.done === true ? [] : [it.value]));
  const pool = startThreads(threads ?? (first.length < 2 ? 0 : Math.min(availableParallelism(), MOST_THREADS)));
  const underWay: Promise<readonly ExaminedSource[]>[] = [];
  try {
    for (const batch of joined(first, batches)) {
      const examined = pool.examine(batch);
      // It is waited for in its turn; until then nobody hears of its failure.
      examined.catch(() => undefined);
      underWay.push(examined);
      if (underWay.length > pool.most) yield (await underWay.shift()) ?? [];
    }
    for (const examined of underWay) yield await examined;
  } finally {
    await pool.close();
  }
}

interface ExaminerPool {
  /** How many batches it is well to have under way. */
  readonly most: number;
  examine(batch: Batch): Promise<readonly ExaminedSource[]>;
  close(): Promise<unknown>;
}

/** @param count - 0 to examine on this thread */
function startThreads(count: number): ExaminerPool {
  const examiner = new BlockExaminer();
  const threads = Array.from({ length: count }, () => new ExaminerThread());
  return {
    most: count * AHEAD,
    examine: async (batch) => {
      const [idlest] = threads.toSorted((a, b) => a.underWay - b.underWay);
      const examined = idlest === undefined ? examineBlocks(examiner, batch) : await idlest.examine(batch);
      return withSources(examined, batch);
    },
    close: () => Promise.all(threads.map((thread) => thread.close())),
  };
}

/** Examines blocks on this thread. */
export function examineBlocks(examiner: BlockExaminer, raws: Batch): ExaminedBatch {
  return raws.map((raw) => {
    if ('damage' in raw) return raw;
    try {
      const { bytes, hash } = openBlock(raw);
      return { storedHash: hash, block: examiner.examine(bytes) };
    } catch (error) {
      return damageIn(error, 'the blocks');
    }
  });
}

/** A thread that examines what it is given, one after the other. */
class ExaminerThread {
  readonly #worker: Worker;
  readonly #waiting: PromiseWithResolvers<ExaminedBatch>[] = [];
  #end: LedgerError | undefined;

  constructor() {
    this.#worker = startThread('examiner', undefined, import.meta.url, { maxYoungGenerationSizeMb: YOUNG_MIB });
    this.#worker.on('message', (examined: ExaminedBatch) => {
      this.#waiting.shift()?.resolve(examined);
    });
    this.#worker.once('error', (cause) => {
      this.#lose(cause);
    });
    this.#worker.once('exit', () => {
      this.#lose(undefined);
    });
  }

  get underWay(): number {
    return this.#waiting.length;
  }

  async examine(raws: Batch): Promise<ExaminedBatch> {
    if (this.#end !== undefined) throw this.#end;
    const waiting = Promise.withResolvers<ExaminedBatch>();
    this.#waiting.push(waiting);
    this.#worker.postMessage(raws);
    return waiting.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #lose(cause: unknown): void {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    this.#end ??= new LedgerError(
      'LEDGER.UNAVAILABLE',
      `A thread that examines blocks ended${why}. Not all was verified: try again.`,
      {
        cause,
      },
    );
    for (const { reject } of this.#waiting.splice(0)) reject(this.#end);
  }
}

/** What is kept of the blocks, read in their order as far as it can be read. */
function* batchesOf(source: ChainSource): Generator<Batch, undefined> {
  let batch: (RawBlock | DamagedBlock)[] = [];
  let bytes = 0;
  for (let number = 0; number < source.height; number++) {
    const raw = readRaw(source, number);
    batch.push(raw);
    if ('damage' in raw) break;
    bytes += 'packed' in raw ? raw.packed.length * PACKING : raw.bytes.length;
    if (bytes < BATCH_BYTES && batch.length < BATCH_BLOCKS) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function readRaw(source: ChainSource, number: number): RawBlock | DamagedBlock {
  try {
    return source.raw(number);
  } catch (error) {
    return damageIn(error, `block ${number}`);
  }
}

/** Damage is what a verification looks for; everything else ends it. */
function damageIn(error: unknown, where: string): DamagedBlock {
  const failure = storeFailure(error, where);
  if (isLedgerError(failure, 'LEDGER.DAMAGED')) return { damage: failure.message };
  throw failure;
}

function withSources(examined: ExaminedBatch, raws: Batch): readonly ExaminedSource[] {
  return examined.map((block, index) => {
    const raw = raws[index];
    return 'damage' in block || raw === undefined || 'damage' in raw ? (block as DamagedBlock) : { ...block, raw };
  });
}

function* joined<T>(first: Iterable<T>, rest: Iterable<T>): Generator<T> {
  yield* first;
  yield* rest;
}
