import { setTimeout as delay } from 'node:timers/promises';
import { ForkError, isQuorum, WitnessClient, type Policy } from '#tlog';
import type { ChannelTree } from './channel-tree.js';
import type { SignedCheckpoint } from './witnessed-checkpoint.js';
import type { TreeLogger } from './tree-logger.js';

/** The time for an answer of a witness. */
const TIMEOUT_MS = 5000;
/** At most one round in this time, also for receipts that wait for it. */
const SHORTEST_INTERVAL_MS = 1000;
/** A tree that does not grow is confirmed again after this time, so that its witnesses' times stay recent. */
const UNCHANGED_INTERVAL_MS = 600_000;

/** What rounds need of a tree. */
export type RoundTree = Pick<
  ChannelTree,
  'checkpoint' | 'consistencyProof' | 'reportFork' | 'requestCheckpoint' | 'saveWitnessed' | 'status' | 'witnessed'
>;

/** A witness of the policy with its last result. */
interface RoundWitness {
  readonly name: string;
  readonly client: WitnessClient;
  isBusy: boolean;
  /** Why its last request failed, which is logged once. */
  failure: string | undefined;
}

/**
 * Obtains the confirmations of a tree's checkpoints. Witnesses are independent: a round does not wait for one that is slow, which
 * takes part in a later one.
 */
export class WitnessRounds {
  readonly #tree: RoundTree;
  readonly #policy: Policy;
  readonly #logger: TreeLogger;
  readonly #witnesses: readonly RoundWitness[];
  readonly #ending = new AbortController();
  readonly #interval: NodeJS.Timeout;
  /** The signatures of the newest round. */
  #lines = new Map<string, string>();
  #checkpoint: SignedCheckpoint | undefined;
  #started = -Infinity;
  #earlyRound: NodeJS.Timeout | undefined;
  readonly #running = new Set<Promise<void>>();

  /** @param intervalMs - between rounds while the tree grows */
  constructor(tree: RoundTree, policy: Policy, intervalMs: number, logger: TreeLogger) {
    this.#tree = tree;
    this.#policy = policy;
    this.#logger = logger;
    const log = {
      size: () => tree.checkpoint()?.size ?? 0,
      consistencyProof: (from: number, to: number) => tree.consistencyProof(from, to),
    };
    this.#witnesses = policy.witnesses.flatMap((witness) => {
      const { name, url } = witness;
      if (url === undefined) return [];
      return [{ name, client: new WitnessClient(witness, url, log), isBusy: false, failure: undefined }];
    });
    this.#interval = setInterval(() => {
      if (this.#isDue()) this.#start();
    }, intervalMs).unref();
    this.#start();
  }

  /**
   * Returns a checkpoint with enough confirmations that covers a number of blocks.
   * @param signal - limits the time
   * @returns undefined when there is none in that time
   */
  async witnessed(size: number, signal: AbortSignal): Promise<SignedCheckpoint | undefined> {
    const until = AbortSignal.any([signal, this.#ending.signal]);
    try {
      for (;;) {
        const witnessed = this.#tree.witnessed();
        if (witnessed !== undefined && witnessed.size >= size) return witnessed;
        await this.#tree.requestCheckpoint(size, until);
        this.#scheduleEarlyRound();
        await delay(SHORTEST_INTERVAL_MS / 10, undefined, { signal: until });
      }
    } catch (error) {
      if (until.aborted) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#ending.abort();
    clearInterval(this.#interval);
    clearTimeout(this.#earlyRound);
    await Promise.all(this.#running);
  }

  /** Begins a round as soon as the shortest interval permits. */
  #scheduleEarlyRound(): void {
    const wait = this.#started + SHORTEST_INTERVAL_MS - performance.now();
    this.#earlyRound ??= setTimeout(
      () => {
        this.#earlyRound = undefined;
        this.#start();
      },
      Math.max(0, wait),
    ).unref();
  }

  #isDue(): boolean {
    const signed = this.#tree.checkpoint()?.size ?? 0;
    const isWitnessed = (this.#tree.witnessed()?.size ?? 0) >= signed;
    return !isWitnessed || performance.now() - this.#started >= UNCHANGED_INTERVAL_MS;
  }

  #start(): void {
    const checkpoint = this.#tree.checkpoint();
    if (checkpoint === undefined || this.#tree.status().status === 'forked') return;
    this.#started = performance.now();
    if (checkpoint.text !== this.#checkpoint?.text) this.#lines = new Map();
    this.#checkpoint = checkpoint;
    this.#save(checkpoint, this.#lines);
    for (const witness of this.#witnesses.filter(({ isBusy }) => !isBusy)) {
      const request = this.#request(witness, checkpoint, this.#lines);
      this.#running.add(request);
      void request.finally(() => this.#running.delete(request));
    }
  }

  async #request(witness: RoundWitness, checkpoint: SignedCheckpoint, lines: Map<string, string>): Promise<void> {
    witness.isBusy = true;
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#ending.signal]);
      lines.set(witness.name, await witness.client.confirm(checkpoint.text, signal));
      this.#save(checkpoint, lines);
      if (witness.failure !== undefined) this.#logger.info({ witness: witness.name }, 'the witness confirms again');
      witness.failure = undefined;
    } catch (error) {
      await this.#fail(witness, error);
    } finally {
      witness.isBusy = false;
    }
  }

  async #fail(witness: RoundWitness, error: unknown): Promise<void> {
    if (this.#ending.signal.aborted) return;
    const { message } = error as Error;
    if (message !== witness.failure)
      this.#logger.warn({ err: error, witness: witness.name }, 'the witness did not confirm the tree');
    witness.failure = message;
    if (!(error instanceof ForkError)) return;
    try {
      await this.#tree.reportFork(`${witness.name}: ${message}`);
    } catch (fault) {
      // A full disk, with which nothing is signed either. The witness reports the fork again in the next round.
      this.#logger.error({ err: fault }, 'the fork cannot be recorded');
    }
  }

  /** Saves a checkpoint that has enough confirmations, also with each further one. */
  #save({ size, text }: SignedCheckpoint, lines: ReadonlyMap<string, string>): void {
    if (size < (this.#tree.witnessed()?.size ?? 0) || !isQuorum(this.#policy, lines.keys())) return;
    this.#tree.saveWitnessed(text + [...lines.values()].join(''));
  }
}
