import { ConflictError } from '../errors/ledger.errors.js';
import type { CallOptions } from '../ports/ledger.port.js';
import { jittered, pause } from './pause.js';

/** How often a transaction is made anew after others changed what it had read. */
const ATTEMPTS = 6;
const DELAY = { base: 40, most: 1000 };

/**
 * Submits until it does not meet a conflict: each attempt is a transaction of its own, with its own id, simulated on
 * the state of its time.
 * @throws {@link ConflictError} of the last attempt, else what the attempt throws
 */
export async function retryConflicts<T>(attempt: () => Promise<T>, options: CallOptions): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConflictError) || made === ATTEMPTS) throw error;
      if (!(await pause(jittered(made, DELAY), options))) throw error;
    }
  }
}
