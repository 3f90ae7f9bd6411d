import { availableParallelism } from 'node:os';
import { isLedgerError } from '../../../errors/ledger.errors.js';
import { BlockExaminer, type ExaminedBlock } from '../../../fabric-blocks/verify/examine-block.js';
import { WorkerCalls } from '../../../threads/worker-calls.js';
import { storeFailure } from '../store/store-failure.js';
import { openBlock, type ChainSource, type RawBlock } from './chain-source.js';

/** A block that cannot be read. */
export interface DamagedBlock {
  readonly damage: string;
}

/** A block that was checked as far as it can be without the others. */
export interface ReadableBlock {
  /** Hexadecimal hash that is stored with it, if any. */
  readonly storedHash: string | undefined;
  readonly block: ExaminedBlock;
}

/** Blocks that are sent to a thread together, and its results. */
export type Batch = readonly (RawBlock | DamagedBlock)[];
export type ExaminedBatch = readonly (ReadableBlock | DamagedBlock)[];

/** A block of a chain, examined, with its source. */
export type ExaminedSource = DamagedBlock | (ReadableBlock & { readonly raw: RawBlock });

/** The thread that replays the chain cannot keep more examiners busy; each uses about 40 MiB. */
const MAX_THREADS = 6;
/** Uncompressed bytes of blocks in a batch: about a hundred transactions, 20 ms of work. */
const BATCH_BYTES = 512 * 1024;
const BATCH_BLOCKS = 256;
/** Estimated compression ratio of a block. */
const COMPRESSION = 8;
/** Examining produces short-lived objects: a larger young generation costs memory and saves nothing. */
const YOUNG_GENERATION_MIB = 12;
/** Batches in flight per thread: more would only use memory. */
const BATCHES_PER_THREAD = 3;

/**
 * Examines the blocks of a chain on all cores and yields them in order, several at once. The result does not depend on the
 * number of threads. It ends after a block that cannot be read.
 * @param threads - additional threads, 0 to use the calling thread. By default one per core, and none for a short chain
 * @throws `LEDGER.UNAVAILABLE` when a thread ends
 */
export async function* examineChain(source: ChainSource, threads?: number): AsyncGenerator<readonly ExaminedSource[]> {
  const batches = batchesOf(source);
  // Threads are worth their start from the second batch on.
  const first = [batches.next(), batches.next()].flatMap((next) => (next.done === true ? [] : [next.value]));
  const count = threads ?? (first.length < 2 ? 0 : Math.min(availableParallelism(), MAX_THREADS));
  const pool = new ExaminerPool(count);
  const inFlight: Promise<readonly ExaminedSource[]>[] = [];
  try {
    for (const batch of joined(first, batches)) {
      const examined = pool.examine(batch);
      // It is awaited in its turn; a failure before that must not be unhandled.
      examined.catch(() => undefined);
      inFlight.push(examined);
      if (inFlight.length > count * BATCHES_PER_THREAD) yield (await inFlight.shift()) ?? [];
    }
    for (const examined of inFlight) yield await examined;
  } finally {
    await pool.close();
  }
}

interface ExaminerMethods {
  examine(raws: Batch): ExaminedBatch;
}

/** Threads that examine blocks; without any, the calling thread does. */
class ExaminerPool {
  readonly #examiner = new BlockExaminer();
  readonly #threads: readonly WorkerCalls<ExaminerMethods>[];

  constructor(count: number) {
    this.#threads = Array.from(
      { length: count },
      () =>
        new WorkerCalls<ExaminerMethods>({
          name: 'examiner',
          beside: import.meta.url,
          resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
          task: 'examines blocks',
        }),
    );
  }

  async examine(batch: Batch): Promise<readonly ExaminedSource[]> {
    const [idlest] = this.#threads.toSorted((a, b) => a.pending - b.pending);
    const examined = idlest === undefined ? examineBlocks(this.#examiner, batch) : await idlest.call('examine', batch);
    return examined.map((block, index) => withSource(block, batch[index]));
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}

/** Examines blocks on the calling thread. */
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

/** Reads the stored blocks in order, up to one that cannot be read. */
function* batchesOf(source: ChainSource): Generator<Batch, undefined> {
  let batch: (RawBlock | DamagedBlock)[] = [];
  let bytes = 0;
  for (let number = 0; number < source.height; number++) {
    const raw = readRaw(source, number);
    batch.push(raw);
    if ('damage' in raw) break;
    bytes += 'packed' in raw ? raw.packed.length * COMPRESSION : raw.bytes.length;
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

/** Damage is a result of a verification; every other failure ends it. */
function damageIn(error: unknown, where: string): DamagedBlock {
  const failure = storeFailure(error, where);
  if (isLedgerError(failure, 'LEDGER.DAMAGED')) return { damage: failure.message };
  throw failure;
}

function withSource(block: ReadableBlock | DamagedBlock, raw: Batch[number] | undefined): ExaminedSource {
  if ('damage' in block) return block;
  if (raw === undefined || 'damage' in raw) return { damage: 'The block cannot be read.' };
  return { ...block, raw };
}

function* joined<T>(first: Iterable<T>, rest: Iterable<T>): Generator<T> {
  yield* first;
  yield* rest;
}
