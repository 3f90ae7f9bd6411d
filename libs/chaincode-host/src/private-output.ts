import { setTimeout as delay } from 'node:timers/promises';
import { TransientTexts } from '#ledger-gateway/driver';

/** Milliseconds after a call for which its data are still looked for: the output arrives after the answer. */
const KEPT_MS = 5000;
/** Most values that are looked for in a line; while there are more, every line is withheld. */
const MAX_VALUES = 1000;

export const WITHHELD = 'A line of the chaincode is withheld, because it repeats transient or private data of a call.';

/** The data of a call that must not be logged. */
class CallData {
  readonly values: Uint8Array[];
  #texts: TransientTexts | undefined;

  constructor(transient: ReadonlyMap<string, Uint8Array>) {
    this.values = [...transient.values()];
  }

  /** Adds a private value. The first ones beyond the limit suffice to exceed it. */
  add(value: Uint8Array): void {
    if (this.values.length > MAX_VALUES) return;
    this.values.push(value);
    this.#texts = undefined;
  }

  get texts(): TransientTexts {
    return (this.#texts ??= new TransientTexts(new Map(this.values.map((value, index) => [String(index), value]))));
  }
}

/** Finds transient data and private values of recent calls in the output of a chaincode, which is logged. */
export class PrivateOutput {
  readonly #calls = new Set<CallData>();

  /**
   * Executes a call whose data must not be logged.
   * @param execute - receives a function to which it passes the private values of the call
   */
  async during<T>(
    transient: ReadonlyMap<string, Uint8Array>,
    execute: (notePrivate: (value: Uint8Array) => void) => Promise<T>,
  ): Promise<T> {
    const data = new CallData(transient);
    if (transient.size > 0) this.#calls.add(data);
    try {
      return await execute((value) => {
        data.add(value);
        this.#calls.add(data);
      });
    } finally {
      if (this.#calls.has(data)) {
        void delay(KEPT_MS, undefined, { ref: false }).then(() => this.#calls.delete(data));
      }
    }
  }

  /**
   * Returns a line as it may be logged.
   * @param isCut - whether the line was longer: a value may continue after its end
   */
  shown(line: string, isCut: boolean): string {
    if (this.#calls.size === 0) return line;
    const calls = [...this.#calls];
    const count = calls.reduce((sum, { values }) => sum + values.length, 0);
    if (isCut || count > MAX_VALUES) return WITHHELD;
    const texts = calls.map((call) => call.texts);
    return TransientTexts.areIn(line, texts) ? WITHHELD : line;
  }
}
