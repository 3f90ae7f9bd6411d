import { setTimeout as delay } from 'node:timers/promises';
import { TransientTexts } from '#ledger-gateway/driver';

/** Milliseconds after a call for which its data are still looked for: the output arrives after the answer. */
const KEPT_MS = 5000;
/** Most calls whose data are looked for in a line; while there are more, every line is withheld. */
const MAX_CALLS = 1000;

export const WITHHELD = 'A line of the chaincode is withheld, because it repeats transient data of a call.';

/** Finds transient data of recent calls in the output of a chaincode, which is logged. */
export class PrivateOutput {
  readonly #calls = new Set<TransientTexts>();

  /** Executes a call whose data must not be logged. */
  async during<T>(transient: ReadonlyMap<string, Uint8Array>, execute: () => Promise<T>): Promise<T> {
    if (transient.size === 0) return execute();
    const texts = new TransientTexts(transient);
    this.#calls.add(texts);
    try {
      return await execute();
    } finally {
      void delay(KEPT_MS, undefined, { ref: false }).then(() => this.#calls.delete(texts));
    }
  }

  /**
   * Returns a line as it may be logged.
   * @param isCut - whether the line was longer: a value may continue after its end
   */
  shown(line: string, isCut: boolean): string {
    if (this.#calls.size === 0) return line;
    if (isCut || this.#calls.size > MAX_CALLS) return WITHHELD;
    return TransientTexts.areIn(line, this.#calls) ? WITHHELD : line;
  }
}
