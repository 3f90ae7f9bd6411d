/** A call that waits until no other call holds one of its keys. */
interface WaitingCall {
  readonly keys: ReadonlySet<string>;
  readonly enter: (value: undefined) => void;
}

/**
 * Lets calls that contend for a key run one after the other, in the order in which they first conflicted. A call is admitted
 * when all of its keys are free, never with some of them, so that calls cannot wait for each other. Keys without contention
 * are unknown here and cost nothing.
 */
export class ContentionQueue {
  /** The keys of the calls that were admitted. */
  readonly #held = new Set<string>();
  readonly #waiting: WaitingCall[] = [];

  /** Returns the keys for which other calls contend at present. */
  contended(keys: Iterable<string>): string[] {
    if (this.#held.size === 0) return [];
    return [...keys].filter((key) => this.#held.has(key));
  }

  /** Resolves when the call is admitted; it must leave with the same keys. */
  async enter(keys: ReadonlySet<string>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#waiting.push({ keys, enter: resolve });
    this.#admit();
    await promise;
  }

  leave(keys: ReadonlySet<string>): void {
    for (const key of keys) this.#held.delete(key);
    this.#admit();
  }

  /** A call also waits for those before it that wait for one of its keys, so that none waits forever. */
  #admit(): void {
    const blocked = new Set(this.#held);
    for (const call of this.#waiting.splice(0)) {
      const keys = [...call.keys];
      const isFree = !keys.some((key) => blocked.has(key));
      for (const key of keys) blocked.add(key);
      if (!isFree) {
        this.#waiting.push(call);
        continue;
      }
      for (const key of keys) this.#held.add(key);
      call.enter(undefined);
    }
  }
}
