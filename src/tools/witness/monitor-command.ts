import { existsSync, readFileSync } from 'node:fs';
import { writeFileDurably } from '#files';
import {
  type Checkpoint,
  checkSigners,
  consistencyProof,
  isConsistent,
  isSignedBy,
  parseCheckpoint,
  type Policy,
  TlogFault,
  verifiedTiles,
} from '#tlog';
import { print } from '../command-line.js';
import { fetchFromLog } from '../fetch-from-log.js';
import { UsageError } from '../tool-error.js';

/** Exit codes; 2 is a wrong command line. The first that applies counts. */
const EXIT = { 'one history': 0, fork: 1, unavailable: 3, notWitnessed: 4 } as const;
type Outcome = 'one history' | 'fork' | 'unavailable';

interface Options {
  readonly policy: Policy;
  /** The file with the newest checkpoint, which the next run continues. */
  readonly state?: string;
}

/** A checkpoint that a log of the policy signed. */
interface Observed {
  /** The URL of the log, or the name of the file. */
  readonly source: string;
  readonly text: string;
  readonly checkpoint: Checkpoint;
  readonly isWitnessed: boolean;
}

/**
 * Compares the logs of one channel's replicas with each other and with the last run: checkpoints of equal sizes must have equal
 * roots, and each must continue the smaller ones, which is proven by tiles.
 */
export async function monitor(urls: readonly string[], { policy, state }: Options): Promise<void> {
  const kept = readState(state);
  const results = await Promise.allSettled(urls.map((url) => fetchCheckpoint(url, policy)));
  const observed = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  report(observed, results);
  const outcome = await compare(kept, observed);
  const newest = observed.reduce(newer, kept);
  // A checkpoint that was not compared must not replace the last one: the step between them would never be checked.
  if (outcome === 'one history' && state !== undefined && newest !== undefined) writeFileDurably(state, newest.text);
  process.exitCode = exitCode(observed.length < urls.length ? worse(outcome) : outcome, observed);
}

function report(observed: readonly Observed[], results: readonly PromiseSettledResult<unknown>[]): void {
  for (const { source, checkpoint, isWitnessed } of observed)
    print(`${source}: ${checkpoint.size} blocks${isWitnessed ? '' : ', NOT WITNESSED'}`);
  for (const result of results) if (result.status === 'rejected') print(`UNAVAILABLE ${messageOf(result.reason)}`);
}

/** Returns the outcome when a log is unavailable too. */
function worse(outcome: Outcome): Outcome {
  return outcome === 'fork' ? outcome : 'unavailable';
}

function exitCode(outcome: Outcome, observed: readonly Observed[]): number {
  if (outcome !== 'one history') return EXIT[outcome];
  return observed.every(({ isWitnessed }) => isWitnessed) ? EXIT['one history'] : EXIT.notWitnessed;
}

/** Compares each checkpoint with the largest one that a log has now, from which the consistency of all follows. */
async function compare(kept: Observed | undefined, observed: readonly Observed[]): Promise<Outcome> {
  const largest = observed.reduce<Observed | undefined>(
    (best, one) => (best === undefined || one.checkpoint.size > best.checkpoint.size ? one : best),
    undefined,
  );
  if (largest === undefined) return 'unavailable';
  const outcomes: Outcome[] = [];
  for (const each of [...(kept === undefined ? [] : [kept]), ...observed]) {
    if (each !== largest) outcomes.push(await compareWith(largest, each));
  }
  return outcomes.find((one) => one === 'fork') ?? outcomes.find((one) => one === 'unavailable') ?? 'one history';
}

async function compareWith(largest: Observed, each: Observed): Promise<Outcome> {
  const [from, to] = [`${each.source} (${each.checkpoint.size})`, `${largest.source} (${largest.checkpoint.size})`];
  // An old copy of a log, or one that lost blocks: only its further blocks show whether it continues the state.
  if (each.checkpoint.size > largest.checkpoint.size) {
    print(`UNAVAILABLE no log has the blocks of ${from}: the largest is ${to}`);
    return 'unavailable';
  }
  try {
    if (await continues(each, largest)) {
      print(`${to} continues ${from}`);
      return 'one history';
    }
  } catch (error) {
    print(`UNAVAILABLE ${messageOf(error)}`);
    return 'unavailable';
  }
  print(`FORK: ${to} does not continue ${from}. Keep both checkpoints as evidence:`);
  print(each.text);
  print(largest.text);
  return 'fork';
}

/**
 * Checks two checkpoints with the tiles of the larger one.
 * @throws when the tiles cannot be fetched, or are not those of their own checkpoint
 */
async function continues(
  { checkpoint: smaller }: Observed,
  { checkpoint: larger, source }: Observed,
): Promise<boolean> {
  if (smaller.size === larger.size) return isConsistent(smaller, larger, []);
  const node = await fetchTiles(source, smaller.size, larger);
  return isConsistent(smaller, larger, consistencyProof(node, smaller.size, larger.size));
}

async function fetchTiles(url: string, from: number, larger: Checkpoint): ReturnType<typeof verifiedTiles> {
  try {
    return await verifiedTiles(larger, from, (path) => fetchFromLog(url, path));
  } catch (error) {
    if (error instanceof TlogFault) throw new Error(`${url}: ${error.message}`, { cause: error });
    throw error;
  }
}

async function fetchCheckpoint(url: string, policy: Policy): Promise<Observed> {
  const bytes = await fetchFromLog(url, 'checkpoint');
  return observe(url, Buffer.from(bytes).toString(), policy);
}

function readState(file: string | undefined): Observed | undefined {
  if (file === undefined || !existsSync(file)) return undefined;
  try {
    const text = readFileSync(file, 'utf8');
    // It was verified when it was stored, perhaps with a policy of that time.
    return { source: file, text, checkpoint: parseCheckpoint(text), isWitnessed: true };
  } catch (error) {
    const advice = 'restore the checkpoint of the last run, or name a new file to begin again';
    throw new UsageError(`--state ${file}: ${messageOf(error)}; ${advice}`, { cause: error });
  }
}

/** @throws an error when no log of the policy signed it */
async function observe(source: string, text: string, policy: Policy): Promise<Observed> {
  try {
    const checkpoint = parseCheckpoint(text);
    const { isSigned, isWitnessed } = await checkSigners(checkpoint, policy, isSignedBy);
    if (isSigned) return { source, text, checkpoint, isWitnessed };
  } catch (error) {
    throw new Error(`${source}: ${messageOf(error)}`, { cause: error });
  }
  throw new Error(`${source}: no log of the policy signed its checkpoint`);
}

/** Prefers a witnessed checkpoint over a newer one without witnesses. */
function newer(best: Observed | undefined, one: Observed): Observed {
  if (best === undefined || (one.isWitnessed && !best.isWitnessed)) return one;
  return one.isWitnessed === best.isWitnessed && one.checkpoint.size > best.checkpoint.size ? one : best;
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}
