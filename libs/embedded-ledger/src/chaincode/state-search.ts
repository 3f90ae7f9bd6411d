import type { QuerySource } from '#chaincode-host';
import type { KeyRead } from '#fabric-codec/encode';
import { type NamespaceReader, type PresentState, versionOf } from '../store/namespace-reader.js';

/** Entries that are read at once. */
const ENTRIES_PER_READ = 100;

/** Called before the state is read, which may be after the simulation has ended; may throw. */
interface ReadRules {
  readonly onEntry: () => void;
  readonly onValue: () => void;
}

/** The state of a chaincode in which a query searches. */
export class StateSearch implements QuerySource {
  readonly #state: NamespaceReader;
  readonly #reads: Map<string, KeyRead>;
  readonly #rules: ReadRules;
  #newest: PresentState | undefined;

  /** @param reads - to which results are added */
  constructor(state: NamespaceReader, reads: Map<string, KeyRead>, rules: ReadRules) {
    this.#state = state;
    this.#reads = reads;
    this.#rules = rules;
  }

  *entries(after: string): Generator<PresentState> {
    let last = after;
    for (let hasMore = true; hasMore;) {
      this.#rules.onValue();
      const chunk = this.#state.after(last, ENTRIES_PER_READ);
      hasMore = chunk.length === ENTRIES_PER_READ;
      for (const entry of chunk) {
        this.#rules.onEntry();
        this.#newest = entry;
        last = entry.key;
        yield entry;
      }
    }
  }

  value(key: string): Uint8Array {
    this.#rules.onValue();
    const state = this.#state.state(key);
    if (!state?.value) throw new Error(`the key ${JSON.stringify(key)} was found and has no value`);
    this.#newest = { ...state, value: state.value };
    return state.value;
  }

  recordRead(key: string): void {
    this.#reads.set(key, { key, version: versionOf(this.#newest) });
  }
}
