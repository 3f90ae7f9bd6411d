import { LedgerError } from '../errors/ledger.errors.js';
import type { CallOptions, IdempotencyKey, LedgerCall, SubmitResult } from '../ports/ledger.port.js';
import { untilTime } from '../ports/waiting.js';

/** The options of a call that has a key. */
export type KeyedOptions = CallOptions & { readonly idempotency: IdempotencyKey };

interface Running {
  readonly call: LedgerCall;
  readonly options: CallOptions;
  readonly end: Promise<SubmitResult>;
}

/**
 * The keyed writes that are under way in this process, each once: copies of one join it, another write under its key is
 * refused at once.
 */
export class KeyedCalls {
  readonly #running = new Map<string, Running>();

  /**
   * Does a write, unless a copy of it is under way: then it gives what that one comes to.
   * @throws `LEDGER.KEY_REUSED` when another write is under way under the key; `LEDGER.KEY_IN_USE` when the copy that
   * was joined had not ended in time; else what the write throws
   */
  async submit(call: LedgerCall, options: KeyedOptions, write: () => Promise<SubmitResult>): Promise<SubmitResult> {
    const { key, owner } = options.idempotency;
    const name = JSON.stringify([owner ?? null, key]);
    for (;;) {
      const running = this.#running.get(name);
      if (running === undefined) return this.#begin(name, { call, options }, write);
      if (!isSame(running.call, call)) {
        throw new LedgerError('LEDGER.KEY_REUSED', 'The idempotency key stands for another write, which is under way.');
      }
      try {
        return { ...(await untilTime(running.end, options, inUse)), isReplay: true };
      } catch (error) {
        // Who was joined gave up for want of time. Who has time left goes on in its place.
        if (!isOver(running.options) || isOver(options)) throw error;
      }
    }
  }

  #begin(
    name: string,
    { call, options }: Pick<Running, 'call' | 'options'>,
    write: () => Promise<SubmitResult>,
  ): Promise<SubmitResult> {
    const end = write().finally(() => this.#running.delete(name));
    this.#running.set(name, { call, options, end });
    return end;
  }
}

function inUse(): LedgerError {
  return new LedgerError('LEDGER.KEY_IN_USE', 'A copy of this write is under way, and had not ended in time.');
}

function isSame(one: LedgerCall, other: LedgerCall): boolean {
  return (
    one.chaincode === other.chaincode &&
    one.function === other.function &&
    one.arguments.length === other.arguments.length &&
    one.arguments.every((argument, index) => argument === other.arguments[index])
  );
}

function isOver({ signal, deadline = Infinity }: CallOptions): boolean {
  return signal?.aborted === true || deadline <= Date.now();
}
