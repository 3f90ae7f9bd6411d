import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { decodeBlock, isLedgerError, LedgerError, toolCommand, treeEntry, type LedgerChannel } from '#ledger-gateway';
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
import type { TreeState } from './tree-state.js';
import { TreeStore } from './tree-store.js';
import { signedCheckpoint, WitnessedCheckpoint, type SignedCheckpoint } from './witnessed-checkpoint.js';

/** Whether a tree is signed, and the reason if not. */
export interface TreeStatus {
  /** `building`: it follows the chain, which is longer. `incomplete`: blocks cannot be read. `forked`: see {@link ChannelTree.reportFork}. */
  readonly status: 'signing' | 'building' | 'incomplete' | 'forked';
  readonly reason?: string;
  /** The number of its blocks. */
  readonly size: number;
}

/** At most one signature in this time. Entries are also stored at that pace. */
const SIGN_EVERY_MS = 1000;
/** Entries in memory that are stored at once. */
const MAX_PENDING = 1024;
/** Milliseconds until blocks that could not be read are read again. */
const RETRY_MS = 5000;

/** The part of a channel that a tree follows. */
export type TreeSource = Pick<LedgerChannel, 'channel' | 'chainInfo' | 'blockByNumber' | 'treeEntries'>;

/**
 * The Merkle tree over the blocks of a channel, and what a replica has signed of it. Nothing is signed that does not continue the
 * last signed checkpoint, which is durable before it is shown.
 */
export class ChannelTree {
  readonly #channel: TreeSource;
  readonly #state: TreeState;
  readonly #store: TreeStore;
  readonly #logger: Logger;
  readonly #ending = new AbortController();
  /** `change` with each new checkpoint and each change of the status. */
  readonly #events = new EventEmitter<{ change: [] }>();
  readonly #followed: Promise<void>;
  readonly #witnessed: WitnessedCheckpoint | undefined;
  #signed: SignedCheckpoint | undefined;
  /** Entries that are not stored yet, and the number of the first one's block. */
  #pending: Uint8Array[] = [];
  #next = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastTick = -Infinity;
  #tick = Promise.resolve();
  /** Ends when the tree must be compared with the chain again. */
  #round = new AbortController();
  #closing: Promise<void> | undefined;
  /** The height of the chain when it was last read. */
  #height = 0;
  /** Whether the tree was compared with the last signed checkpoint. */
  #isVerified = false;
  /** Why the tree cannot be continued or signed. */
  #fault: string | undefined;

