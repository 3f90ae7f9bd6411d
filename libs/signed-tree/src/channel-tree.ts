import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { ChainFollower } from '#chain-index';
import { toolCommand } from '#files';
import { isLedgerError, type LedgerChannel, LedgerError } from '#ledger-gateway';
import {
  consistencyProof,
  inclusionProof,
  isSameHash,
  parseTilePath,
  rootAt,
  signCheckpoint,
  tlogProofText,
  type VerifierKey,
} from '#tlog';
import { FollowedTree } from './followed-tree.js';
import type { TreeState } from './tree-state.js';
import type { TreeStore } from './tree-store.js';
import { signedCheckpoint, WitnessedCheckpoint, type SignedCheckpoint } from './witnessed-checkpoint.js';
import type { TreeLogger } from './tree-logger.js';

/** Whether a tree is signed, and the reason if not. */
export interface TreeStatus {
  /** `building`: it follows the chain, which is longer. `incomplete`: blocks cannot be read. `forked`: see {@link ChannelTree.reportFork}. */
  readonly status: 'signing' | 'building' | 'incomplete' | 'forked';
  readonly reason?: string;
  /** The number of its blocks. */
  readonly size: number;
}

/** At most one signature in this time, unless there are more entries than are stored at once. */
const SIGN_EVERY_MS = 1000;
/** Bytes of entries that are stored at once, at most: about a thousand, so that no request waits for long. */
const BATCH_BYTES = 128 * 1024;

/** The part of a channel that a tree follows. */
export type TreeSource = Pick<LedgerChannel, 'channel' | 'chainInfo' | 'blockByNumber'> &
  Required<Pick<LedgerChannel, 'treeEntries'>>;

/**
 * The Merkle tree over the blocks of a channel, and what a replica has signed of it. Nothing is signed that does not continue the
 * last signed checkpoint, which is durable before it is shown.
 */
export class ChannelTree {
  readonly #state: TreeState;
  readonly #logger: TreeLogger;
  /** `change` with each new checkpoint and each change of the status. */
  readonly #events = new EventEmitter<{ change: [] }>();
  readonly #follower: ChainFollower<FollowedTree>;
  readonly #witnessed: WitnessedCheckpoint | undefined;
  #signed: SignedCheckpoint | undefined;
  #closing: Promise<void> | undefined;
  /** The data that were compared with the last signed checkpoint. */
  #verified: FollowedTree | undefined;

