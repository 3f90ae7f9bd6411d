import { Buffer } from 'node:buffer';
import type { Version } from '../encode/hashes.js';
import type { KeyRead } from '../encode/read-write-set.js';
import { ChainVerifier, type VerifiedHead } from '../verify/chain-verifier.js';
import { BlockExaminer } from '../verify/examine-block.js';
import type { Finding } from '../verify/chain-verifier.js';
import type { ReplayState } from '../verify/replay/block-replay.js';

/** Verifies a short chain on this thread alone, with its state in memory. */
export class MemoryVerifier {
  readonly #examiner = new BlockExaminer();
  readonly #verifier: ChainVerifier;

  constructor(genesisHash?: string) {
    const state = new MemoryReplayState();
    this.#verifier = new ChainVerifier(genesisHash === undefined ? { state } : { state, genesisHash });
  }

  get head(): VerifiedHead {
    return this.#verifier.head;
  }

  /** Takes the next block, a serialized `common.Block`. */
  add(bytes: Uint8Array): readonly Finding[] {
    return this.#verifier.add(this.#examiner.examine(bytes));
  }
}

/** A replay state in memory: some hundred bytes for each key and each transaction. */
export class MemoryReplayState implements ReplayState {
  readonly #namespaces = new Map<string, Map<string, Version>>();
  readonly #transactions = new Set<string>();

  version(namespace: string, key: string): Version | undefined {
    return this.#namespaces.get(namespace)?.get(key);
  }

  setVersion(namespace: string, key: string, version: Version | undefined): void {
    let keys = this.#namespaces.get(namespace);
    if (keys === undefined) this.#namespaces.set(namespace, (keys = new Map<string, Version>()));
    if (version === undefined) keys.delete(key);
    else keys.set(key, version);
  }

  range(namespace: string, start: string, end: string): KeyRead[] {
    return [...(this.#namespaces.get(namespace) ?? [])]
      .map(([key, version]) => ({ key, version }))
      .filter(({ key }) => compareKeys(key, start) >= 0 && (end === '' || compareKeys(key, end) < 0))
      .sort((a, b) => compareKeys(a.key, b.key));
  }

  addTransaction(transactionId: string): boolean {
    if (this.#transactions.has(transactionId)) return false;
    this.#transactions.add(transactionId);
    return true;
  }
}

function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
