import { LedgerError } from '../errors/ledger.errors.js';
import type { LedgerCall, SubmitResult } from '../ports/ledger.port.js';
import type { IdempotencyKey } from './attempt-ids.js';

interface RunningWrite {
  readonly call: LedgerCall;
  readonly result: Promise<SubmitResult>;
}

/** The in-flight keyed writes of this process. Copies of a write share its result. */
export class KeyedCalls {
  readonly #running = new Map<string, RunningWrite>();

  /**
   * Starts a write, or joins a running copy of it.
   * @throws `LEDGER.KEY_REUSED` when another write with the key is running, else what the write throws
   */
  async submit(call: LedgerCall, id: IdempotencyKey, write: () => Promise<SubmitResult>): Promise<SubmitResult> {
    const name = JSON.stringify([id.owner ?? null, id.key]);
    const running = this.#running.get(name);
    if (running === undefined) {
      const result = write().finally(() => this.#running.delete(name));
      this.#running.set(name, { call, result });
      return result;
    }
    if (!isSame(running.call, call)) {
      throw new LedgerError('LEDGER.KEY_REUSED', 'Another write with this idempotency key is running.');
    }
    return { ...(await running.result), isReplay: true };
  }
}

function isSame(one: LedgerCall, other: LedgerCall): boolean {
  return (
    one.chaincode === other.chaincode &&
    one.function === other.function &&
    one.arguments.length === other.arguments.length &&
    one.arguments.every((argument, index) => argument === other.arguments[index])
  );
}
