import { setTimeout as delay } from 'node:timers/promises';
import type { CallOptions } from '../ports/ledger.port.js';

/**
 * Waits, at most until the call's deadline or signal.
 * @returns whether there is time left to go on
 */
export async function pause(milliseconds: number, { signal, deadline = Infinity }: CallOptions = {}): Promise<boolean> {
  const left = deadline - Date.now();
  if (left <= milliseconds) return false;
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
    return true;
  } catch {
    return false;
  }
}

/** A time between nothing and `base` doubled once an attempt, at most `most`: those that failed together try again apart. */
export function jittered(attempt: number, { base, most }: { readonly base: number; readonly most: number }): number {
  return Math.random() * Math.min(most, base * 2 ** attempt);
}
