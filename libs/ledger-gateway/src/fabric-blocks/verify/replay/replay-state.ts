import { Buffer } from 'node:buffer';
import type { KeyRead, Version } from '../../encode/key-read.js';

/**
 * The state that replaying a chain builds: which version of each key is the newest, and which transactions were seen.
 * A namespace is a chaincode's, or one of its private collections, whose keys are hashes.
 */
export interface ReplayState {
  version(namespace: string, key: string): Version | undefined;
  /** Without a version the key is deleted. */
  setVersion(namespace: string, key: string, version: Version | undefined): void;
  /** The keys with `start` ≤ key < `end` in byte order of their UTF-8; an empty `end` is no bound. */
  range(namespace: string, start: string, end: string): Iterable<KeyRead>;
  /** Remembers a transaction; false when it was seen before. */
  addTransaction(transactionId: string): boolean;
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

/** The order of keys: that of the bytes of their UTF-8. */
export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
