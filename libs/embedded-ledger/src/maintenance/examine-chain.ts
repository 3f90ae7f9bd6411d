import { availableParallelism } from 'node:os';
import { decodeBlock } from '#fabric-codec';
import { treeEntry } from '#fabric-codec/encode';
import { BlockExaminer, type ExaminedBlock } from '#fabric-codec/verify';
import { WorkerCalls } from '#threads';
import { leafHash } from '#tlog/verify';
import { openBlock, type ChainSource, type RawBlock } from './chain-source.js';
import { damageOf } from './report.js';

/** A block that cannot be read. */
interface DamagedBlock {
  readonly damage: string;
}

/** A block that was checked as far as it can be without the others. */
interface ReadableBlock {
  /** Hexadecimal hash that is stored with it, if any. */
  readonly storedHash: string | undefined;
  readonly block: ExaminedBlock;
  /** The hash of its entry in the tree over the blocks; undefined when not requested, or when it cannot be decoded. */
  readonly leaf: Uint8Array | undefined;
}

/** Blocks that are sent to a thread together, and its results. */
export type Batch = readonly (RawBlock | DamagedBlock)[];
type ExaminedBatch = readonly (ReadableBlock | DamagedBlock)[];

/** A block of a chain, examined, with its source. */
export type ExaminedSource = DamagedBlock | (ReadableBlock & { readonly raw: RawBlock });

/** Options of {@link examineChain}. */
interface ExamineOptions {
  /** Additional threads, 0 to use the calling thread. By default one per core, and none for a short chain. */
  readonly threads?: number | undefined;
  /** Whether the hash of each block's entry in the tree is computed too. */
  readonly hasTree?: boolean;
}

/** The thread that replays the chain cannot keep more examiners busy; each uses about 40 MiB. */
const MAX_THREADS = 6;
/** Fewest blocks that are worth the start of threads. */
const MIN_BLOCKS = 50;
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
 * @throws `LEDGER.UNAVAILABLE` when a thread ends
 */
export async function* examineChain(
  source: ChainSource,
  { threads = threadsFor(source), hasTree = false }: ExamineOptions = {},
): AsyncGenerator<readonly ExaminedSource[]> {
  const examiner = new BlockExaminer();
  const pool = Array.from({ length: threads }, startExaminer);
  const examine = async (batch: Batch): Promise<readonly ExaminedSource[]> => {
    const [idlest] = pool.toSorted((a, b) => a.pending - b.pending);
    const examined =
      idlest === undefined ? examineBlocks(examiner, batch, hasTree) : await idlest.call('examine', batch, hasTree);
    return examined.map((block, index) => ('damage' in block ? block : { ...block, raw: batch[index] as RawBlock }));
  };
  const inFlight: Promise<readonly ExaminedSource[]>[] = [];
  try {
    for (const batch of batchesOf(source)) {
      const examined = examine(batch);
      // It is awaited in its turn; a failure before that must not be unhandled.
      examined.catch(() => undefined);
      inFlight.push(examined);
      if (inFlight.length > threads * BATCHES_PER_THREAD) yield (await inFlight.shift()) ?? [];
    }
    for (const examined of inFlight) yield await examined;
  } finally {
    await Promise.all(pool.map((thread) => thread.terminate()));
  }
}

function threadsFor({ height }: ChainSource): number {
  return height < MIN_BLOCKS ? 0 : Math.min(availableParallelism(), MAX_THREADS);
}

/** The call that a thread serves. */
interface ExaminerCalls {
  examine(batch: Batch, hasTree: boolean): ExaminedBatch;
}

function startExaminer(): WorkerCalls<ExaminerCalls> {
  return new WorkerCalls<ExaminerCalls>({
    name: 'examiner',
    relativeTo: import.meta.url,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
    task: 'examines blocks',
  });
}

/** Examines blocks on the calling thread. */
export function examineBlocks(examiner: BlockExaminer, batch: Batch, hasTree: boolean): ExaminedBatch {
  return batch.map((raw) => {
    if ('damage' in raw) return raw;
    return unlessDamaged('the blocks', () => {
      const { bytes, hash } = openBlock(raw);
      const block = examiner.examine(bytes);
      const leaf = hasTree && block.content !== undefined ? leafOf(bytes) : undefined;
      return { storedHash: hash, block, leaf };
    });
  });
}

/** Returns a copy of the hash: a view of Node's buffer pool would send the whole pool to the other thread. */
function leafOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(leafHash(treeEntry(decodeBlock(bytes))));
}

/** Reads the stored blocks in order, up to one that cannot be read. */
function* batchesOf(source: ChainSource): Generator<Batch, undefined> {
  let batch: (RawBlock | DamagedBlock)[] = [];
  let bytes = 0;
  for (let number = 0; number < source.height; number++) {
    const raw = unlessDamaged(`block ${number}`, () => source.raw(number));
    batch.push(raw);
    if ('damage' in raw) break;
    bytes += 'packed' in raw ? raw.packed.length * COMPRESSION : raw.bytes.length;
    if (bytes < BATCH_BYTES && batch.length < BATCH_BLOCKS) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function unlessDamaged<T>(where: string, read: () => T): T | DamagedBlock {
  try {
    return read();
  } catch (error) {
    return { damage: damageOf(error, where) };
  }
}