  /**
   * @param state - is closed with the tree
   * @param hasWitnesses - without them the newest signed checkpoint counts, and not the last one that witnesses confirmed once
   */
  constructor(channel: TreeSource, state: TreeState, logger: TreeLogger, hasWitnesses: boolean) {
    this.#state = state;
    this.#logger = logger.child({ channel: channel.channel, origin: state.key.name });
    this.#signed = state.checkpoint === '' ? undefined : signedCheckpoint(state.checkpoint);
    if (hasWitnesses) {
      this.#witnessed = new WitnessedCheckpoint(join(state.directory, 'witnessed'), state.key.name, this.#logger);
    }
    this.#events.setMaxListeners(0);
    this.#follower = new ChainFollower({
      chain: {
        chainInfo: () => channel.chainInfo(),
        blockByNumber: (number) => channel.blockByNumber(number),
        firstBlock: async () => (await channel.blockByNumber(0))?.number ?? 0,
        items: (startBlock, signal) => channel.treeEntries({ startBlock, signal }),
      },
      open: () => new FollowedTree(state.storeFile),
      intervalMs: SIGN_EVERY_MS,
      batchBytes: BATCH_BYTES,
      // The status reports it: entries that were signed are not removed because a peer lags.
      shorterMs: Infinity,
      onCommit: (data) => this.#sign(data),
      onRebuild: (reason) => {
        this.#verified = undefined;
        this.#logger.warn({ reason }, 'the tree is not that of the chain, and is built again');
      },
      onError: (error) => {
        this.#logError(error);
      },
      onChange: () => this.#events.emit('change'),
    });
  }

  get key(): VerifierKey {
    return this.#state.key;
  }

  /** Returns the newest checkpoint that was signed; it is durable. */
  checkpoint(): SignedCheckpoint | undefined {
    return this.#signed;
  }

  /** Returns the newest checkpoint with enough cosignatures, see {@link saveWitnessed}. */
  witnessed(): SignedCheckpoint | undefined {
    return this.#witnessed?.newest;
  }

  /** Stores a checkpoint that witnesses have confirmed. */
  saveWitnessed(text: string): void {
    this.#witnessed?.save(text);
  }

  /** Calls a listener once, when the status may have changed. */
  onChange(listener: () => void): void {
    this.#events.once('change', listener);
  }

  status(): TreeStatus {
    const size = this.#store?.size ?? 0;
    const { fault, height } = this.#follower;
    const { fork } = this.#state;
    if (fork !== '') return { status: 'forked', reason: fork, size };
    if (fault !== undefined) return { status: 'incomplete', reason: fault, size };
    const signed = this.#signed?.size ?? 0;
    if (size >= Math.max(height, signed)) return { status: 'signing', size };
    const reason =
      height < signed
        ? `The chain has ${height} blocks, and ${signed} were signed: it may be a restored backup.`
        : `It is being built: it has ${size} of ${height} blocks.`;
    return { status: 'building', reason, size };
  }

  /**
   * Returns a signed checkpoint of at least a number of blocks; waits for it until the signal.
   * @throws `LEDGER.TREE_INCOMPLETE` when there is none by then, or the tree is not being signed
   */
  async requestCheckpoint(size: number, signal: AbortSignal): Promise<SignedCheckpoint> {
    while (this.#signed === undefined || this.#signed.size < size) {
      const { status, reason = 'It is being signed.' } = this.status();
      if (signal.aborted || status === 'forked' || status === 'incomplete') throw incomplete(reason);
      await once(this.#events, 'change', { signal }).catch(() => undefined);
    }
    return this.#signed;
  }

  /** Returns the path from a block's entry to the root of a tree of that size. @throws `LEDGER.TREE_INCOMPLETE` */
  inclusionProof(block: number, size: number): Uint8Array[] {
    return inclusionProof(this.#requireSize(size).node, block, size);
  }

  /**
   * Returns the proof of a block as text (https://c2sp.org/tlog-proof), with a checkpoint that witnesses confirmed if there is one.
   * @throws `LEDGER.TREE_INCOMPLETE`; see {@link requestCheckpoint}
   */
  async blockProof(block: number, signal: AbortSignal): Promise<string> {
    const witnessed = this.witnessed();
    const checkpoint =
      witnessed !== undefined && witnessed.size > block ? witnessed : await this.requestCheckpoint(block + 1, signal);
    return this.proofText(block, checkpoint);
  }

  /** Returns the proof of a block under one of this tree's checkpoints. @throws `LEDGER.TREE_INCOMPLETE` */
  proofText(block: number, { size, text }: SignedCheckpoint): string {
    return tlogProofText(block, this.inclusionProof(block, size), text);
  }

  /** Returns the proof that a tree of size `to` continues that of size `from`. @throws `LEDGER.TREE_INCOMPLETE` */
  consistencyProof(from: number, to: number): Uint8Array[] {
    return consistencyProof(this.#requireSize(to).node, from, to);
  }

  /** Returns the entry of a block; undefined if the tree does not have it. */
  entry(block: number): Uint8Array | undefined {
    return this.#store?.entry(block);
  }

  /** Returns the bytes of a tile or of a bundle by its path below the log's prefix; undefined if there is none. */
  tile(path: string): Uint8Array | undefined {
    const tile = parseTilePath(path);
    return tile && this.#store?.read(tile);
  }

  /** Stops signing permanently, because there is another history of this log. Only a new origin ends that. */
  async reportFork(reason: string): Promise<void> {
    if (this.#state.fork !== '') return;
    this.#logger.error(
      { reason },
      `the tree is a fork, so that nothing is signed until "${toolCommand('ledger')} tree renew"`,
    );
    await this.#state.save({ fork: reason });
    this.#events.emit('change');
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#follower.close();
    await this.#state.close();
  }

  /** Undefined while it cannot be opened. */
  get #store(): TreeStore | undefined {
    return this.#follower.data?.store;
  }

  /** Signs the tree if it has grown. A checkpoint is durable before it is shown. */
  async #sign(data: FollowedTree): Promise<void> {
    const head = { size: data.store.size, root: data.store.root() };
    const signed = this.#signed?.size ?? 0;
    if (this.#state.fork !== '' || head.size < signed) return;
    if (!this.#continuesSigned(data)) {
      await this.reportFork(`The first ${signed} blocks of the chain are not those that were signed.`);
      return;
    }
    if (head.size === signed) return;
    const text = signCheckpoint(this.#state.key, head);
    await this.#state.save({ checkpoint: text });
    this.#signed = { ...head, text };
    this.#events.emit('change');
  }

  /** Returns whether the tree has the root that was signed, and so continues it. */
  #continuesSigned(data: FollowedTree): boolean {
    const signed = this.#signed;
    if (this.#verified === data || signed === undefined) return true;
    if (data.store.size < signed.size) return false;
    const isSame = isSameHash(rootAt(data.store.node, signed.size), signed.root);
    if (isSame) this.#verified = data;
    return isSame;
  }

  /** @throws `LEDGER.TREE_INCOMPLETE` when the tree has fewer entries, or others than were signed */
  #requireSize(size: number): TreeStore {
    const { data } = this.#follower;
    if (data !== undefined && size <= data.store.size && this.#continuesSigned(data)) return data.store;
    throw incomplete(this.status().reason ?? `It has ${data?.store.size ?? 0} of ${size} blocks.`);
  }

  #logError(error: Error): void {
    // Reported by the ledger itself.
    if (isLedgerError(error, 'LEDGER.UNAVAILABLE') || error.message === this.#follower.fault) return;
    // An error of the ledger has a text for the operator, and its stack is no help.
    const cause = isLedgerError(error) ? { reason: error.message } : { err: error };
    this.#logger.warn(cause, 'the tree cannot be continued');
  }
}

function incomplete(reason: string): LedgerError {
  return new LedgerError('LEDGER.TREE_INCOMPLETE', `The tree of the channel is not complete. ${reason}`);
}
