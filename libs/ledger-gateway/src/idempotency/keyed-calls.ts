import { hash } from 'node:crypto';
import { isSameArgument } from '../arguments/call-arguments.js';
import { LedgerError } from '../errors/ledger.errors.js';
import type { CallOptions, LedgerCall, SubmitResult } from '../ports/ledger.port.js';

/** The key of a repeatable write. */
export interface IdempotencyKey {
  /** 1 to 255 visible ASCII characters. */
  readonly key: string;
  /** Name of the caller; each caller has its own space of keys. */
  readonly owner: string | undefined;
}

/** Returns the key of a call, or undefined when it has none. */
export function keyOf({ caller, idempotencyKey }: CallOptions): IdempotencyKey | undefined {
  return idempotencyKey === undefined ? undefined : { key: idempotencyKey, owner: caller };
}

/** Separates these nonces from other hashes of the same words; another number would change all nonces. */
const DOMAIN = 'ledger-gateway/idempotency-key/1';

/**
 * Returns the nonce of a keyed write's transaction. The transaction id is the hash of nonce and creator, so the same key has
 * the same id on every replica and after every crash, and the ledger itself refuses a second transaction.
 * @param attempt - from 0 on; the next attempt is made only after the previous one is recorded as a conflict
 * @returns 32 bytes; Fabric accepts a nonce of any length
 */
export function attemptNonce(channel: string, { key, owner }: IdempotencyKey, attempt: number): Buffer {
  return digest([DOMAIN, channel, owner ?? null, key, attempt]);
}

/**
 * Returns the id of an asset that is created under a key without an explicit id. It is the same for every copy of the
 * write and every attempt.
 * @returns a UUID of version 8 (RFC 9562, 5.8)
 */
export function idOfKey(channel: string, { key, owner }: IdempotencyKey): string {
  const bytes = digest([channel, owner ?? null, key]).subarray(0, 16);
  bytes[6] = 0x80 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** SHA-256 of a JSON array, which unlike joined words is unambiguous. */
function digest(words: readonly (string | number | null)[]): Buffer {
  return Buffer.from(hash('sha256', JSON.stringify(words), 'binary'), 'latin1');
}

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
    one.arguments.every((argument, index) => isSameArgument(argument, other.arguments[index] ?? ''))
  );
}