  /**
   * @param state - is closed with the tree
   * @param hasWitnesses - without them the newest signed checkpoint counts, and not the last one that witnesses confirmed once
   */
  constructor(channel: TreeSource, state: TreeState, logger: Logger, hasWitnesses: boolean) {
    this.#channel = channel;
    this.#state = state;
    this.#logger = logger.child({ channel: channel.channel, origin: state.key.name });
    this.#store = new TreeStore(join(state.directory, 'tree.db'));
    this.#signed = state.checkpoint === '' ? undefined : signedCheckpoint(state.checkpoint);
    if (hasWitnesses) {
      this.#witnessed = new WitnessedCheckpoint(join(state.directory, 'witnessed'), state.key.name, this.#logger);
    }
    this.#events.setMaxListeners(0);
    this.#followed = this.#follow();
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
    const { size } = this.#store;
    const { fork } = this.#state;
    if (fork !== '') return { status: 'forked', reason: fork, size };
    if (this.#fault !== undefined) return { status: 'incomplete', reason: this.#fault, size };
    const signed = this.#signed?.size ?? 0;
    if (size >= Math.max(this.#height, signed)) return { status: 'signing', size };
    const reason =
      this.#height < signed
        ? `The chain has ${this.#height} blocks, and ${signed} were signed: it may be a restored backup.`
        : `It is being built: it has ${size} of ${this.#height} blocks.`;
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
    this.#requireSize(size);
    return inclusionProof(this.#store.node, block, size);
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
    this.#requireSize(to);
    return consistencyProof(this.#store.node, from, to);
  }

  /** Returns the entry of a block; undefined if the tree does not have it. */
  entry(block: number): Uint8Array | undefined {
    return this.#store.entry(block);
  }

  /** Returns the bytes of a tile or of a bundle by its path below the log's prefix; undefined if there is none. */
  tile(path: string): Uint8Array | undefined {
    const tile = parseTilePath(path);
    return tile && this.#store.read(tile);
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
    this.#ending.abort();
    clearTimeout(this.#timer);
    await this.#followed;
    await this.#tick;
    await this.#state.close();
    this.#store.close();
  }

  /** Follows the chain until the end. */
  async #follow(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      this.#round = new AbortController();
      const signal = AbortSignal.any([this.#ending.signal, this.#round.signal]);
      try {
        await this.#compare();
        for await (const entries of this.#channel.treeEntries({ startBlock: this.#next, signal })) this.#add(entries);
      } catch (error) {
        this.#fail(error);
        await delay(RETRY_MS, undefined, { signal: this.#ending.signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** Compares the newest block that the chain and the tree have. Another chain's tree is built again. */
  async #compare(): Promise<void> {
    const { height } = await this.#channel.chainInfo();
    const next = Math.min(height, this.#store.size);
    // Without entries it shows whether the peer has the first block at all.
    const last = Math.max(next - 1, 0);
    const block = await this.#channel.blockByNumber(last);
    this.#pending = block === undefined ? [] : [treeEntry(decodeBlock(block.bytes))];
    this.#next = last;
    this.#height = height;
    this.#setFault(undefined);
    this.#append();
    this.#schedule();
  }

  #add(entries: readonly Uint8Array[]): void {
    this.#pending.push(...entries);
    if (this.#pending.length >= MAX_PENDING) this.#append();
    this.#schedule();
  }

  /** Stores the pending entries. Those that the tree has already must be the same. */
  #append(): void {
    const entries = this.#pending;
    this.#pending = [];
    const known = Math.max(Math.min(this.#store.size - this.#next, entries.length), 0);
    for (const [index, entry] of entries.slice(0, known).entries()) {
      if (Buffer.compare(this.#store.entry(this.#next + index) ?? entry, entry) === 0) continue;
      this.#logger.warn({ block: this.#next + index }, 'the tree is not that of the chain, and is built again');
      this.#store.clear();
      this.#isVerified = false;
      this.#round.abort();
      return;
    }
    this.#next += entries.length;
    if (entries.length > known) this.#store.append(entries.slice(known));
  }

  #schedule(): void {
    const wait = Math.max(0, this.#lastTick + SIGN_EVERY_MS - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#tick = this.#storeAndSign();
    }, wait).unref();
  }

  async #storeAndSign(): Promise<void> {
    try {
      this.#append();
      await this.#sign();
    } catch (error) {
      this.#fail(error);
    }
    this.#lastTick = performance.now();
    this.#timer = undefined;
    if (this.#pending.length > 0 && !this.#ending.signal.aborted) this.#schedule();
  }

  async #sign(): Promise<void> {
    const head = { size: this.#store.size, root: this.#store.root() };
    const signed = this.#signed?.size ?? 0;
    if (this.#state.fork !== '' || head.size < signed) return;
    if (!this.#continuesSigned()) {
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
  #continuesSigned(): boolean {
    const signed = this.#signed;
    if (this.#isVerified || signed === undefined) return true;
    if (this.#store.size < signed.size) return false;
    this.#isVerified = isSameHash(rootAt(this.#store.node, signed.size), signed.root);
    return this.#isVerified;
  }

  #requireSize(size: number): void {
    if (size <= this.#store.size && this.#continuesSigned()) return;
    throw incomplete(this.status().reason ?? `It has ${this.#store.size} of ${size} blocks.`);
  }

  #fail(error: unknown): void {
    const { message } = error as Error;
    // Reported by the ledger itself.
    const isExpected = this.#ending.signal.aborted || isLedgerError(error, 'LEDGER.UNAVAILABLE');
    if (!isExpected && message !== this.#fault) this.#logger.warn({ err: error }, 'the tree cannot be continued');
    this.#setFault(message);
  }

  #setFault(fault: string | undefined): void {
    this.#fault = fault;
    this.#events.emit('change');
  }
}

function incomplete(reason: string): LedgerError {
  return new LedgerError('LEDGER.TREE_INCOMPLETE', `The tree of the channel is not complete. ${reason}`);
}
